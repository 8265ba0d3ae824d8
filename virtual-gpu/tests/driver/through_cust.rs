//! The virtual device, used through `cust`.

use crate::support::{start, virtual_only};
use cust::device::{Device, DeviceAttribute};
use cust::memory::{AsyncCopyDestination, CopyDestination, DeviceBuffer, LockedBuffer};
use cust::stream::{Stream, StreamFlags, StreamWaitEventFlags};
use cust::{error::CudaError, event::Event, event::EventFlags, module::Module};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_device_describes_itself() -> Result {
    start();
    let device = Device::get_device(0)?;
    assert_eq!(device.get_attribute(DeviceAttribute::WarpSize)?, 32);
    if virtual_only("the virtual device's name and memory") {
        return Ok(());
    }
    assert_eq!(device.name()?, "Virtual GPU (sm_90, 4 SMs)");
    assert_eq!(device.total_memory()?, 16 << 30);
    Ok(())
}

#[test]
fn buffers_streams_and_events_work_together() -> Result {
    start();
    let _context = cust::quick_init()?;
    let (first, second) = (
        Stream::new(StreamFlags::DEFAULT, None)?,
        Stream::new(StreamFlags::DEFAULT, Some(-9))?,
    );
    assert_eq!(second.get_priority()?, -5, "the greatest that there is");
    let source = LockedBuffer::new(&3_u32, 50)?;
    let mut buffer = DeviceBuffer::<u32>::zeroed(50)?;
    let mut copy = DeviceBuffer::<u32>::zeroed(50)?;
    let event = Event::new(EventFlags::DEFAULT)?;
    // SAFETY: both buffers stay until `second` is synchronised. The event makes `second` wait for this copy.
    unsafe { buffer.async_copy_from(&source, &first)? };
    event.record(&first)?;
    second.wait_event(event, StreamWaitEventFlags::DEFAULT)?;
    // SAFETY: both buffers stay until `second` is synchronised.
    unsafe { copy.async_copy_from(&buffer, &second)? };
    second.synchronize()?;
    let mut words = [0; 50];
    copy.copy_to(&mut words)?;
    assert_eq!(words, [3; 50]);
    Ok(())
}

#[test]
fn error_codes_become_custs_errors() -> Result {
    start();
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(crate::kernels::PTX.to_str()?, &[])?;
    assert!(matches!(
        module.get_function("nothing"),
        Err(CudaError::NotFound)
    ));
    let broken = Module::from_ptx(".version 7.0\n.target nothing\n", &[]);
    assert!(matches!(broken, Err(CudaError::InvalidPtx)));
    assert!(matches!(
        Device::get_device(9),
        Err(CudaError::InvalidDevice)
    ));
    Ok(())
}
