//! The table of times, in Markdown.

use std::fmt::Write;

use super::summary::{Subject, Summary, push_new};
use crate::record::{Case, Side};

/// A table for each case, with a line for each size and a column for each type.
pub fn markdown(header: &[String], summary: &Summary) -> String {
    let mut text = String::from("# Measured\n\n");
    for line in header {
        text += &format!("- {line}\n");
    }
    text += "\nMicroseconds of one call; in brackets, how many times as fast as CUB's it is.\n";
    for case in Case::ALL {
        let subjects: Vec<&Subject> = summary.subjects().filter(|s| s.case == case).collect();
        if !subjects.is_empty() {
            text += &format!("\n## {}\n\n", case.name());
            text += &of_case(&subjects, summary);
        }
    }
    text
}

fn of_case(subjects: &[&Subject], summary: &Summary) -> String {
    let mut types = Vec::new();
    let mut sizes = Vec::new();
    for subject in subjects {
        push_new(&mut types, subject.item_type.as_str());
        push_new(&mut sizes, subject.n);
    }
    sizes.sort_unstable();
    let mut text = format!("| items | {} |\n", types.join(" | "));
    text += &format!("|---|{}\n", "---|".repeat(types.len()));
    for n in sizes {
        // Sizes are powers of two.
        let _ = write!(text, "| 2^{} |", n.ilog2());
        for item_type in &types {
            let is_it = |s: &&&Subject| s.n == n && s.item_type == *item_type;
            let cell = subjects
                .iter()
                .find(is_it)
                .map(|subject| cell(subject, summary));
            let _ = write!(text, " {} |", cell.unwrap_or_default());
        }
        text.push('\n');
    }
    text
}

fn cell(subject: &Subject, summary: &Summary) -> String {
    let Some(ours) = summary.micros(subject, Side::Warpfold) else {
        return String::new();
    };
    match summary.ratio(subject, Side::Cub) {
        Some(ratio) => format!("{:.1} ({:.2}×)", ours.median, ratio.median),
        None => format!("{:.1}", ours.median),
    }
}
