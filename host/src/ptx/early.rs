//! Texts for devices on which a launch may begin before the work before it has ended, made of those for devices on which it may not.
//!
//! For compute capability 9.0 the compiler emits what it emits for 8.0, and one instruction more: the wait for the work before, with
//! which every kernel of the library begins. So a text for 9.0 is made of one for 8.0 where it is needed, and none ships.

/// The compute capability of the texts that this is done with, and the lines that say so.
pub const FROM: (u32, u32) = (8, 0);
const FROM_LINES: &str = "\n.version 7.4\n.target sm_80\n";

/// The compute capability of what is made of them, and the lines that say so.
pub const TO: (u32, u32) = (9, 0);
const TO_LINES: &str = "\n.version 7.8\n.target sm_90\n";

/// The wait.
const WAIT: &str = "\tgriddepcontrol.wait;\n";

/// What a kernel's declarations of registers begin with.
const REGISTERS: &str = "\t.reg ";

/// What a kernel's code begins with.
const CODE: &str = "\n{\n";

/// The text for 9.0 of a text for 8.0; nothing, if it is not as the library's are.
pub fn early(text: &str) -> Option<String> {
    let (head, rest) = text.split_once(FROM_LINES)?;
    let mut kernels = rest.split(CODE);
    let mut early = [head, TO_LINES, kernels.next()?].concat();
    let without_wait = early.len();
    for code in kernels {
        let declared = code
            .split_inclusive('\n')
            .take_while(|line| line.starts_with(REGISTERS));
        let (declarations, instructions) = code.split_at(declared.map(str::len).sum());
        for part in [CODE, declarations, WAIT, instructions] {
            early.push_str(part);
        }
    }
    (early.len() > without_wait).then_some(early)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
// Made by something.
.version 7.4
.target sm_80
.address_size 64
.visible .entry sum(
\t.param .u64 sum_param_0
)
.maxntid 256, 1, 1
{
\t.reg .pred \t%p<2>;
\t.reg .b64 \t%rd<3>;
\tld.param.b64 \t%rd1, [sum_param_0];
\t{
\t.reg .b32 \t%r<2>;
\t}
\tret;
}
";

    #[test]
    fn the_wait_comes_before_all_other_instructions() {
        let expected = TEXT
            .replace("7.4\n.target sm_80", "7.8\n.target sm_90")
            .replace("\tld.param", "\tgriddepcontrol.wait;\n\tld.param");
        assert_eq!(early(TEXT).unwrap(), expected);
        let entry = TEXT.find(".visible").unwrap();
        let two = [TEXT, &TEXT[entry..]].concat();
        assert_eq!(
            early(&two).unwrap(),
            [&expected, &expected[entry..]].concat()
        );
    }

    #[test]
    fn other_texts_are_left_alone() {
        assert_eq!(early(&TEXT.replace("sm_80", "sm_75")), None);
        assert_eq!(early(&TEXT.replace("\n{\n", "\n{ ")), None);
        assert_eq!(early(""), None);
    }
}
