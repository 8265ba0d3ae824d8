//! The options of `cuModuleLoadDataEx`, of libraries and of the linker. Only the error log has an effect. The other options concern a
//! compiler, and there is no compiler: the information log is empty, and the time is 0.

use crate::driver::abi::{HostPointer, In, Out};
use crate::driver::code::{Code, Outcome};

const WALL_TIME: i32 = 2;
const INFO_LOG: i32 = 3;
const INFO_LOG_BYTES: i32 = 4;
const ERROR_LOG: i32 = 5;
const ERROR_LOG_BYTES: i32 = 6;
/// The highest number of an option in CUDA 12.
const HIGHEST: i32 = 34;

/// The log buffers of the caller.
pub(crate) struct Logs {
    info: Log,
    error: Log,
    /// The caller's array of option values: numbers or pointers, each as large as a pointer.
    values: HostPointer,
}

#[derive(Default)]
struct Log {
    buffer: Option<HostPointer>,
    capacity: Option<Capacity>,
}

/// The size of a log buffer, and the index of the option that gives it. The caller sets the option's value to the size. The call that
/// writes the log replaces it by the log's length.
struct Capacity {
    bytes: usize,
    index: usize,
}

impl Logs {
    /// Reads the options. The values of ignored options are not read.
    pub(crate) fn read(count: u32, options: In<i32>, values: Out<HostPointer>) -> Outcome<Self> {
        let (mut info, mut error) = (Log::default(), Log::default());
        for index in 0..count as usize {
            let option = options.read_element(index)?;
            match option {
                INFO_LOG => info.buffer = Some(values.read_element(index)?),
                ERROR_LOG => error.buffer = Some(values.read_element(index)?),
                INFO_LOG_BYTES => info.capacity = Some(capacity(values, index)?),
                ERROR_LOG_BYTES => error.capacity = Some(capacity(values, index)?),
                WALL_TIME => values.write_element(index, HostPointer::from_address(0)),
                0..=HIGHEST => {}
                _ => return Err(Code::INVALID_VALUE),
            }
        }
        Ok(Self {
            info,
            error,
            values: values.untyped(),
        })
    }

    /// Writes the errors to the error log, and an empty text to the info log. The length that the caller gets excludes the NUL. If the text
    /// was cut, this length is the buffer's size.
    pub(crate) fn write(&self, errors: &str) -> Outcome {
        self.info.write("", self.values)?;
        self.error.write(errors, self.values)
    }
}

fn capacity(values: Out<HostPointer>, index: usize) -> Outcome<Capacity> {
    // The documentation says that the value is an `unsigned int`, so the caller may have set only the low 32 of the 64 bits.
    let value = values.read_element(index)?.address() & u64::from(u32::MAX);
    Ok(Capacity {
        bytes: usize::try_from(value).map_err(|_| Code::INVALID_VALUE)?,
        index,
    })
}

impl Log {
    fn write(&self, text: &str, values: HostPointer) -> Outcome {
        let Some(capacity) = &self.capacity else {
            return Ok(());
        };
        let room = capacity.bytes.saturating_sub(1);
        let length = text.len().min(capacity.bytes);
        let kept = &text[..text.floor_char_boundary(room)];
        if let Some(buffer) = self.buffer
            && capacity.bytes > 0
        {
            buffer.write(kept.as_bytes())?;
            buffer.offset(kept.len()).write(&[0])?;
        }
        let place = values.offset(capacity.index * size_of::<usize>());
        place.write(&length.to_ne_bytes())
    }
}
