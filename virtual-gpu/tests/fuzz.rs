//! Whatever the text, loading it ends: with a module or with a list of problems, without a panic.
//! What loads is launched, and that ends, too: with or without a fault.
//!
//! Texts are made from kernels that load, by cutting, doubling, exchanging and changing pieces.
//! `PTX_FUZZ=10000000 cargo test --release -p virtual-gpu --test fuzz -- --nocapture` makes
//! as many as it says instead of a few, and reports how fast; `PTX_FUZZ_SEED` starts
//! elsewhere.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use virtual_gpu::{DeviceConfig, LoadError, Memory, Module, RunOptions, Shape};

const SEEDS: [&str; 4] = [
    include_str!("ptx/compiled.ptx"),
    include_str!("fuzz/instructions.ptx"),
    include_str!("fuzz/declarations.ptx"),
    include_str!("fuzz/launches.ptx"),
];
/// Texts that a run makes unless it is told otherwise.
const DEFAULT_COUNT: u64 = 20_000;
/// Bytes that the variables of a text may take.
const CAPACITY: u64 = 1 << 20;
/// What one text may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Bytes of a part of a text.
const LONGEST: usize = 2000;

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * end.max(1) as u128) >> 64) as usize
    }
}

/// Words that mean something, and numbers at the edges.
const PIECES: [&str; 48] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ".",
    ":",
    "@",
    "!",
    "|",
    "=",
    "-",
    "+",
    "\"",
    "%",
    "/*",
    "//",
    "0",
    "-1",
    "4294967295",
    "18446744073709551615",
    "18446744073709551616",
    "0x8000000000000000",
    "0f7F800000",
    "0d",
    "1e400",
    ".b128",
    ".align",
    ".reg",
    ".param",
    ".shared",
    ".func",
    ".entry",
    ".extern",
    ".pred",
    ".v4",
    "call",
    "%r1",
    "bra",
    ".f16x2",
    "é",
    "\0",
    ".local .align 16 .b8 big[9223372036854775807];",
];

/// Cuts a text where words end, keeping all of it.
fn cut(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, letter) in text.char_indices() {
        let is_word = letter.is_alphanumeric() || matches!(letter, '_' | '%' | '$');
        if at > start && (!is_word || last == Some(false)) {
            pieces.push(&text[start..at]);
            start = at;
        }
        last = Some(is_word);
    }
    pieces.push(&text[start..]);
    pieces
}

/// The whole of a text, or a part of it if it is long.
fn excerpt<'a>(text: &'a str, dice: &mut Dice) -> &'a str {
    if text.len() <= 2 * LONGEST || dice.below(4) == 0 {
        return text;
    }
    let boundary = |at: usize| (at..text.len()).find(|&at| text.is_char_boundary(at));
    let start = boundary(dice.below(text.len())).unwrap_or(0);
    let end = boundary(start + dice.below(LONGEST)).unwrap_or(text.len());
    &text[start..end]
}

fn mutate(texts: &[Vec<&'static str>], dice: &mut Dice) -> String {
    let mut pieces = texts[dice.below(texts.len())].clone();
    for _ in 0..=dice.below(5) {
        if pieces.is_empty() {
            break;
        }
        let at = dice.below(pieces.len());
        let other = dice.below(pieces.len());
        match dice.below(8) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, pieces[other]),
            2 => pieces.swap(at, other),
            3 => pieces[at] = PIECES[dice.below(PIECES.len())],
            4 => pieces.insert(at, PIECES[dice.below(PIECES.len())]),
            5 => pieces[at] = pieces[other],
            6 => {
                // A run of another text.
                let from = &texts[dice.below(texts.len())];
                let start = dice.below(from.len());
                let end = (start + dice.below(40)).min(from.len());
                pieces.splice(at..at, from[start..end].iter().copied());
            }
            _ => {
                let (start, end) = (at.min(other), (at.max(other)).min(at.min(other) + 60));
                pieces.drain(start..end);
            }
        }
    }
    pieces.concat()
}

#[test]
fn the_texts_that_all_others_are_made_from_load() {
    let (device, memory) = (DeviceConfig::default(), Memory::new(CAPACITY));
    for text in SEEDS {
        if let Err(error) = Module::load(text, &device, &memory) {
            panic!("{error}");
        }
    }
}

/// Launches every kernel of a module for a short while. What comes of it does not matter.
fn launch(module: &Module, device: &DeviceConfig, memory: &Memory) {
    let options = RunOptions {
        step_budget: 2000,
        ..RunOptions::default()
    };
    for kernel in module.kernels() {
        let shape = Shape {
            grid: [1; 3],
            block: kernel.required_block_dim().unwrap_or([40, 1, 1]),
            dynamic_shared_bytes: 64,
        };
        let params = vec![0; kernel.parameter_bytes() as usize];
        let _ = kernel.launch(&shape, &params, memory, device, &options);
    }
}

#[test]
fn every_text_is_read_or_refused() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let count = number("PTX_FUZZ").unwrap_or(DEFAULT_COUNT);
    let seed: u64 = number("PTX_FUZZ_SEED").unwrap_or(1);
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let device = DeviceConfig::default();
    let mut memory = Memory::new(CAPACITY);
    let (mut loaded, start) = (0_u64, Instant::now());
    let mut texts: Vec<Vec<&str>> = Vec::new();
    for made in 0..count {
        if made % 512 == 0 {
            assert_eq!(memory.live_bytes(), 0, "allocations are left over");
            // What was freed is remembered: a new memory, now and then.
            memory = Memory::new(CAPACITY);
            texts = SEEDS.map(|text| cut(excerpt(text, &mut dice))).into();
        }
        let text = mutate(&texts, &mut dice);
        let before = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| Module::load(&text, &device, &memory)));
        assert!(before.elapsed() < PATIENCE, "too slow:\n{text}");
        match outcome {
            Ok(Ok(module)) => {
                loaded += 1;
                let outcome = catch_unwind(AssertUnwindSafe(|| launch(&module, &device, &memory)));
                assert!(outcome.is_ok(), "a panic, running this text:\n{text}");
                assert!(module.unload(&memory).is_ok(), "{text}");
            }
            Ok(Err(LoadError::Invalid(problems))) => assert!(!problems.is_empty(), "{text}"),
            Ok(Err(_)) => {}
            Err(_) => panic!("a panic, from this text:\n{text}"),
        }
    }
    let rate = count as f64 / start.elapsed().as_secs_f64();
    println!("{count} texts, of which {loaded} loaded; {rate:.0} a second");
    assert!(count < 1000 || loaded > 0 && loaded < count);
}
