//! Special registers.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Tid(usize),
    Ntid(usize),
    Ctaid(usize),
    Nctaid(usize),
    Lane,
    Warp,
    WarpCount,
    Multiprocessor,
    MultiprocessorCount,
    GridId,
    /// The upper half of the address of the grid's workspace.
    WorkspaceHigh,
    /// The lower half of the address of the grid's workspace.
    WorkspaceLow,
    LanemaskEq,
    LanemaskLt,
    LanemaskLe,
    LanemaskGt,
    LanemaskGe,
    Clock,
    ClockHigh,
    Clock64,
    GlobalTimer,
    GlobalTimerLow,
    GlobalTimerHigh,
    DynamicSharedBytes,
    TotalSharedBytes,
    /// A special register that always has this value on the virtual device.
    Fixed(u32),
}
