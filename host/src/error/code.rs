//! The driver's result codes: their names, and which of the codes end a context.
//!
//! The names are in a table in this file. The driver is not asked for them. So an error prints its code's name even where no driver is
//! installed. A code that the table lacks is printed as a number.

use std::fmt;

/// A result code of the CUDA driver (`CUresult`), kept raw: newer drivers may return codes that this library does not know.
///
/// ```
/// use warpfold::DriverCode;
///
/// let code = DriverCode(700);
/// assert_eq!(code.to_string(), "700 (CUDA_ERROR_ILLEGAL_ADDRESS)");
/// assert!(code.is_sticky());
/// assert_eq!(DriverCode(-1).name(), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DriverCode(pub i32);

impl DriverCode {
    pub(crate) const OUT_OF_MEMORY: Self = Self(2);
    pub(crate) const INVALID_DEVICE: Self = Self(101);
    pub(crate) const INVALID_PTX: Self = Self(218);
    pub(crate) const UNSUPPORTED_PTX_VERSION: Self = Self(222);
    pub(crate) const CONTEXT_IS_DESTROYED: Self = Self(709);
    #[cfg(feature = "nccl")]
    pub(crate) const NOT_READY: Self = Self(600);
    pub(crate) const STREAM_CAPTURE_INVALIDATED: Self = Self(901);
    pub(crate) const STREAM_CAPTURE_IMPLICIT: Self = Self(906);

    /// The code's name in `cuda.h`, if this library knows it.
    ///
    /// ```
    /// assert_eq!(warpfold::DriverCode(700).name(), Some("CUDA_ERROR_ILLEGAL_ADDRESS"));
    /// assert_eq!(warpfold::DriverCode(-1).name(), None);
    /// ```
    pub fn name(self) -> Option<&'static str> {
        NAMES
            .binary_search_by_key(&self.0, |&(code, _)| code)
            .ok()
            .map(|index| NAMES[index].1)
    }

    /// Whether the code means that the context is lost, with its memory and all results. The driver then returns the code from every later
    /// call in the context.
    ///
    /// The sticky codes are the following. For 226, 700, 702, 714 to 719 and 721, `cuda.h` says that the process is in an inconsistent
    /// state. After 710 (a failed assertion), the context cannot be used. After 810, the process must be restarted. 709 means that the
    /// context was destroyed or reset. 214 and 220 are uncorrectable errors of the hardware. 911 is sticky only if it is reported for
    /// earlier queued work; this library always counts it as sticky.
    ///
    /// ```
    /// // An illegal address, and too little memory.
    /// assert!(warpfold::DriverCode(700).is_sticky());
    /// assert!(!warpfold::DriverCode(2).is_sticky());
    /// ```
    pub fn is_sticky(self) -> bool {
        matches!(
            self.0,
            214 | 220 | 226 | 700 | 702 | 709 | 710 | 714..=719 | 721 | 810 | 911
        )
    }

    /// Whether the driver refused a kernel's text because it is an invalid image, an image for other devices, invalid PTX, PTX of an
    /// unknown version, or an invalid source.
    #[cfg(feature = "cust")]
    pub(crate) fn is_of_text(self) -> bool {
        matches!(self.0, 200 | 209 | 218 | 222 | 300)
    }
}

impl fmt::Display for DriverCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} ({name})", self.0),
            None => write!(f, "{} (a code unknown to warpfold)", self.0),
        }
    }
}

impl fmt::Debug for DriverCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DriverCode({self})")
    }
}

