//! Like `load`. If the text loads, launches each of its kernels with a small budget of steps.

#![no_main]

#[path = "../../tests/fuzz/trial.rs"]
mod trial;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let bed = trial::Bed::new();
    bed.load(text, |module| bed.launch(module));
});
