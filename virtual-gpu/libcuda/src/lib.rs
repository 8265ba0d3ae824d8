#![doc = include_str!("../README.md")]

use virtual_gpu as _;
