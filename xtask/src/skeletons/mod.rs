//! Turns the output of the compiler into the committed form of the library's kernels: skeletons, bodies, recipes, and a few whole texts. A
//! recipe names a kernel's skeleton, and the bodies that fill it.
//!
//! The compiler emits an entry for each row whose kernel is compiled whole, an entry for each skeleton, and a function for each body.
//! Unused and duplicate bodies are left out. Registers and labels are renumbered, so that the texts compress well.

mod addresses;
mod body;
mod emitted;
mod identities;
mod rows;
mod written;

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use warpfold_ptx::fill::{HOLE, Hole};
use warpfold_ptx::finish::add_bounds;
use warpfold_ptx::names::renumbered;
use warpfold_ptx::table::{BODIES, EXTENSION, OWN, Table};

use self::emitted::Emitted;
use self::rows::{Row, rows};
use crate::kernel_set::bounds_of_row;

/// The files with the texts for one architecture, by the names of the files. Each file begins with `stamp`.
pub fn files(emitted: &str, stamp: &str) -> Result<BTreeMap<String, String>> {
    let emitted = Emitted::parse(emitted)?;
    let mut files = BTreeMap::new();
    let rows = rows();
    let (own, filled): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(Row::keeps_text);
    if !own.is_empty() {
        let mut text = [stamp, &emitted.preamble].concat();
        for row in &own {
            let entry = emitted.entry(row.symbol)?;
            text += &renumbered(&add_bounds(&addresses::remove(entry), bounds_of_row))?;
        }
        files.insert(OWN.to_owned(), text);
    }
    let mut skeletons = BTreeMap::new();
    for row in &filled {
        if !skeletons.contains_key(&row.skeleton) {
            let entry = addresses::remove(emitted.entry(&row.skeleton)?);
            let entry = identities::remove(&entry)?;
            let entry = add_bounds(&entry, |_| bounds_of_row(row.symbol));
            skeletons.insert(row.skeleton.clone(), renumbered(&entry)?);
        }
    }
    files.insert(
        BODIES.to_owned(),
        recipes(&emitted, &filled, &skeletons, stamp)?,
    );
    for (name, entry) in skeletons {
        let text = [stamp, &emitted.preamble, &entry].concat();
        files.insert([&name, EXTENSION].concat(), text);
    }
    Ok(files)
}

/// The texts of all kernels for one architecture, one after another.
pub fn whole(table: &Table) -> Result<String> {
    let mut text = table.own.clone().unwrap_or_default();
    for recipe in &table.recipes {
        text += &table.text(recipe)?;
    }
    Ok(text)
}

/// The text that holds the rows' recipes and the bodies.
fn recipes(
    emitted: &Emitted,
    rows: &[Row],
    skeletons: &BTreeMap<String, String>,
    stamp: &str,
) -> Result<String> {
    let mut kernels = String::new();
    let mut bodies = String::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for Row {
        symbol,
        skeleton,
        bodies: row,
    } in rows
    {
        kernels += &format!("\nkernel {symbol} {skeleton}\n");
        for hole in holes(&skeletons[skeleton])? {
            let function = format!("{row}${hole}");
            let lines = emitted.functions.get(&function);
            let lines = lines.with_context(|| format!("there is no function {function}"))?;
            let body = body::body(lines).with_context(|| function.clone())?;
            let body = renumbered(&body).with_context(|| function.clone())?;
            let name = names.entry(body.clone()).or_insert_with(|| {
                bodies += &format!("\nbody {function}\n{body}\n");
                function
            });
            kernels += &format!("{hole} {name}\n");
        }
    }
    Ok([stamp, &kernels, &bodies].concat())
}

/// The names of a skeleton's holes. A hole's outputs must not be its inputs.
fn holes(skeleton: &str) -> Result<Vec<&str>> {
    let mut names = Vec::new();
    for line in skeleton.lines().filter_map(|line| line.strip_prefix(HOLE)) {
        let hole = Hole::parse(line).with_context(|| format!("`{line}` is not a hole"))?;
        let mut outputs = hole.outputs.iter();
        ensure!(
            !outputs.any(|output| hole.inputs.contains(output)),
            "`{line}` writes to what it reads"
        );
        names.push(hole.name);
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}
