//! Loading any text ends with a module or an error, and never with a panic. Kernels that load are launched. A launch also ends, with or
//! without a fault.
//!
//! Texts are made from kernels that load, by removing, inserting, exchanging and changing pieces.
//! `PTX_FUZZ=10000000 cargo test --release -p virtual-gpu --test fuzz -- --nocapture` makes that many texts, and reports the speed.
//! `PTX_FUZZ_SEED` chooses other texts. The fuzz targets in `virtual-gpu/fuzz` are guided by coverage.

#[path = "fuzz/edit.rs"]
mod edit;
#[path = "fuzz/trial.rs"]
mod trial;

use edit::{Dice, SEEDS, edited, words};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use trial::Bed;

/// The default number of texts.
const DEFAULT_COUNT: u64 = 20_000;
/// The most time that one text may take.
const PATIENCE: Duration = Duration::from_secs(5);

#[test]
fn the_seed_texts_load() {
    for text in SEEDS {
        assert!(Bed::new().load(text, |_| ()));
    }
}

#[test]
fn every_text_is_read_or_refused() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let count = number("PTX_FUZZ").unwrap_or(DEFAULT_COUNT);
    let seed: u64 = number("PTX_FUZZ_SEED").unwrap_or(1);
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut texts = words(&mut dice);
    let (mut loaded, start) = (0_u64, Instant::now());
    for made in 0..count {
        if made % 512 == 511 {
            texts = words(&mut dice);
        }
        let text = edited(&texts, &mut dice);
        let (bed, before) = (Bed::new(), Instant::now());
        let trial = || bed.load(&text, |module| bed.launch(module));
        match catch_unwind(AssertUnwindSafe(trial)) {
            Ok(is_loaded) => loaded += u64::from(is_loaded),
            Err(_) => panic!("a panic, from this text:\n{text}"),
        }
        assert!(before.elapsed() < PATIENCE, "too slow:\n{text}");
    }
    let rate = count as f64 / start.elapsed().as_secs_f64();
    println!("{count} texts, of which {loaded} loaded; {rate:.0} a second");
    assert!(count < 1000 || loaded > 0 && loaded < count);
}