/// Codes and names of CUDA 13.5's `cuda.h`, in ascending order.
const NAMES: &[(i32, &str)] = &[
    (0, "CUDA_SUCCESS"),
    (1, "CUDA_ERROR_INVALID_VALUE"),
    (2, "CUDA_ERROR_OUT_OF_MEMORY"),
    (3, "CUDA_ERROR_NOT_INITIALIZED"),
    (4, "CUDA_ERROR_DEINITIALIZED"),
    (5, "CUDA_ERROR_PROFILER_DISABLED"),
    (6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED"),
    (7, "CUDA_ERROR_PROFILER_ALREADY_STARTED"),
    (8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED"),
    (34, "CUDA_ERROR_STUB_LIBRARY"),
    (36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER"),
    (46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),
    (47, "CUDA_ERROR_MULTICAST_RESOURCE_FULL"),
    (100, "CUDA_ERROR_NO_DEVICE"),
    (101, "CUDA_ERROR_INVALID_DEVICE"),
    (102, "CUDA_ERROR_DEVICE_NOT_LICENSED"),
    (200, "CUDA_ERROR_INVALID_IMAGE"),
    (201, "CUDA_ERROR_INVALID_CONTEXT"),
    (202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT"),
    (205, "CUDA_ERROR_MAP_FAILED"),
    (206, "CUDA_ERROR_UNMAP_FAILED"),
    (207, "CUDA_ERROR_ARRAY_IS_MAPPED"),
    (208, "CUDA_ERROR_ALREADY_MAPPED"),
    (209, "CUDA_ERROR_NO_BINARY_FOR_GPU"),
    (210, "CUDA_ERROR_ALREADY_ACQUIRED"),
    (211, "CUDA_ERROR_NOT_MAPPED"),
    (212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY"),
    (213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER"),
    (214, "CUDA_ERROR_ECC_UNCORRECTABLE"),
    (215, "CUDA_ERROR_UNSUPPORTED_LIMIT"),
    (216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"),
    (217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED"),
    (218, "CUDA_ERROR_INVALID_PTX"),
    (219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT"),
    (220, "CUDA_ERROR_NVLINK_UNCORRECTABLE"),
    (221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND"),
    (222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
    (223, "CUDA_ERROR_JIT_COMPILATION_DISABLED"),
    (224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY"),
    (225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"),
    (226, "CUDA_ERROR_CONTAINED"),
    (227, "CUDA_ERROR_INSUFFICIENT_LOADER_VERSION"),
    (300, "CUDA_ERROR_INVALID_SOURCE"),
    (301, "CUDA_ERROR_FILE_NOT_FOUND"),
    (302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND"),
    (303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"),
    (304, "CUDA_ERROR_OPERATING_SYSTEM"),
    (400, "CUDA_ERROR_INVALID_HANDLE"),
    (401, "CUDA_ERROR_ILLEGAL_STATE"),
    (402, "CUDA_ERROR_LOSSY_QUERY"),
    (500, "CUDA_ERROR_NOT_FOUND"),
    (600, "CUDA_ERROR_NOT_READY"),
    (700, "CUDA_ERROR_ILLEGAL_ADDRESS"),
    (701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"),
    (702, "CUDA_ERROR_LAUNCH_TIMEOUT"),
    (703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING"),
    (704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED"),
    (705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED"),
    (708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"),
    (709, "CUDA_ERROR_CONTEXT_IS_DESTROYED"),
    (710, "CUDA_ERROR_ASSERT"),
    (711, "CUDA_ERROR_TOO_MANY_PEERS"),
    (712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"),
    (713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED"),
    (714, "CUDA_ERROR_HARDWARE_STACK_ERROR"),
    (715, "CUDA_ERROR_ILLEGAL_INSTRUCTION"),
    (716, "CUDA_ERROR_MISALIGNED_ADDRESS"),
    (717, "CUDA_ERROR_INVALID_ADDRESS_SPACE"),
    (718, "CUDA_ERROR_INVALID_PC"),
    (719, "CUDA_ERROR_LAUNCH_FAILED"),
    (720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE"),
    (721, "CUDA_ERROR_TENSOR_MEMORY_LEAK"),
    (800, "CUDA_ERROR_NOT_PERMITTED"),
    (801, "CUDA_ERROR_NOT_SUPPORTED"),
    (802, "CUDA_ERROR_SYSTEM_NOT_READY"),
    (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
    (804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
    (805, "CUDA_ERROR_MPS_CONNECTION_FAILED"),
    (806, "CUDA_ERROR_MPS_RPC_FAILURE"),
    (807, "CUDA_ERROR_MPS_SERVER_NOT_READY"),
    (808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED"),
    (809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED"),
    (810, "CUDA_ERROR_MPS_CLIENT_TERMINATED"),
    (811, "CUDA_ERROR_CDP_NOT_SUPPORTED"),
    (812, "CUDA_ERROR_CDP_VERSION_MISMATCH"),
    (900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"),
    (901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"),
    (902, "CUDA_ERROR_STREAM_CAPTURE_MERGE"),
    (903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED"),
    (904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"),
    (905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION"),
    (906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"),
    (907, "CUDA_ERROR_CAPTURED_EVENT"),
    (908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"),
    (909, "CUDA_ERROR_TIMEOUT"),
    (910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE"),
    (911, "CUDA_ERROR_EXTERNAL_DEVICE"),
    (912, "CUDA_ERROR_INVALID_CLUSTER_SIZE"),
    (913, "CUDA_ERROR_FUNCTION_NOT_LOADED"),
    (914, "CUDA_ERROR_INVALID_RESOURCE_TYPE"),
    (915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION"),
    (916, "CUDA_ERROR_KEY_ROTATION"),
    (917, "CUDA_ERROR_STREAM_DETACHED"),
    (918, "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE"),
    (919, "CUDA_ERROR_FABRIC_NOT_READY"),
    (999, "CUDA_ERROR_UNKNOWN"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_found() {
        assert!(NAMES.is_sorted_by(|a, b| a.0 < b.0));
        for &(code, name) in NAMES {
            assert_eq!(DriverCode(code).name(), Some(name));
        }
        assert_eq!(
            DriverCode(700).to_string(),
            "700 (CUDA_ERROR_ILLEGAL_ADDRESS)"
        );
        assert_eq!(
            DriverCode(-1).to_string(),
            "-1 (a code unknown to warpfold)"
        );
    }

    #[test]
    fn only_the_loss_of_a_context_is_sticky() {
        let sticky = [
            214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911,
        ];
        for code in sticky {
            assert!(DriverCode(code).is_sticky(), "{code}");
            assert!(DriverCode(code).name().is_some(), "{code}");
        }
        for code in [
            0, 1, 2, 4, 100, 201, 209, 218, 225, 400, 701, 703, 708, 711, 720, 801, 811, 900, 910,
            912, 999, 1000, -1,
        ] {
            assert!(!DriverCode(code).is_sticky(), "{code}");
        }
    }
}
