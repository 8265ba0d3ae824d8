//! Copies of many rows, in one plane or in several. CUDA arrays are not modelled.

use crate::driver::abi::{Handle, HostPointer, In};
use crate::driver::calls::copy::{device, later, now, place};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::copy::{Copy, End, Extent3, Location, Pitch};
use crate::driver::objects::stream::Stream;

const HOST: i32 = 1;
const DEVICE: i32 = 2;
const ARRAY: i32 = 3;
const UNIFIED: i32 = 4;

/// `CUDA_MEMCPY2D`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Plane {
    from: PlaneSide,
    to: PlaneSide,
    width_bytes: usize,
    rows: usize,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct PlaneSide {
    x_bytes: usize,
    y: usize,
    memory_type: i32,
    host: HostPointer,
    device: u64,
    array: HostPointer,
    pitch: usize,
}

/// `CUDA_MEMCPY3D`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Planes {
    from: PlanesSide,
    to: PlanesSide,
    width_bytes: usize,
    rows: usize,
    planes: usize,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct PlanesSide {
    x_bytes: usize,
    y: usize,
    z: usize,
    level: usize,
    memory_type: i32,
    host: HostPointer,
    device: u64,
    array: HostPointer,
    reserved: HostPointer,
    pitch: usize,
    rows: usize,
}

/// One side of a copy of rows.
struct Side {
    memory_type: i32,
    host: HostPointer,
    device: u64,
    /// The bytes, rows and planes to skip before the first copied byte.
    origin: [usize; 3],
    pitch: Pitch,
}

pub(crate) fn copy_plane(plane: In<Plane>) -> Outcome {
    now(plane.read()?.copy()?)
}

pub(crate) fn copy_plane_async(plane: In<Plane>, stream: Handle<Stream>) -> Outcome {
    later(plane.read()?.copy()?, stream)
}

pub(crate) fn copy_planes(planes: In<Planes>) -> Outcome {
    now(planes.read()?.copy()?)
}

pub(crate) fn copy_planes_async(planes: In<Planes>, stream: Handle<Stream>) -> Outcome {
    later(planes.read()?.copy()?, stream)
}

impl Plane {
    fn copy(&self) -> Outcome<Copy> {
        let extent = Extent3::plane(self.width_bytes, self.rows);
        Ok(Copy {
            to: self.to.side().end(extent)?,
            from: self.from.side().end(extent)?,
            extent,
        })
    }
}

impl PlaneSide {
    fn side(&self) -> Side {
        Side {
            memory_type: self.memory_type,
            host: self.host,
            device: self.device,
            origin: [self.x_bytes, self.y, 0],
            pitch: Pitch {
                bytes: self.pitch,
                rows: 0,
            },
        }
    }
}

impl Planes {
    fn copy(&self) -> Outcome<Copy> {
        let extent = Extent3 {
            width_bytes: self.width_bytes,
            rows: self.rows,
            planes: self.planes,
        };
        Ok(Copy {
            to: self.to.side()?.end(extent)?,
            from: self.from.side()?.end(extent)?,
            extent,
        })
    }
}

impl PlanesSide {
    fn side(&self) -> Outcome<Side> {
        if self.level != 0 {
            return Err(Code::INVALID_VALUE);
        }
        Ok(Side {
            memory_type: self.memory_type,
            host: self.host,
            device: self.device,
            origin: [self.x_bytes, self.y, self.z],
            pitch: Pitch {
                bytes: self.pitch,
                rows: self.rows,
            },
        })
    }
}

impl Side {
    /// A pitch of zero means that there are no gaps between rows, or between planes.
    fn end(&self, extent: Extent3) -> Outcome<End> {
        let or = |given: usize, tight: usize| if given == 0 { tight } else { given };
        let pitch = Pitch {
            bytes: or(self.pitch.bytes, extent.width_bytes),
            rows: or(self.pitch.rows, extent.rows),
        };
        let [x_bytes, y, z] = self.origin;
        let before = z
            .checked_mul(pitch.rows)
            .and_then(|rows| rows.checked_add(y))
            .and_then(|rows| rows.checked_mul(pitch.bytes))
            .and_then(|bytes| bytes.checked_add(x_bytes))
            .ok_or(Code::INVALID_VALUE)?;
        let address = || {
            self.device
                .checked_add(before as u64)
                .ok_or(Code::INVALID_VALUE)
        };
        let place = match self.memory_type {
            HOST if self.host.is_null() => return Err(Code::INVALID_VALUE),
            HOST => Location::Host(self.host.offset(before)),
            DEVICE => device(address()?)?,
            UNIFIED => place(address()?)?,
            ARRAY => return Err(Code::NOT_SUPPORTED),
            _ => return Err(Code::INVALID_VALUE),
        };
        Ok(End { place, pitch })
    }
}
