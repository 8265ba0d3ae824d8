//! What is done with the leaves and the nodes of longer chunks. On the way up they are folded, and on the way down placed.

use crate::element::Element;
use crate::op::Op;
use crate::segments::{Work, FAN};

use super::super::items::Room;
use super::super::leaves::{Leaf, Node};
use super::super::Launch;

/// A step for each leaf, or for each node. It is a trait, since not every compiler inlines a closure.
pub trait Step {
    /// Runs the step for a leaf of a chunk of several leaves.
    ///
    /// # Safety
    /// The leaf's items are written, and for [`Place`] its prefix. No other thread has the leaf.
    unsafe fn leaf<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        leaf: Leaf,
    );

    /// Runs the step for a node.
    ///
    /// # Safety
    /// The header and the values of the node's leaves are written, and for [`Place`] the prefixes of the tail and of the chunk's nodes. No
    /// other thread has the node.
    unsafe fn node<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        node: Node,
    );
}

/// The way up: values are folded.
pub struct Fold;

/// The way down: prefixes replace values, and results replace items.
pub struct Place;

impl Step for Fold {
    #[inline(always)]
    unsafe fn leaf<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        _work: &Work,
        room: Room<T, O::Accumulator>,
        leaf: Leaf,
    ) {
        let Leaf {
            begin, end, index, ..
        } = leaf;
        // SAFETY: the items are written, and no other thread has the leaf: this function's conditions. With `are_whole` it has 16 items,
        // and begins where a vector begins. Different leaves' values do not overlap, since their chunks have several leaves.
        unsafe {
            let value = match leaf.are_whole {
                true => launch.fold_whole_leaf(room, begin, index),
                false if Launch::<O, T>::READS_VECTORS && !leaf.are_short && !O::PAIRS_SIXTEENS => {
                    launch.fold_leaf(room, begin, end, index)
                }
                false => launch.fold_each(room, begin, end, index),
            };
            room.leaf(leaf.chunk.start, leaf.number).write(value);
        }
    }

    #[inline(always)]
    unsafe fn node<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        node: Node,
    ) {
        let chunk = node.chunk;
        // SAFETY: the header and the leaves' values are written, there is at least one, and no other thread has the node: this function's
        // conditions. So nobody else finishes its chunk, if the node is alone. Different nodes' values do not overlap.
        unsafe {
            if launch.is_unused(work, &node) {
                return;
            }
            let leaves = room.leaf(chunk.start, node.number * FAN);
            let value = launch.fold_some(leaves, node.leaf_count);
            match chunk.leaf_count() <= FAN {
                true => launch.finish(work, chunk.number, value),
                false => room.node(chunk.start, node.number).write(value),
            }
        }
    }
}

impl Step for Place {
    #[inline(always)]
    unsafe fn leaf<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        leaf: Leaf,
    ) {
        // SAFETY: the items and the leaf's prefix are written, and no other thread has the leaf: this function's conditions. With
        // `are_whole` the leaf has 16 items, and begins where a vector begins.
        unsafe {
            let before = room.leaf(leaf.chunk.start, leaf.number).read();
            match Launch::<O, T>::HAS_VECTORS && leaf.are_whole {
                true => launch.place_whole_leaf(room, &leaf, before),
                false => launch.place_each(work, room, &leaf, before),
            }
        }
    }

    #[inline(always)]
    unsafe fn node<O: Op<T>, T: Element>(
        launch: &Launch<O, T>,
        work: &Work,
        room: Room<T, O::Accumulator>,
        node: Node,
    ) {
        let chunk = node.chunk;
        // SAFETY: the prefixes, the header and the leaves' values are written, there is at least one leaf, and no other thread uses their
        // values: this function's conditions.
        unsafe {
            let before = match chunk.leaf_count() <= FAN {
                true => launch.before_chunk(work, chunk.number),
                false => room.node(chunk.start, node.number).read(),
            };
            let leaves = room.leaf(chunk.start, node.number * FAN);
            launch.place_values(leaves, node.leaf_count, before);
        }
    }
}
