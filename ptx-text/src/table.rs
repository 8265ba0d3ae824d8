//! The committed PTX of one generation of devices: skeletons, bodies, and a recipe for each kernel that is made from a skeleton.
//!
//! ```text
//! ptx/sm_90/scan_32_32_32.ptx     a skeleton: a text with one entry and holes
//!           …
//!           kernels.ptx           the kernels that are not filled skeletons: a text with their entries, if there are any
//!           bodies.txt            for each other kernel, the names of its skeleton and its bodies; and the bodies
//! ```
//!
//! `bodies.txt` has sections, separated by empty lines. A section that begins with `//` is a comment.
//!
//! ```text
//! kernel inclusive_scan_sum_f32 scan_32_32_32
//! combine reduce_sum_f32$combine                  a hole's name, and the name of its body
//! …
//!
//! body reduce_sum_f32$combine
//!     add.rn.f32 %out0, %in0, %in1;               in the form that `fill` needs
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use crate::fill::{BODY, FILLED, Unfilled, fill};

/// The name of the file whose text is [`Table::own`].
pub const OWN: &str = "kernels.ptx";

/// The file with the recipes of kernels, and with the bodies.
pub const BODIES: &str = "bodies.txt";

/// The end of the name of a skeleton's file.
pub const EXTENSION: &str = ".ptx";

/// Why files are not a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoTable {
    /// There is no file [`BODIES`].
    NoBodies,
    /// A file of this name does not belong to a table.
    OtherFile(String),
    /// A line is not a pair of names.
    NoPair(String),
    /// A body of a kernel is missing.
    NoBody {
        /// The kernel.
        symbol: String,
        /// The body.
        name: String,
    },
    /// The skeleton of a kernel is missing.
    NoSkeleton {
        /// The kernel.
        symbol: String,
        /// The skeleton.
        name: String,
    },
    /// A kernel's skeleton cannot be filled.
    Unfilled {
        /// The kernel.
        symbol: String,
        /// The reason.
        why: Unfilled,
    },
}

impl fmt::Display for NoTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoBodies => write!(f, "there is no {BODIES}"),
            Self::OtherFile(name) => write!(f, "{name} is no file of a table of kernels"),
            Self::NoPair(line) => write!(f, "`{line}` is not a pair of names"),
            Self::NoBody { symbol, name } => {
                write!(f, "{symbol}: there is no body called {name}")
            }
            Self::NoSkeleton { symbol, name } => {
                write!(f, "{symbol}: there is no skeleton called {name}")
            }
            Self::Unfilled { symbol, why } => write!(f, "{symbol}: {why}"),
        }
    }
}

impl Error for NoTable {}

/// The kernels of one generation of devices.
#[derive(Debug)]
pub struct Table {
    /// The skeletons, by their names.
    pub skeletons: BTreeMap<String, String>,
    /// The recipes of the kernels that are made from skeletons.
    pub recipes: Vec<Recipe>,
    /// The text of the kernels that are not made from skeletons, if there are any.
    pub own: Option<String>,
}

/// The recipe of a kernel: its skeleton and its bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// The kernel.
    pub symbol: String,
    /// The skeleton's name.
    pub skeleton: String,
    /// The bodies, in the form that [`fill`] needs.
    pub bodies: String,
}

impl Table {
    /// Makes the table from files: the map has each file's text by the file's name. It is an error if some recipe's text cannot be made.
    pub fn of_files(mut files: BTreeMap<String, String>) -> Result<Self, NoTable> {
        let bodies = files.remove(BODIES).ok_or(NoTable::NoBodies)?;
        let own = files.remove(OWN);
        let mut skeletons = BTreeMap::new();
        for (name, text) in files {
            match name.strip_suffix(EXTENSION) {
                Some(skeleton) => skeletons.insert(skeleton.to_owned(), text),
                None => return Err(NoTable::OtherFile(name)),
            };
        }
        let recipes = recipes(&bodies)?;
        let table = Self {
            skeletons,
            recipes,
            own,
        };
        for recipe in &table.recipes {
            table.text(recipe)?;
        }
        Ok(table)
    }

    /// The skeletons by their names, and the recipes by their kernels' symbols, in the form that the library looks up. [`Self::own`] is
    /// left out.
    pub fn packed(&self) -> BTreeMap<String, String> {
        let recipes = self.recipes.iter().map(|recipe| {
            let text = [FILLED, &recipe.skeleton, &recipe.bodies].concat();
            (recipe.symbol.clone(), text)
        });
        self.skeletons.clone().into_iter().chain(recipes).collect()
    }

    /// The text of a kernel that is made from a skeleton.
    pub fn text(&self, recipe: &Recipe) -> Result<String, NoTable> {
        let symbol = &recipe.symbol;
        let skeleton = self.skeletons.get(&recipe.skeleton);
        let skeleton = skeleton.ok_or_else(|| NoTable::NoSkeleton {
            symbol: symbol.clone(),
            name: recipe.skeleton.clone(),
        })?;
        fill(skeleton, symbol, &recipe.bodies).map_err(|why| NoTable::Unfilled {
            symbol: symbol.clone(),
            why,
        })
    }
}

/// The recipes in the text of [`BODIES`].
fn recipes(text: &str) -> Result<Vec<Recipe>, NoTable> {
    let sections = text.split("\n\n").map(str::trim_end);
    let sections: Vec<(&str, &str)> = sections
        .map(|section| section.split_once('\n').unwrap_or((section, "")))
        .collect();
    let bodies: BTreeMap<&str, &str> = sections
        .iter()
        .filter_map(|(head, lines)| Some((head.strip_prefix("body ")?, *lines)))
        .collect();
    let mut recipes = Vec::new();
    for (head, lines) in sections {
        if let Some(head) = head.strip_prefix("kernel ") {
            recipes.push(recipe(head, lines, &bodies)?);
        }
    }
    Ok(recipes)
}

/// The recipe in a kernel's section.
fn recipe(head: &str, lines: &str, bodies: &BTreeMap<&str, &str>) -> Result<Recipe, NoTable> {
    let pair = |line: &'_ str| -> Result<(String, String), NoTable> {
        let (first, second) = line
            .split_once(' ')
            .ok_or_else(|| NoTable::NoPair(line.to_owned()))?;
        Ok((first.to_owned(), second.to_owned()))
    };
    let (symbol, skeleton) = pair(head)?;
    let mut text = String::new();
    for line in lines.lines() {
        let (hole, name) = pair(line)?;
        let body = bodies.get(name.as_str()).ok_or_else(|| NoTable::NoBody {
            symbol: symbol.clone(),
            name: name.clone(),
        })?;
        text += &[BODY, &hole, "\n", body].concat();
    }
    Ok(Recipe {
        symbol,
        skeleton,
        bodies: text,
    })
}

#[cfg(test)]
mod tests;
