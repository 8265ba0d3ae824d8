//! Copies and fills: of one row, or of many rows in one or more planes.
//!
//! Copies from one device to another go through host memory.

use crate::driver::abi::{HostPointer, zeroed};
use crate::driver::code::{Code, Outcome};
use crate::driver::findings::{Finding, Findings};
use crate::{Memory, MemoryError};
use std::sync::Arc;

/// The most bytes that a copy moves through host memory at a time.
const CHUNK_BYTES: usize = 1 << 16;

/// The memory at one end of a copy.
#[derive(Clone)]
pub(crate) enum Location {
    Device(&'static Memory, u64),
    Host(HostPointer),
    /// The bytes of a host source, which the driver call has copied into this buffer.
    Staged(Arc<[u8]>),
}

/// One end of a copy: its memory, and the layout of its rows.
#[derive(Clone)]
pub(crate) struct End {
    pub(crate) place: Location,
    pub(crate) pitch: Pitch,
}

/// How the rows of one end lie in memory.
#[derive(Clone, Copy)]
pub(crate) struct Pitch {
    /// Bytes from the start of a row to the start of the next row.
    pub(crate) bytes: usize,
    /// Rows from the start of a plane to the start of the next plane. [`Extent3`] ignores this number if there is only one plane.
    pub(crate) rows: usize,
}

/// How many bytes a copy moves or a fill sets.
#[derive(Clone, Copy)]
pub(crate) struct Extent3 {
    /// Bytes of a row.
    pub(crate) width_bytes: usize,
    /// Number of rows of a plane.
    pub(crate) rows: usize,
    /// Number of planes.
    pub(crate) planes: usize,
}

/// A copy.
#[derive(Clone)]
pub(crate) struct Copy {
    pub(crate) to: End,
    pub(crate) from: End,
    pub(crate) extent: Extent3,
}

/// A fill with a repeated pattern.
#[derive(Clone)]
pub(crate) struct Fill {
    pub(crate) address: u64,
    pub(crate) pitch: Pitch,
    pub(crate) extent: Extent3,
    pub(crate) pattern: Pattern,
}

/// The bytes that a fill repeats.
#[derive(Clone, Copy)]
pub(crate) enum Pattern {
    Byte(u8),
    Half(u16),
    Word(u32),
}

impl Extent3 {
    /// One plane.
    pub(crate) fn plane(width_bytes: usize, rows: usize) -> Self {
        Self {
            width_bytes,
            rows,
            planes: 1,
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.width_bytes == 0 || self.rows == 0 || self.planes == 0
    }

    /// The number of bytes from the first byte of the first row to the last byte of the last row. Fails with `INVALID_VALUE` if rows or
    /// planes overlap, or if the number overflows.
    pub(crate) fn span(self, pitch: Pitch) -> Outcome<usize> {
        if self.is_empty() {
            return Ok(0);
        }
        if self.planes > 1 && pitch.rows < self.rows {
            return Err(Code::INVALID_VALUE);
        }
        let before_last = (self.planes - 1)
            .checked_mul(pitch.rows)
            .and_then(|rows| rows.checked_add(self.rows - 1))
            .ok_or(Code::INVALID_VALUE)?;
        if before_last > 0 && pitch.bytes < self.width_bytes {
            return Err(Code::INVALID_VALUE);
        }
        let span = pitch
            .bytes
            .checked_mul(before_last)
            .and_then(|bytes| bytes.checked_add(self.width_bytes));
        span.ok_or(Code::INVALID_VALUE)
    }

    /// The offset of the start of each row from the first byte of the first row, in bytes. The rows lie within the [span](Self::span).
    pub(crate) fn starts(self, pitch: Pitch) -> impl Iterator<Item = usize> {
        let planes = 0..self.planes;
        planes.flat_map(move |plane| {
            (0..self.rows).map(move |row| (plane * pitch.rows + row) * pitch.bytes)
        })
    }

    /// Whether the pitch leaves no gaps between rows or between planes.
    pub(crate) fn is_contiguous(self, pitch: Pitch) -> bool {
        pitch.bytes == self.width_bytes && (self.planes == 1 || pitch.rows == self.rows)
    }
}

impl Copy {
    /// A copy of one row.
    pub(crate) fn linear(to: Location, from: Location, bytes: usize) -> Self {
        let end = |place| End {
            place,
            pitch: Pitch { bytes, rows: 1 },
        };
        Self {
            to: end(to),
            from: end(from),
            extent: Extent3::plane(bytes, 1),
        }
    }

    /// Fails if an end on a device does not lie inside one live allocation, or if a host pointer is null.
    pub(crate) fn check(&self) -> Outcome {
        for end in [&self.to, &self.from] {
            let span = self.extent.span(end.pitch)?;
            match &end.place {
                Location::Device(memory, address) => {
                    memory.check(*address, span as u64).map_err(code)?;
                }
                Location::Host(pointer) if pointer.is_null() => return Err(Code::INVALID_VALUE),
                Location::Host(_) | Location::Staged(_) => {}
            }
        }
        Ok(())
    }

