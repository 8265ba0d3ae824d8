//! The kernels' PTX. The driver always compiles a whole text. So each kernel that only the host launches gets its own text.

/// The kernels that only the host launches.
const LADDER: &str = include_str!(concat!(env!("WARPFOLD_LADDER_TEXTS"), "/ladder.ptx"));

/// The kernels that launch kernels. These kernels share functions, which are declared before the kernels.
const NESTED: &str = include_str!(concat!(env!("WARPFOLD_LADDER_TEXTS"), "/ladder_nested.ptx"));

/// The beginning of every entry.
const ENTRY: &str = ".visible .entry ";

/// The end of every entry.
const END: &str = "\n}\n";

/// The text with a kernel.
pub enum Text {
    /// The text of one kernel that only the host launches.
    Plain(String),
    /// The text of all kernels that launch kernels. NVIDIA's driver has to link it.
    Nested(&'static str),
}

/// The text with this kernel; `None` if no text has it.
pub fn of(symbol: &str) -> Option<Text> {
    if find(NESTED, symbol).is_some() {
        return Some(Text::Nested(NESTED));
    }
    let (head, _) = LADDER.split_once(ENTRY)?;
    let entry = find(LADDER, symbol)?;
    Some(Text::Plain([head, entry].concat()))
}

/// The entry of this name.
fn find<'text>(text: &'text str, symbol: &str) -> Option<&'text str> {
    let begin = text.find(&format!("{ENTRY}{symbol}("))?;
    let end = begin + text[begin..].find(END)? + END.len();
    Some(&text[begin..end])
}

#[cfg(test)]
mod tests {
    use warpfold_ladder_kernels::{for_each_ladder_kernel, for_each_nested_kernel};

    use super::*;

    macro_rules! symbols {
        ($($kind:ident $family:ident $op:ident $t:ident $($block:literal)? => $symbol:ident;)*) => {
            [$(stringify!($symbol)),*]
        };
    }

    #[test]
    fn every_kernel_has_its_own_text_or_a_linked_text() {
        for symbol in for_each_ladder_kernel!(symbols) {
            let Some(Text::Plain(text)) = of(symbol) else {
                panic!("no text has {symbol}");
            };
            assert_eq!(text.matches(ENTRY).count(), 1, "{symbol}");
            assert!(text.starts_with("//") || text.starts_with(".version"));
            assert!(text.contains(&format!("{ENTRY}{symbol}(")));
        }
        for symbol in for_each_nested_kernel!(symbols) {
            assert!(matches!(of(symbol), Some(Text::Nested(_))), "{symbol}");
        }
        assert!(of("ladder_halving_sum").is_none());
    }
}
