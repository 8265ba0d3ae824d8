//! Whether a function comes to an end.

use std::collections::HashMap;

use warpfold_ptx::statement::{Instruction, Statement};

/// Whether the function can reach a statement from which no path leads to the function's end.
pub fn is_endless(body: &[Statement]) -> bool {
    let labels: HashMap<&str, usize> = body
        .iter()
        .enumerate()
        .filter_map(|(at, statement)| match statement {
            Statement::Label(label) => Some((label.as_str(), at)),
            _ => None,
        })
        .collect();
    let successors: Vec<Vec<usize>> = (0..body.len())
        .map(|at| successors(body, at, &labels))
        .collect();
    let reached = flood(&successors, [0]);
    let mut predecessors = vec![Vec::new(); body.len() + 1];
    for (at, successors) in successors.iter().enumerate() {
        for &next in successors {
            predecessors[next].push(at);
        }
    }
    let ending = flood(&predecessors, [body.len()]);
    (0..body.len()).any(|at| reached[at] && !ending[at])
}

/// The statements that can follow the one at `at`. The body's length stands for the function's end.
fn successors(body: &[Statement], at: usize, labels: &HashMap<&str, usize>) -> Vec<usize> {
    let Statement::Instruction(instruction) = &body[at] else {
        return vec![at + 1];
    };
    let mut successors = Vec::new();
    if instruction.guard.is_some() || !leaves(instruction) {
        successors.push(at + 1);
    }
    match instruction.branch_target() {
        Some(target) => successors.extend(labels.get(target)),
        None if leaves(instruction) => successors.push(body.len()),
        None => {}
    }
    successors
}

/// Whether the instruction, when it is executed, never passes control to the next statement.
fn leaves(instruction: &Instruction) -> bool {
    matches!(instruction.operation(), "bra" | "ret" | "exit" | "trap")
}

/// The statements that can be reached along the edges.
fn flood(edges: &[Vec<usize>], from: [usize; 1]) -> Vec<bool> {
    let mut reached = vec![false; edges.len() + 1];
    let mut waiting = from.to_vec();
    while let Some(at) = waiting.pop() {
        if !std::mem::replace(&mut reached[at], true)
            && let Some(next) = edges.get(at)
        {
            waiting.extend(next);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpfold_ptx::statement::parse;

    #[test]
    fn a_loop_without_an_exit_is_endless() {
        let is_endless = |text| is_endless(&parse(text).unwrap());
        assert!(!is_endless("mov.b32 %r1, 2; ret;"));
        assert!(!is_endless("$L_1: add %r1, %r1, 1; @%p1 bra $L_1; ret;"));
        assert!(!is_endless("$L_1: @%p1 bra $L_2; bra.uni $L_1; $L_2: ret;"));
        assert!(!is_endless("bra $L_2; $L_1: bra.uni $L_1; $L_2: ret;"));
        assert!(is_endless("$L_1: bra.uni $L_1;"));
        assert!(is_endless(
            "@%p1 bra $L_1; ret; $L_1: add %r1, %r1, 1; bra.uni $L_1;"
        ));
    }
}
