//! The width of results that are indices. It is a number in the kernel's text, and so a constant for the driver's compiler.
//!
//! The kernel's source sets a register called `%short` to 0. In the text for indices of 32 bits, the register is set to 1.

/// The statements that set the register in the two texts.
const LONG: &str = "mov.b32 %short, 0;";
const SHORT: &str = "mov.b32 %short, 1;";

/// The text of the kernel whose results are indices of 32 bits; `None` if its results are not indices.
pub fn short(text: &str) -> Option<String> {
    text.contains(LONG).then(|| text.replace(LONG, SHORT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_of_the_width_is_changed() {
        let text = "{ .reg .b32 %short; mov.b32 %short, 0; mov.b32 %r1, %short; }\n";
        let changed = short(&[text, text].concat()).unwrap();
        assert_eq!(changed.matches("%short, 1; mov.b32 %r1").count(), 2);
        assert_eq!(short("mov.b32 %r1, 0;"), None);
    }
}
