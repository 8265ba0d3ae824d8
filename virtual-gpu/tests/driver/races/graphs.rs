//! Races among the nodes of graphs, and between launches of graphs.

use super::*;

const RELAXED: i32 = 2;

/// A graph of a fill in stream A, and of a kernel in stream B that reads the filled words. If B joins the capture after the fill, there is
/// an edge from the fill to the kernel. If B joins the capture before the fill, there is no edge.
fn graph(bed: &Bed, has_edge: bool) -> usize {
    let joined = event();
    assert_eq!(cuStreamBeginCapture_v2(bed.a, RELAXED), 0);
    if !has_edge {
        bed.a_before_b();
    }
    bed.fill(bed.a);
    if has_edge {
        bed.a_before_b();
    }
    bed.get(bed.b);
    assert_eq!(cuEventRecord(joined, bed.b), 0);
    assert_eq!(cuStreamWaitEvent(bed.a, joined, 0), 0);
    end_with_graph(bed.a)
}

fn launch_graph(executable: usize, stream: usize) {
    assert_eq!(cuGraphLaunch(executable, stream), 0);
}

#[test]
fn nodes_are_ordered_by_edges_alone() {
    if only_on_virtual_devices() {
        return;
    }
    let run = |has_edge: bool| {
        race_in(NON_BLOCKING, |bed| {
            launch_graph(instantiate(graph(bed, has_edge)), bed.a);
        })
    };
    assert_eq!(run(true), None);
    let race = run(false).expect("a race");
    let sides = [&race.earlier, &race.later].map(|side| name(&side.by));
    assert_eq!(sides, ["cuMemsetD32Async", "get"], "{race}");
    assert_eq!(race.earlier.stream, race.later.stream);
}

#[test]
fn a_graph_launch_is_ordered_like_other_work() {
    if only_on_virtual_devices() {
        return;
    }
    let beside = |is_ordered: bool| {
        races(|bed| {
            let executable = instantiate(graph(bed, true));
            bed.set(bed.a);
            launch_graph(executable, bed.a);
            bed.set(bed.a);
            if is_ordered {
                bed.a_before_b();
            }
            bed.get(bed.b);
        })
    };
    assert!(!beside(true));
    assert!(beside(false));
    assert!(races(|bed| {
        bed.set(bed.b);
        launch_graph(instantiate(graph(bed, true)), bed.a);
    }));
}

/// Launches of one executable graph are ordered, even if they are in two streams. Launches of two executable graphs in two streams are not
/// ordered, even if both were made from one graph.
#[test]
fn two_launches_of_one_executable_graph_are_ordered() {
    if only_on_virtual_devices() {
        return;
    }
    let twice = |executables: usize| {
        races(|bed| {
            let graph = graph(bed, true);
            let first = instantiate(graph);
            let second = match executables {
                1 => first,
                _ => instantiate(graph),
            };
            launch_graph(first, bed.a);
            launch_graph(second, bed.b);
        })
    };
    assert!(!twice(1));
    assert!(twice(2));
}

#[test]
fn a_graph_in_a_graph_is_compared_node_by_node() {
    if only_on_virtual_devices() {
        return;
    }
    let nested = |is_after: bool| {
        races(|bed| {
            let inner = instantiate(graph(bed, true));
            assert_eq!(cuStreamBeginCapture_v2(bed.a, RELAXED), 0);
            if !is_after {
                bed.a_before_b();
            }
            launch_graph(inner, bed.a);
            if is_after {
                bed.a_before_b();
            }
            bed.set(bed.b);
            let joined = event();
            assert_eq!(cuEventRecord(joined, bed.b), 0);
            assert_eq!(cuStreamWaitEvent(bed.a, joined, 0), 0);
            let outer = instantiate(end_with_graph(bed.a));
            launch_graph(outer, bed.a);
        })
    };
    assert!(!nested(true));
    assert!(nested(false));
}
