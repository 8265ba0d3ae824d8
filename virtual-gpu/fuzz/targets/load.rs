//! Any text loads, or is refused with at least one problem. Nothing stays allocated.

#![no_main]

#[path = "../../tests/fuzz/trial.rs"]
mod trial;

libfuzzer_sys::fuzz_target!(|text: &str| {
    trial::Bed::new().load(text, |_| ());
});
