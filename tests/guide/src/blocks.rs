//! The code blocks of a page. `build.rs` includes this file, too.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A code block between two fences.
#[derive(Debug)]
pub struct Block {
    /// The line of its first fence, counted from 1.
    pub line: usize,
    /// The text after that fence, such as `rust`; or nothing.
    pub language: String,
    /// The lines between the fences, without the indentation of the first fence.
    pub text: String,
    /// The file of which the block is an excerpt, if it is one.
    pub from: Option<String>,
}

/// README and the pages of the guide, as paths from `root`.
///
/// # Errors
///
/// The guide's folder cannot be read.
pub fn pages(root: &Path) -> io::Result<Vec<PathBuf>> {
    let guide = Path::new("docs/guide");
    let mut pages = vec![PathBuf::from("README.md")];
    for entry in fs::read_dir(root.join(guide))? {
        pages.push(guide.join(entry?.file_name()));
    }
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    Ok(pages)
}

/// The code blocks of a page.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut from = None;
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let indentation = line.len() - line.trim_start().len();
        if let Some(language) = line.trim_start().strip_prefix("```") {
            let inside = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| !line.trim_start().starts_with("```"));
            let text = inside
                .map(|line| format!("{}\n", line.get(indentation..).unwrap_or_default()))
                .collect();
            blocks.push(Block {
                line: number + 1,
                language: language.to_owned(),
                text,
                from: from.take(),
            });
        } else if let Some(comment) = line.trim().strip_prefix("<!-- from ") {
            from = comment.strip_suffix(" -->").map(str::to_owned);
        } else if !line.trim().is_empty() {
            from = None;
        }
    }
    blocks
}
