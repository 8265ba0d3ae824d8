//! Operands of loads, stores, atomic operations and fences.

use super::{Modify, Reg};

/// The memory space of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AddressSpace {
    Generic,
    Global,
    /// Constants, which lie in global memory.
    Constant,
    Shared,
    Local,
    /// Parameters of a call. They lie in local memory.
    CallParam,
    /// Parameters of the kernel.
    KernelParam,
}

/// How strongly an access is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strength {
    Weak,
    /// Weak, and only for bytes that nothing writes while the grid runs.
    ReadOnly,
    Volatile,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

/// The accesses that a fence orders: later accesses, earlier accesses, or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Acquire,
    Release,
    Both,
}

/// The threads among which an order holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    Block,
    Device,
    System,
}

/// Where an access goes, and how it is ordered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub space: AddressSpace,
    pub base: Option<Reg>,
    pub offset: i64,
    pub strength: Strength,
    pub scope: Scope,
}

/// How a loaded value fills its register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extend {
    Zero,
    /// Sign-extended to this number of bits.
    SignTo(u32),
}

/// A load or a store of `count` elements of `width` bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transfer {
    pub address: Address,
    pub width: u32,
    pub count: u32,
    pub extend: Extend,
    pub data: [Reg; 4],
}

/// An atomic operation on up to 8 bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Atomic {
    pub address: Address,
    pub width: u32,
    /// The function that computes the new value in global memory.
    pub modify: Modify,
    /// The function that computes the new value in the other spaces.
    pub modify_shared: Modify,
    /// Absent for `red`.
    pub d: Option<Reg>,
    pub b: Reg,
    pub c: Reg,
}

/// An atomic operation on 16 bytes: exchange, or compare and swap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange {
    pub address: Address,
    pub d: [Reg; 2],
    /// The value to store.
    pub new: [Reg; 2],
    /// The expected value of a compare and swap. Absent for an exchange.
    pub expected: Option<[Reg; 2]>,
    pub scratch: [Reg; 2],
}
