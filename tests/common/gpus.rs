//! Each test gets a GPU of its own if there are enough virtual GPUs.

use std::sync::{Mutex, Once, OnceLock};

use virtual_gpu::Mode;
use virtual_gpu::driver::{Devices, Settings, start};
use warpfold::Gpu;

/// The number of virtual GPUs, if the environment does not ask for several.
const DEVICES: u32 = 8;

/// The calling thread's GPU. Its context is made current on this thread. The first call prints the GPU's name.
///
/// There may be several virtual GPUs. Threads that run at the same time then have different ones. On one GPU, they would wait for each
/// other whenever one of them frees memory.
pub fn gpu() -> &'static Gpu {
    thread_local! {
        static SEAT: Seat = Seat::take();
    }
    let gpu = &gpus()[SEAT.with(|seat| seat.device)];
    gpu.make_current().expect("its context");
    gpu
}

/// The GPUs of the threads: all virtual GPUs, or the first real GPU.
fn gpus() -> &'static [Gpu] {
    static GPUS: OnceLock<Vec<Gpu>> = OnceLock::new();
    GPUS.get_or_init(|| {
        let most = match mode() {
            Mode::Virtual => usize::MAX,
            Mode::Real => 1,
        };
        let all = (0..).map_while(|device| Gpu::with_device(device).ok());
        let gpus: Vec<Gpu> = all.take(most).collect();
        let first = gpus.first().expect("a GPU, real or virtual");
        eprintln!("running on {} ({:?})", first.name(), mode());
        gpus
    })
}

/// A thread's use of a GPU.
struct Seat {
    device: usize,
}

/// How many threads use each GPU.
static USERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

impl Seat {
    /// A seat at the GPU with the fewest users.
    fn take() -> Self {
        let count = gpus().len();
        let mut users = USERS.lock().expect("no thread panics here");
        users.resize(count, 0);
        let device = (0..count).min_by_key(|&device| users[device]);
        let device = device.expect("a GPU");
        users[device] += 1;
        Self { device }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        USERS.lock().expect("no thread panics here")[self.device] -= 1;
    }
}

/// Whether the devices are real or virtual.
pub fn mode() -> Mode {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        if let Ok(mut settings) = Settings::from_env()
            && settings.devices == Devices::default()
        {
            settings.devices = Devices::new(DEVICES).expect("at most 16");
            // Fails if the driver runs already. Then there are as many devices as it has.
            _ = start(settings);
        }
    });
    virtual_gpu::mode().expect("readable settings")
}
