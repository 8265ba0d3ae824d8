//! A complete program that uses `cust`. Only the next line mentions the virtual device:
use virtual_gpu as _;
// The program shows that the linker keeps the driver's symbols for `cust`. By default it runs on the real device if there is one.

use cust::launch;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};

const ADD: &str = r#"
.version 7.0
.target sm_70
.address_size 64

.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd5, %rd1, %rd4;
    add.s64 %rd6, %rd2, %rd4;
    add.s64 %rd7, %rd3, %rd4;
    ld.global.u32 %r2, [%rd5];
    ld.global.u32 %r3, [%rd6];
    add.u32 %r4, %r2, %r3;
    st.global.u32 [%rd7], %r4;
    ret;
}
"#;

#[test]
fn a_vector_addition() -> Result<(), Box<dyn std::error::Error>> {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(ADD, &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let (a, b): (Vec<u32>, Vec<u32>) = (0..100).map(|i| (i, 1000 * i)).unzip();
    let (a, b) = (DeviceBuffer::from_slice(&a)?, DeviceBuffer::from_slice(&b)?);
    let c = DeviceBuffer::<u32>::zeroed(100)?;
    let add = module.get_function("add")?;
    let (from_a, from_b, to) = (a.as_device_ptr(), b.as_device_ptr(), c.as_device_ptr());
    // SAFETY: `add` takes three arrays of as many words as there are threads: 100. The buffers stay until the stream is synchronised.
    unsafe { launch!(add<<<1, 100, 0, stream>>>(from_a, from_b, to))? };
    stream.synchronize()?;
    let mut sums = [0; 100];
    c.copy_to(&mut sums)?;
    assert!((0..100).zip(sums).all(|(i, sum)| sum == 1001 * i));
    Ok(())
}
