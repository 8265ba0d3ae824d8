//! Ranks instructions: a loop comes as a whole before the code that follows it.
//!
//! A diverged warp runs as several fragments, which are groups of lanes. The fragment at the instruction with the lowest rank usually runs
//! first. So fragments that lag behind catch up at the end of a loop or of a conditional. Fragments reconverge where their paths meet.
//!
//! The basic blocks are sorted by strongly connected components, in topological order. If a component is a loop, its entry block comes
//! first. The rest of the component is sorted in the same way. A block is visited once, and at most once more for each loop around it. To
//! bound the time, blocks of deeply nested loops keep the order of the text; usual programs have no such loops.

use crate::program::{Instruction, Op};

/// In a loop at this depth of nesting, the blocks after the entry block keep the order of the text.
const MAX_NESTING: u32 = 64;

/// The rank of each instruction.
pub(super) fn ranks(graph: &Graph) -> Vec<u32> {
    let mut ranks = vec![0; graph.end];
    let mut next = 0;
    for block in graph.sorted() {
        for rank in &mut ranks[graph.extent(block)] {
            *rank = next;
            next += 1;
        }
    }
    ranks
}

fn targets(op: &Op) -> &[u32] {
    match op {
        Op::Branch { target } => std::slice::from_ref(target),
        Op::Switch { targets, .. } => targets,
        _ => &[],
    }
}

/// Whether an instruction ends a basic block: it may transfer control, it is `nanosleep`, or it synchronises lanes.
fn ends_block(op: &Op) -> bool {
    matches!(
        op,
        Op::Branch { .. } | Op::Switch { .. } | Op::Exit | Op::Trap | Op::Yield
    ) || meets(op)
}

/// Whether an instruction synchronises lanes. Fragments may be merged after it.
fn meets(op: &Op) -> bool {
    matches!(
        op,
        Op::Shuffle(_)
            | Op::Vote { .. }
            | Op::Ballot { .. }
            | Op::MatchAny { .. }
            | Op::MatchAll { .. }
            | Op::Reduce { .. }
            | Op::Elect { .. }
            | Op::WarpBarrier { .. }
            | Op::Barrier(_)
    )
}

/// For each instruction, whether it starts a basic block.
pub(super) fn leaders(code: &[Instruction]) -> Vec<bool> {
    let mut leaders = vec![false; code.len()];
    leaders[0] = true;
    for (pc, instruction) in code.iter().enumerate() {
        for &target in targets(&instruction.op) {
            leaders[target as usize] = true;
        }
        if ends_block(&instruction.op) && pc + 1 < code.len() {
            leaders[pc + 1] = true;
        }
    }
    leaders
}

/// The basic blocks, numbered in the order of the text.
pub(super) struct Graph {
    starts: Vec<usize>,
    end: usize,
    successors: Vec<Vec<usize>>,
}

impl Graph {
    pub(super) fn new(code: &[Instruction], leaders: &[bool]) -> Self {
        let starts: Vec<usize> = (0..code.len()).filter(|&pc| leaders[pc]).collect();
        let block_at = |pc: usize| starts.partition_point(|&start| start <= pc) - 1;
        let end = code.len();
        let last_of = |block: usize| starts.get(block + 1).copied().unwrap_or(end) - 1;
        let successors = (0..starts.len())
            .map(|block| {
                let last = last_of(block);
                let instruction = &code[last];
                let leaves = matches!(
                    instruction.op,
                    Op::Branch { .. } | Op::Switch { .. } | Op::Exit | Op::Trap
                );
                let unconditional = instruction.guard == crate::program::PredSource::TRUE;
                let mut next: Vec<usize> = Vec::new();
                if !(leaves && unconditional) && block + 1 < starts.len() {
                    next.push(block + 1);
                }
                next.extend(
                    targets(&instruction.op)
                        .iter()
                        .map(|&pc| block_at(pc as usize)),
                );
                next
            })
            .collect();
        Self {
            starts,
            end,
            successors,
        }
    }

    /// The number of basic blocks.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The blocks that may follow a block.
    pub(super) fn successors(&self, block: usize) -> &[usize] {
        &self.successors[block]
    }

    /// The instructions of a block.
    pub(super) fn extent(&self, block: usize) -> std::ops::Range<usize> {
        let end = self.starts.get(block + 1).copied().unwrap_or(self.end);
        self.starts[block]..end
    }

