//! The steps of an executable graph: its nodes, with child graphs expanded, and their order.
//!
//! The nodes are divided into chains. Each node of a chain has a place: its number in the chain, counted from 1. Each node of a chain comes
//! after the previous node of the chain. A new node is added to a chain whose last node comes before the new node. If there is no such
//! chain, the new node begins a new chain. So the nodes captured from one stream usually form one chain, and a graph captured from several
//! streams has few chains. A child graph adds its own chains. The order is recorded in clocks: for each chain, a node's [`Clock`] has the
//! place of the last node that comes before the node.

use crate::checks::{Clock, NodePlace};
use crate::driver::objects::graph::Node;
use crate::driver::objects::work::Action;
use std::sync::Arc;

/// A node of an executable graph.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) action: Action,
    /// The driver call that added the node.
    pub(crate) call: &'static str,
    pub(crate) place: NodePlace,
}

#[derive(Default)]
struct Steps {
    all: Vec<Step>,
    /// The place of the last node of each chain.
    chains: Vec<u64>,
}

/// Makes the steps of an executable graph from the nodes of a graph. In `nodes`, each node stands after all nodes that it depends on.
pub(super) fn steps(nodes: &[Node]) -> Vec<Step> {
    let mut steps = Steps::default();
    // For each node handled so far, a clock that covers the node and all nodes before it.
    let mut known: Vec<Clock> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut before = Clock::default();
        let earlier = node.after.iter().filter_map(|&index| known.get(index));
        earlier.for_each(|earlier| before.join(earlier));
        known.push(match &node.action {
            Action::Graph(inner) => steps.add_all(inner, &before),
            action => steps.add(action.clone(), node.call, before),
        });
    }
    steps.all
}

impl Steps {
    /// Adds a node. Returns a clock that covers the node and all nodes before it.
    fn add(&mut self, action: Action, call: &'static str, before: Clock) -> Clock {
        let is_last = |(chain, place): &(u64, u64)| self.chains.get(*chain as usize) == Some(place);
        let (chain, place) = match before.times().find(is_last) {
            Some((chain, last)) => (chain, last + 1),
            None => {
                self.chains.push(0);
                (self.chains.len() as u64 - 1, 1)
            }
        };
        self.chains[chain as usize] = place;
        let mut known = before.clone();
        known.learn(chain, place);
        let before = Arc::new(before);
        self.all.push(Step {
            action,
            call,
            place: NodePlace {
                chain,
                place,
                before,
            },
        });
        known
    }

    /// Adds the nodes of a child graph. Returns a clock that covers these nodes and all nodes before them.
    fn add_all(&mut self, inner: &[Step], before: &Clock) -> Clock {
        let first = self.chains.len() as u64;
        let mut all = before.clone();
        for step in inner {
            let NodePlace {
                chain,
                place,
                before: inside,
            } = &step.place;
            let mut known = before.clone();
            for (chain, place) in inside.times() {
                known.learn(first + chain, place);
            }
            let chain = first + chain;
            if self.chains.len() as u64 <= chain {
                self.chains.resize(chain as usize + 1, 0);
            }
            self.chains[chain as usize] = *place;
            all.learn(chain, *place);
            self.all.push(Step {
                place: NodePlace {
                    chain,
                    place: *place,
                    before: Arc::new(known),
                },
                ..step.clone()
            });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(action: Action, after: &[usize]) -> Node {
        Node {
            action,
            call: "a call",
            after: after.iter().copied().collect(),
        }
    }

    /// For each step, the indices of the steps that come before it.
    fn before(steps: &[Step]) -> Vec<Vec<usize>> {
        let of_step = |step: &Step| {
            let comes_before = |other: &Step| {
                let place = &other.place;
                step.place.before.covers(place.chain, place.place)
            };
            let earlier = steps.iter().enumerate();
            earlier
                .filter_map(|(index, other)| comes_before(other).then_some(index))
                .collect()
        };
        steps.iter().map(of_step).collect()
    }

    fn chains(steps: &[Step]) -> u64 {
        steps
            .iter()
            .map(|step| step.place.chain + 1)
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn order_is_transitive_and_repeated_forks_reuse_chains() {
        let mut nodes = vec![node(Action::Wait, &[])];
        for fork in 0..20 {
            let last = 3 * fork;
            nodes.push(node(Action::Wait, &[last]));
            nodes.push(node(Action::Wait, &[last]));
            nodes.push(node(Action::Wait, &[last + 1, last + 2]));
        }
        let steps = steps(&nodes);
        assert_eq!(chains(&steps), 2);
        let before = before(&steps);
        for (index, earlier) in before.iter().enumerate() {
            let twin = match index % 3 {
                1 => Some(index + 1),
                2 => Some(index - 1),
                _ => None,
            };
            let expected: Vec<usize> = (0..index).filter(|other| Some(*other) != twin).collect();
            assert_eq!(*earlier, expected);
        }
    }

    #[test]
    fn a_child_graph_keeps_its_edges() {
        let inner = steps(&[
            node(Action::Wait, &[]),
            node(Action::Wait, &[]),
            node(Action::Wait, &[1]),
        ]);
        let outer = steps(&[
            node(Action::Wait, &[]),
            node(Action::Graph(inner.into()), &[0]),
            node(Action::Wait, &[1]),
            node(Action::Wait, &[0]),
        ]);
        let expected: [&[usize]; 6] = [&[], &[0], &[0], &[0, 2], &[0, 1, 2, 3], &[0]];
        assert_eq!(before(&outer), expected);
    }
}
