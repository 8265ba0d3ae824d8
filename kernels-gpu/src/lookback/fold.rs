//! The prefix of a tile of a scan, folded from the values that the look-back has read. The *own group* is the group of the tile that looks
//! back.

use crate::board::NEIGHBOURS;
use crate::contract::{Tree, WARP_LANES};
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::{simt, warp};

use super::view::{for_each_neighbour, View};
use super::Lookback;

/// The values that a scan's look-back reads.
type Seen<'a, O, T> = View<'a, Lookback<<O as Op<T>>::Accumulator>>;

/// A complete view and the scan's initial value, from which the prefix is folded.
pub struct Fold<'a, O: Op<T>, T: Element> {
    pub view: Seen<'a, O, T>,
    pub initial: O::Accumulator,
}

impl<O: Op<T>, T: Element> Fold<'_, O, T> {
    /// Whether the values may be combined in any order: the operator is exact, and its [`Op::GROUP_TREE`] shows that it commutes.
    const IS_FREE: bool = O::EXACT && matches!(O::GROUP_TREE, Tree::Halves);

    /// On lane `l`, the aggregate of tile `l` of the own group. It is the identity if tile `l` is not below the tile that looks back.
    #[inline(always)]
    fn lower(&self) -> O::Accumulator {
        if self.view.has_lower() {
            self.view.tiles()[0]
        } else {
            O::identity()
        }
    }

    /// The aggregate of the own group, if the tile that looks back is the last of the group. The result is valid on lane 0.
    ///
    /// # Safety
    /// Convergent: the whole warp. The view is complete.
    #[inline(always)]
    pub unsafe fn own_group(&self) -> O::Accumulator {
        // SAFETY: the whole warp calls it: this function's condition.
        unsafe { warp::reduce_group::<O, T>(self.view.tiles()[0]) }
    }

    /// The prefix of the tile and, if the tile is the last of its group, the prefix of the next group. Both prefixes are valid on lane 0.
    ///
    /// # Safety
    /// Convergent: the whole warp. The view is complete.
    #[inline(always)]
    pub unsafe fn prefixes(&self) -> (O::Accumulator, O::Accumulator) {
        let mut next = O::identity();
        // SAFETY: the whole warp calls it (this function's condition), and `is_group_last` is the same on all lanes.
        unsafe {
            if Self::IS_FREE {
                let prefix = warp::reduce_group::<O, T>(self.share());
                if self.view.is_group_last() {
                    let own = warp::shuffle_from(self.view.tiles()[0], WARP_LANES - 1);
                    next = O::combine(prefix, own);
                }
                return (prefix, next);
            }
            let (group_prefix, lower) = self.fold();
            if self.view.is_group_last() {
                next = O::combine(group_prefix, self.own_group());
            }
            (O::combine(group_prefix, lower), next)
        }
    }

    /// The values that the lane has read for the tile's prefix, combined. Used only if [`Self::IS_FREE`].
    #[inline(always)]
    fn share(&self) -> O::Accumulator {
        let mut share = self.lower();
        if simt::lane() == self.view.distance() {
            share = O::combine(share, self.known_prefix());
        }
        for_each_neighbour!(K => {
            if K as u32 <= self.view.distance() {
                share = O::combine(share, self.view.tiles()[K]);
            }
        });
        share
    }

    /// The prefix that the lane has read. For group 0, whose prefix is not published, it is the scan's initial value.
    #[inline(always)]
    fn known_prefix(&self) -> O::Accumulator {
        self.view.prefix(self.initial)
    }

    /// The prefix of the own group, as a left fold, and the combined aggregates of the group's lower tiles. Both values are valid on lane
    /// 0.
    ///
    /// # Safety
    /// Convergent: the whole warp. The view is complete.
    #[inline(always)]
    unsafe fn fold(&self) -> (O::Accumulator, O::Accumulator) {
        let (values, distance) = (self.view.tiles(), self.view.distance());
        // SAFETY: the whole warp calls it (this function's condition), and `distance` is the same on all lanes.
        unsafe {
            let mut prefix = warp::shuffle_from(self.known_prefix(), distance);
            if distance == 0 {
                return (prefix, warp::reduce_group::<O, T>(self.lower()));
            }
            if O::Accumulator::IS_WIDE || matches!(O::GROUP_TREE, Tree::Neighbours) {
                for_each_neighbour!(K => {
                    const GROUP: usize = NEIGHBOURS + 1 - K;
                    let can_be_seen = GROUP as u32 <= Seen::<O, T>::NEIGHBOURS;
                    if can_be_seen && GROUP as u32 <= distance {
                        let aggregate = warp::reduce_group::<O, T>(values[GROUP]);
                        prefix = O::combine(prefix, aggregate);
                    }
                });
                return (prefix, warp::reduce_group::<O, T>(self.lower()));
            }
            let [_, a, b, c, d, e, f, g] = *values;
            let all = warp::reduce_eight::<O, T>([self.lower(), a, b, c, d, e, f, g]);
            for_each_neighbour!(K => {
                const GROUP: u32 = (NEIGHBOURS + 1 - K) as u32;
                let aggregate = warp::shuffle_from(all, warp::lane_of_eighth(GROUP));
                if GROUP <= distance {
                    prefix = O::combine(prefix, aggregate);
                }
            });
            (prefix, all)
        }
    }
}
