//! As `load`, and every kernel of what loads is launched for a short while.

#![no_main]

#[path = "../../tests/fuzz/trial.rs"]
mod trial;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let bed = trial::Bed::new();
    bed.load(text, |module| bed.launch(module));
});
