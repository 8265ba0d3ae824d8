//! The library's results, computed on the host in plain sequential Rust, bit for bit.

pub use crate::by_key::reference::*;
pub use crate::columns::reference::*;
pub use crate::segments::reference::*;
pub use crate::selection::reference::*;
pub use crate::whole::reference::*;