    /// Copies the bytes of a host source into a buffer, so that the source may change after the call.
    pub(crate) fn stage(&mut self) -> Outcome {
        if let Location::Host(pointer) = self.from.place {
            let bytes = pointer.read(self.extent.span(self.from.pitch)?)?;
            self.from.place = Location::Staged(bytes.into());
        }
        Ok(())
    }

    /// Copies. Fails with `ILLEGAL_ADDRESS` if memory on a device has been freed.
    pub(crate) fn perform(&self) -> Outcome {
        let width = self.extent.width_bytes;
        let mut buffer = zeroed(width.min(CHUNK_BYTES))?;
        let starts = self.extent.starts(self.to.pitch);
        for (to, from) in starts.zip(self.extent.starts(self.from.pitch)) {
            if let (Location::Device(memory, target), Location::Device(other, source)) =
                (&self.to.place, &self.from.place)
                && std::ptr::eq(*memory, *other)
            {
                let copied = memory.copy(target + to as u64, source + from as u64, width as u64);
                copied.map_err(|_| Code::ILLEGAL_ADDRESS)?;
                continue;
            }
            for start in (0..width).step_by(CHUNK_BYTES) {
                let chunk = &mut buffer[..CHUNK_BYTES.min(width - start)];
                self.from.place.read(from + start, chunk)?;
                self.to.place.write(to + start, chunk)?;
            }
        }
        Ok(())
    }
}

impl Copy {
    /// Reports the first row that is copied to the host and has undefined bytes.
    pub(crate) fn report_unwritten(&self, findings: &Findings) {
        let (Location::Host(_), Location::Device(memory, source)) =
            (&self.to.place, &self.from.place)
        else {
            return;
        };
        let bytes = self.extent.width_bytes as u64;
        let unwritten = |address| match memory.first_unwritten(address, bytes) {
            Ok(Some(first)) => Some(Finding::UninitialisedCopy {
                address,
                bytes,
                first,
            }),
            // If the memory does not exist, the copy itself fails.
            Ok(None) | Err(_) => None,
        };
        let starts = self.extent.starts(self.from.pitch);
        let mut addresses = starts.map(|start| source + start as u64);
        if let Some(finding) = addresses.find_map(unwritten) {
            findings.report(finding);
        }
    }
}

impl Location {
    fn read(&self, offset: usize, bytes: &mut [u8]) -> Outcome {
        match self {
            Location::Device(memory, address) => {
                let read = memory.read(address + offset as u64, bytes);
                read.map_err(|_| Code::ILLEGAL_ADDRESS)
            }
            Location::Host(pointer) => pointer.offset(offset).read_into(bytes),
            Location::Staged(staged) => {
                let source = staged.get(offset..offset + bytes.len());
                bytes.copy_from_slice(source.ok_or(Code::INVALID_VALUE)?);
                Ok(())
            }
        }
    }

    fn write(&self, offset: usize, bytes: &[u8]) -> Outcome {
        match self {
            Location::Device(memory, address) => {
                let written = memory.write(address + offset as u64, bytes);
                written.map_err(|_| Code::ILLEGAL_ADDRESS)
            }
            Location::Host(pointer) => pointer.offset(offset).write(bytes),
            Location::Staged(_) => Err(Code::INVALID_VALUE),
        }
    }
}

impl Fill {
    /// Fails unless the range lies inside one live allocation and begins at a multiple of the
    /// pattern's size.
    pub(crate) fn check(&self, memory: &Memory) -> Outcome {
        if !self.address.is_multiple_of(self.pattern.bytes() as u64) {
            return Err(Code::INVALID_VALUE);
        }
        let span = self.extent.span(self.pitch)?;
        memory.check(self.address, span as u64).map_err(code)
    }

    /// Fills. Fails with `ILLEGAL_ADDRESS` if the memory has been freed.
    pub(crate) fn perform(&self, memory: &Memory) -> Outcome {
        let width = self.extent.width_bytes as u64;
        for start in self.extent.starts(self.pitch) {
            let address = self.address + start as u64;
            let filled = match self.pattern {
                Pattern::Byte(value) => memory.fill(address, width, &[value]),
                Pattern::Half(value) => memory.fill(address, width, &value.to_le_bytes()),
                Pattern::Word(value) => memory.fill(address, width, &value.to_le_bytes()),
            };
            filled.map_err(|_| Code::ILLEGAL_ADDRESS)?;
        }
        Ok(())
    }
}

impl Pattern {
    /// The size of one repetition, in bytes.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Pattern::Byte(_) => 1,
            Pattern::Half(_) => 2,
            Pattern::Word(_) => 4,
        }
    }
}

/// The result code for a memory error.
pub(crate) fn code(error: MemoryError) -> Code {
    match error {
        MemoryError::OutOfMemory { .. } => Code::OUT_OF_MEMORY,
        _ => Code::INVALID_VALUE,
    }
}
