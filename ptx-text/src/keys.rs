//! A kernel that scans or reduces by key either compares keys, or reads the heads that an earlier launch has marked. A number in the
//! kernel's text says which. The number is a constant for the driver's compiler, which leaves out the code that is not used.
//!
//! The text that the Rust compiler emits sets a register called `%keyed` to 0: the kernel reads heads. In the text that [`keyed`] returns,
//! the register is set to 1: the kernel compares keys.

/// The statements that set the register in the two texts.
const MARKED: &str = "mov.b32 %keyed, 0;";
const KEYED: &str = "mov.b32 %keyed, 1;";

/// The text of the kernel that compares keys; `None` if the kernel neither scans nor reduces by key.
pub fn keyed(text: &str) -> Option<String> {
    text.contains(MARKED).then(|| text.replace(MARKED, KEYED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_the_register_is_changed() {
        let text = "{ .reg .b32 %keyed; mov.b32 %keyed, 0; mov.b32 %r1, %keyed; }\n";
        let changed = keyed(&[text, text].concat()).unwrap();
        assert_eq!(changed.matches("%keyed, 1; mov.b32 %r1").count(), 2);
        assert_eq!(keyed("mov.b32 %r1, 0;"), None);
    }
}
