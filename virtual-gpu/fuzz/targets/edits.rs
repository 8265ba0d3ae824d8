//! As `launch`, on a text that loads as it is and is edited word by word as the input says.

#![no_main]

#[path = "../../tests/fuzz/edit.rs"]
mod edit;
#[path = "../../tests/fuzz/trial.rs"]
mod trial;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let mut choices = edit::Bytes(input);
    let text = edit::edited(&edit::words(&mut choices), &mut choices);
    let bed = trial::Bed::new();
    bed.load(&text, |module| bed.launch(module));
});