    /// The blocks, in the order that the head of this file describes.
    fn sorted(&self) -> Vec<usize> {
        let mut sorted = Vec::with_capacity(self.starts.len());
        // A stack of the parts of the graph that are still to be sorted.
        let mut work: Vec<Unsorted> = vec![Unsorted::Blocks((0..self.starts.len()).collect(), 0)];
        let mut part_of = vec![0; self.starts.len()];
        let mut part_count = 0;
        while let Some(part) = work.pop() {
            let (blocks, depth) = match part {
                Unsorted::Single(block) => {
                    sorted.push(block);
                    continue;
                }
                Unsorted::Blocks(blocks, MAX_NESTING) => {
                    sorted.extend(blocks);
                    continue;
                }
                Unsorted::Blocks(blocks, depth) => (blocks, depth),
            };
            part_count += 1;
            for &block in &blocks {
                part_of[block] = part_count;
            }
            // The components come in reverse order. So they are popped from the stack in forward order.
            for mut component in self.components(&blocks, &part_of, part_count) {
                // The entry is the block that was reached first. The search puts it last.
                let Some(entry) = component.pop() else {
                    continue;
                };
                if !component.is_empty() {
                    component.sort_unstable();
                    work.push(Unsorted::Blocks(component, depth + 1));
                }
                work.push(Unsorted::Single(entry));
            }
        }
        sorted
    }

    /// The strongly connected components of a part, by Tarjan's algorithm without recursion. Each
    /// component comes after its successors. Within a component, the block that was reached first is the last.
    fn components(&self, blocks: &[usize], part_of: &[u32], part: u32) -> Vec<Vec<usize>> {
        const UNSEEN: u32 = u32::MAX;
        let mut seen = std::collections::HashMap::new();
        let mut low: Vec<u32> = Vec::new();
        let mut closed: Vec<bool> = Vec::new();
        let mut open = Vec::new();
        let mut components = Vec::new();
        for &root in blocks {
            if seen.contains_key(&root) {
                continue;
            }
            let mut path = vec![(root, UNSEEN, 0)];
            while let Some((block, number, next)) = path.last_mut() {
                if *number == UNSEEN {
                    *number = low.len() as u32;
                    seen.insert(*block, *number);
                    low.push(*number);
                    closed.push(false);
                    open.push(*block);
                }
                let (block, number) = (*block, *number);
                if let Some(&successor) = self.successors[block].get(*next) {
                    *next += 1;
                    match seen.get(&successor) {
                        _ if part_of[successor] != part => {}
                        None => path.push((successor, UNSEEN, 0)),
                        Some(&other) if !closed[other as usize] => {
                            low[number as usize] = low[number as usize].min(other);
                        }
                        Some(_) => {}
                    }
                    continue;
                }
                path.pop();
                let lowest = low[number as usize];
                if let Some(&(_, parent, _)) = path.last() {
                    low[parent as usize] = low[parent as usize].min(lowest);
                }
                if lowest == number {
                    let mut component = Vec::new();
                    while let Some(member) = open.pop() {
                        closed[seen[&member] as usize] = true;
                        component.push(member);
                        if member == block {
                            break;
                        }
                    }
                    components.push(component);
                }
            }
        }
        components
    }
}

/// A part of the graph that is still to be sorted.
enum Unsorted {
    /// Unsorted blocks in the order of the text, and the number of loops around them.
    Blocks(Vec<usize>, u32),
    Single(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(successors: &[&[usize]]) -> Graph {
        Graph {
            starts: (0..successors.len()).collect(),
            end: successors.len(),
            successors: successors.iter().map(|s| s.to_vec()).collect(),
        }
    }

    #[test]
    fn a_loop_comes_before_the_blocks_after_it() {
        // Block 1 is the loop's head. In the first graph, block 2 is the loop's body, and block 3 follows the loop. In the second graph,
        // block 3 is the body, and block 2 follows.
        let sorted = graph(&[&[1], &[3, 2], &[1], &[]]).sorted();
        assert_eq!(sorted, [0, 1, 2, 3]);
        let sorted = graph(&[&[1], &[2, 3], &[], &[1]]).sorted();
        assert_eq!(sorted, [0, 1, 3, 2]);
    }

    #[test]
    fn nested_loops_stay_together() {
        // Block 1 is the outer loop's head, 2 and 3 are the inner loop, 4 ends the outer loop, and 5 comes after it.
        let sorted = graph(&[&[1], &[2], &[5, 3], &[2, 4], &[1, 5], &[]]).sorted();
        assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn both_sides_of_a_conditional_come_before_its_end() {
        let sorted = graph(&[&[3, 1], &[2], &[], &[2]]).sorted();
        assert_eq!(sorted.last(), Some(&2));
    }

    #[test]
    fn unreachable_blocks_are_sorted_too() {
        let mut sorted = graph(&[&[], &[2], &[1]]).sorted();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2]);
    }
}
