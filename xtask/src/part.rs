//! The parts that the kernels are shipped in: each a PTX text of its own.

use crate::bounds;

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

/// The most threads that a block can have.
const MOST_BLOCK_THREADS: u32 = 1024;

macro_rules! library_symbols {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => { &[$(stringify!($symbol)),*] };
}

macro_rules! ladder_symbols {
    ($($kind:ident $family:ident $op:ident $t:ident $($block:literal)? => $symbol:ident;)*) => {
        &[$(stringify!($symbol)),*]
    };
}

const LIBRARY: &[&str] = warpfold_kernels::for_each_kernel!(library_symbols);
const LADDER: &[&str] = warpfold_kernels::for_each_ladder_kernel!(ladder_symbols);
const NESTED: &[&str] = warpfold_kernels::for_each_nested_kernel!(ladder_symbols);

/// The one nested kernel that is no row of the table.
const NESTED_HELLO: &str = "ladder_nested_hello";

impl Part {
    /// Its entries: these and no others.
    pub fn symbols(self) -> Vec<&'static str> {
        match self {
            Part::Library => LIBRARY.to_vec(),
            Part::Ladder => LADDER.to_vec(),
            Part::Nested => [NESTED, &[NESTED_HELLO]].concat(),
        }
    }

    /// The kernels' cargo features that it is built with.
    pub fn features(self) -> &'static str {
        match self {
            Part::Library => "skeletons",
            Part::Ladder | Part::Nested => "ladder",
        }
    }

    /// Whether an entry belongs to the part. A build with more features emits the entries of other parts too.
    pub fn holds(self, entry: &str) -> bool {
        self == Part::Library || self.symbols().contains(&entry)
    }

    /// What none of its kernels may contain.
    pub fn forbidden(self) -> &'static [&'static str] {
        match self {
            Part::Library | Part::Ladder => {
                &[".local", "__local_depot", "call", "trap", ".ftz", "fma."]
            }
            Part::Nested => &["trap", ".ftz", "fma."],
        }
    }

    /// An entry's launch bounds.
    pub fn launch_bounds(self, entry: &str) -> String {
        match self {
            Part::Library => bounds::of_library(entry),
            Part::Ladder | Part::Nested => format!(".maxntid {MOST_BLOCK_THREADS}, 1, 1\n"),
        }
    }
}
