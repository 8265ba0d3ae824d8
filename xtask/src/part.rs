//! The parts that the kernels come in: each is compiled and inspected by itself.

use crate::finish::Contents;
use crate::{bounds, ladder};

/// Which kernels a text holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Those of the library.
    Library,
    /// Those of the ladder.
    Ladder,
    /// Those of the ladder that launch kernels, and call functions that are in no text.
    Nested,
}

impl Part {
    /// The folder of its committed texts, from the root.
    pub fn folder(self) -> &'static str {
        match self {
            Part::Library => "host/ptx",
            Part::Ladder | Part::Nested => "ladder/ptx",
        }
    }

    /// The package of its kernels.
    pub fn package(self) -> &'static str {
        match self {
            Part::Library => "warpfold-kernels",
            Part::Ladder | Part::Nested => "warpfold-ladder-kernels",
        }
    }

    /// The folder of that package.
    pub const fn source(self) -> &'static str {
        match self {
            Part::Library => "kernels-gpu",
            Part::Ladder | Part::Nested => "ladder/kernels",
        }
    }

    /// The features that the package is built with.
    pub fn features(self) -> &'static str {
        match self {
            Part::Library => "skeletons",
            Part::Ladder | Part::Nested => "",
        }
    }

    /// What its text holds of what the compiler emits.
    pub fn contents(self) -> &'static Contents {
        match self {
            Part::Library => &bounds::LIBRARY,
            Part::Ladder => &ladder::LADDER,
            Part::Nested => &ladder::NESTED,
        }
    }
}
