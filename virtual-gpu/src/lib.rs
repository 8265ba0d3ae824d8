//! virtual-gpu
