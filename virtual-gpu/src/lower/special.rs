//! The names of special registers.

use crate::program::Special;

/// A special register by name, and its width in bits.
pub(super) fn parse(name: &str) -> Option<(Special, u32)> {
    let (stem, axis) = match name.split_once('.') {
        None => (name, None),
        Some((stem, axis)) => (stem, Some(["x", "y", "z"].iter().position(|a| *a == axis)?)),
    };
    if let Some(axis) = axis {
        let which = match stem {
            "%tid" => Special::Tid(axis),
            "%ntid" => Special::Ntid(axis),
            "%ctaid" => Special::Ctaid(axis),
            "%nctaid" => Special::Nctaid(axis),
            // Without clusters, every block counts as a cluster of one block.
            "%clusterid" => Special::Ctaid(axis),
            "%nclusterid" => Special::Nctaid(axis),
            "%cluster_ctaid" => Special::Fixed(0),
            "%cluster_nctaid" => Special::Fixed(1),
            _ => return None,
        };
        return Some((which, 32));
    }
    Some(match stem {
        "%laneid" => (Special::Lane, 32),
        "%warpid" => (Special::Warp, 32),
        "%nwarpid" => (Special::WarpCount, 32),
        "%smid" => (Special::Multiprocessor, 32),
        "%nsmid" => (Special::MultiprocessorCount, 32),
        "%gridid" => (Special::GridId, 64),
        "%envreg1" => (Special::WorkspaceHigh, 32),
        "%envreg2" => (Special::WorkspaceLow, 32),
        "%lanemask_eq" => (Special::LanemaskEq, 32),
        "%lanemask_lt" => (Special::LanemaskLt, 32),
        "%lanemask_le" => (Special::LanemaskLe, 32),
        "%lanemask_gt" => (Special::LanemaskGt, 32),
        "%lanemask_ge" => (Special::LanemaskGe, 32),
        "%clock" => (Special::Clock, 32),
        "%clock_hi" => (Special::ClockHigh, 32),
        "%clock64" => (Special::Clock64, 64),
        "%globaltimer" => (Special::GlobalTimer, 64),
        "%globaltimer_lo" => (Special::GlobalTimerLow, 32),
        "%globaltimer_hi" => (Special::GlobalTimerHigh, 32),
        "%dynamic_smem_size" => (Special::DynamicSharedBytes, 32),
        "%total_smem_size" => (Special::TotalSharedBytes, 32),
        "%cluster_ctarank" => (Special::Fixed(0), 32),
        "%cluster_nctarank" => (Special::Fixed(1), 32),
        "WARP_SZ" => (Special::Fixed(32), 32),
        "%aggr_smem_size" => (Special::TotalSharedBytes, 32),
        // These are always 0 on the virtual device: it reserves no shared memory, and kernels do not see their graph.
        "%reserved_smem_offset_begin" | "%reserved_smem_offset_end" => (Special::Fixed(0), 32),
        "%current_graph_exec" => (Special::Fixed(0), 64),
        _ => numbered(stem)?,
    })
}

/// Performance counters, and driver-defined registers other than `%envreg1` and `%envreg2`. All are 0 on the virtual device.
fn numbered(name: &str) -> Option<(Special, u32)> {
    let (number, bits) = match (name.strip_prefix("%pm"), name.strip_prefix("%envreg")) {
        (Some(number), _) => (number.strip_suffix("_64").unwrap_or(number), 8),
        (_, Some(number)) => (number, 32),
        _ => return None,
    };
    let is_there = number.parse::<u32>().is_ok_and(|number| number < bits);
    let width = if name.ends_with("_64") { 64 } else { 32 };
    is_there.then_some((Special::Fixed(0), width))
}
