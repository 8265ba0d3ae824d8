//! Graphs: captured work, and executable graphs.
//!
//! A launch does the work of the nodes in the order in which they were captured. The dependencies of the nodes always allow this order. If
//! a call asks for the graph during the capture, the graph is made at once, and gets its nodes when the capture ends. Not modelled: editing
//! nodes, and graphs that are built without capture.

use crate::driver::abi::Handle;
use crate::driver::code::Outcome;
use crate::driver::objects::context::Ticket;
use crate::driver::objects::lock;
use crate::driver::objects::machine::Machine;
use crate::driver::objects::steps::{Step, steps};
use crate::driver::objects::user_object::{GraphReferences, UserObject};
use crate::driver::objects::work::Action;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

/// A piece of work in a graph.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) action: Action,
    /// The driver call that added the node.
    pub(crate) call: &'static str,
    /// The nodes that this node comes after, by index.
    pub(crate) after: BTreeSet<usize>,
}

/// A graph.
#[derive(Default)]
pub(crate) struct Graph {
    /// Empty while the graph is being captured.
    nodes: OnceLock<Vec<Node>>,
    /// The references that the graph holds to user objects.
    references: Mutex<Vec<GraphReferences>>,
    /// The handles of the nodes, made on demand.
    names: OnceLock<Vec<Handle<NodeName>>>,
}

/// The object that a node's handle names.
pub(crate) struct NodeName {
    /// The number that CUDA gives the node's type.
    pub(crate) node_type: i32,
}

/// A graph that can be launched.
pub(crate) struct ExecutableGraph {
    pub(crate) steps: Arc<[Step]>,
    /// The previous launch, in any stream. The next launch comes after it.
    pub(crate) last: Mutex<Option<Ticket>>,
}

impl Graph {
    /// Adds the nodes to the graph, when its capture ends.
    pub(crate) fn complete(&self, nodes: Vec<Node>) {
        self.nodes.get_or_init(|| nodes);
    }

    fn nodes(&self) -> &[Node] {
        self.nodes.get().map_or(&[], Vec::as_slice)
    }

    /// Makes an executable graph, which holds as many references to user objects as this graph.
    pub(crate) fn instantiate(&self) -> Outcome<ExecutableGraph> {
        let references = lock(&self.references);
        let references: Outcome<Vec<_>> =
            references.iter().map(GraphReferences::passed_on).collect();
        let references = references?;
        let mut nodes = self.nodes().to_vec();
        if !references.is_empty() {
            nodes.push(Node {
                action: Action::Hold(Arc::new(references)),
                call: "cuGraphInstantiate",
                after: BTreeSet::new(),
            });
        }
        Ok(ExecutableGraph {
            steps: steps(&nodes).into(),
            last: Mutex::default(),
        })
    }

    pub(crate) fn add_references(&self, references: GraphReferences) {
        lock(&self.references).push(references);
    }

    /// Removes and returns the graph's references to an object.
    pub(crate) fn take_references(&self, object: Handle<UserObject>) -> Vec<GraphReferences> {
        let mut references = lock(&self.references);
        references
            .extract_if(.., |some| some.are_to(object))
            .collect()
    }

    /// The handles of the nodes, in the order of capture. A graph that is still being captured has no such handles.
    pub(crate) fn names(&self, machine: &Machine) -> &[Handle<NodeName>] {
        let Some(nodes) = self.nodes.get() else {
            return &[];
        };
        self.names.get_or_init(|| {
            let name = |node: &Node| {
                machine.graph_nodes.insert(NodeName {
                    node_type: node_type(&node.action),
                })
            };
            nodes.iter().map(name).collect()
        })
    }

    /// The edges: pairs of nodes. The second node of a pair depends directly on the first.
    pub(crate) fn edges(&self, machine: &Machine) -> Vec<(Handle<NodeName>, Handle<NodeName>)> {
        let names = self.names(machine);
        let of_node = |(to, node): (usize, &Node)| {
            let after = node.after.clone();
            after.into_iter().map(move |from| (names[from], names[to]))
        };
        self.nodes().iter().enumerate().flat_map(of_node).collect()
    }

    /// Forgets the handles of the nodes.
    pub(crate) fn forget_names(&self, machine: &Machine) -> Outcome {
        for name in self.names.get().into_iter().flatten() {
            machine.graph_nodes.remove(*name)?;
        }
        Ok(())
    }
}

fn node_type(action: &Action) -> i32 {
    match action {
        Action::Kernel(_) => 0,
        Action::Copy(_) => 1,
        Action::Fill(_) => 2,
        Action::Host(_) => 3,
        Action::Graph(_) => 4,
        Action::Wait | Action::Record(_) | Action::Free(..) | Action::Hold(_) => 5,
    }
}
