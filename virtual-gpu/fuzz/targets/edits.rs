//! Like `launch`, but edits a valid text word by word. The input chooses the edits.

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
