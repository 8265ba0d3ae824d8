//! Makes a test of each block of Rust in README and the guide, except excerpts. A block with `no_run` is only compiled.

#[path = "src/blocks.rs"]
mod blocks;

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../..");
    println!(
        "cargo::rerun-if-changed={}",
        root.join("docs/guide").display()
    );
    let mut tests = String::new();
    for page in blocks::pages(&root)? {
        let path = root.join(&page);
        println!("cargo::rerun-if-changed={}", path.display());
        let stem = page.file_stem().unwrap_or_default().to_string_lossy();
        let name = stem.to_lowercase().replace('-', "_");
        for block in blocks::blocks(&fs::read_to_string(path)?) {
            let run = match block.language.as_str() {
                "rust" => "#[test]",
                "rust,no_run" => "#[allow(dead_code)]",
                _ => continue,
            };
            if block.from.is_some() {
                continue;
            }
            let line = block.line;
            // A block with a `main` is a whole program, and its `main` is called. Any other block is the body of a function.
            let call = if block.text.contains("fn main()") {
                "main()?;"
            } else {
                ""
            };
            writeln!(
                tests,
                "/// {}:{line}\n{run}\nfn {name}_{line}() -> Result<(), Box<dyn std::error::Error>> {{\n{}{call}\nOk(())\n}}",
                page.display(),
                block.text
            )?;
        }
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join("blocks.rs"), tests)?;
    Ok(())
}
