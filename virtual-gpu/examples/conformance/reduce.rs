//! Shortens a kernel on which two machines disagree. They disagree on the shortened kernel too.

use crate::suite::kernel::Statement;

/// A change to a statement.
#[derive(Debug, Clone, Copy)]
enum Change {
    Remove,
    /// Replace the statement by its contents.
    Unwrap,
}

/// Removes or unwraps statements, from the last to the first. A change is kept only if `shows` returns true for the changed kernel.
pub fn reduce(
    mut statements: Vec<Statement>,
    mut shows: impl FnMut(&[Statement]) -> bool,
) -> Vec<Statement> {
    loop {
        let mut smaller = false;
        for change in [Change::Remove, Change::Unwrap] {
            let mut position = count(&statements);
            while position > 0 {
                position -= 1;
                let mut candidate = statements.clone();
                let changed = apply(&mut candidate, &mut { position }, change);
                if changed && shows(&candidate) {
                    statements = candidate;
                    smaller = true;
                    position = position.min(count(&statements));
                }
            }
        }
        if !smaller {
            return statements;
        }
    }
}

/// The number of statements, including nested statements.
pub fn count(statements: &[Statement]) -> usize {
    let within = |s: &Statement| s.children().into_iter().map(|c| count(c)).sum::<usize>();
    statements.iter().map(|s| 1 + within(s)).sum()
}

/// Changes the statement with the number `position`. The statements are numbered from 0, nested statements directly after the statement
/// that contains them. Returns whether a statement was changed.
fn apply(statements: &mut Vec<Statement>, position: &mut usize, change: Change) -> bool {
    for index in 0..statements.len() {
        if *position == 0 {
            return change_at(statements, index, change);
        }
        *position -= 1;
        for child in statements[index].children_mut() {
            let before = *position;
            if before < count(child) {
                return apply(child, position, change);
            }
            *position -= count(child);
        }
    }
    false
}

fn change_at(statements: &mut Vec<Statement>, index: usize, change: Change) -> bool {
    match change {
        Change::Remove => {
            statements.remove(index);
            true
        }
        Change::Unwrap => {
            let within: Vec<Statement> = statements[index]
                .children()
                .into_iter()
                .flatten()
                .cloned()
                .collect();
            let is_branch = !within.is_empty();
            if is_branch {
                statements.splice(index..=index, within);
            }
            is_branch
        }
    }
}
