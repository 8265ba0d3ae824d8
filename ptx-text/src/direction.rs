//! The direction of a scan: a number in the text of its kernel, which the driver's compiler then knows.
//!
//! The kernel's source sets a register of this name to 0, from which it makes addresses. In the text for scans that go backward the
//! register has all bits.

/// The register: a number in either text, also where it is 0.
pub const REGISTER: &str = "%direction";

/// What sets the register, in either text.
const FORWARD: &str = "mov.b64 %direction, 0;";
const BACKWARD: &str = "mov.b64 %direction, -1;";

/// The text of the kernel that goes backward; nothing, if the text has no direction.
pub fn backward(text: &str) -> Option<String> {
    text.contains(FORWARD)
        .then(|| text.replace(FORWARD, BACKWARD))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_that_sets_the_direction_is_changed() {
        let text = "{ .reg .b64 %direction; mov.b64 %direction, 0; mov.b64 %rd1, %direction; }\n";
        let twice = [text, text].concat();
        let turned = backward(&twice).unwrap();
        assert_eq!(
            turned
                .matches("mov.b64 %direction, -1; mov.b64 %rd1")
                .count(),
            2
        );
        assert_eq!(turned.matches("%direction, 0").count(), 0);
        assert_eq!(backward("mov.b64 %rd1, 0;"), None);
    }
}
