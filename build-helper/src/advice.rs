//! What to write instead, for mistakes that the compiler's messages do not explain: it knows nothing of where the file runs.

/// A mistake: what is in the compiler's message, all of it, and what to do.
struct Mistake {
    signs: &'static [&'static str],
    advice: &'static str,
}

const MISTAKES: [Mistake; 5] = [
    Mistake {
        signs: &["does not say that it commutes"],
        advice: "a reduction needs an operator whose operands may change places. If they may, write `impl Commutative for …`. \
                 If not, write `scans only` after the row: scans and reductions of segments and columns keep the order, and so does \
                 `reduce::<…>(&items).in_order()` of all items",
    },
    Mistake {
        signs: &["no method named `", "found for type `f"],
        advice: "floats have no such functions on the GPU: those of `std` (`exp`, `ln`, `sqrt`, `powi`) call the system's \
                 library. Write it by arithmetic, as `exp_of_negative` in tests/own_operators/src/operators.rs",
    },
    Mistake {
        signs: &["cannot find macro `"],
        advice: "the file is compiled without the standard library: there is `core`, and no `vec!`, `println!` or `format!`. \
                 Use arrays of a fixed length",
    },
    Mistake {
        signs: &["`std`"],
        advice: "the file is compiled without the standard library: write `core` for `std`, and do without memory of its own",
    },
    Mistake {
        signs: &["an item or a result must have"],
        advice: "an item has 1 or 2 bytes, or a multiple of 4 up to 64: add a field to fill the next size up",
    },
];

/// What to do about a compiler's messages, to be said before them; nothing, where they say it.
pub fn advice(messages: &str) -> String {
    let known = MISTAKES.iter().filter(|mistake| {
        let mut signs = mistake.signs.iter();
        signs.all(|sign| messages.contains(sign))
    });
    known
        .map(|mistake| format!("{}.\n", mistake.advice))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_messages_are_of_is_advised() {
        let missing = "error[E0277]: the operator `Mine` does not say that it commutes";
        assert!(advice(missing).starts_with("a reduction needs"));
        assert_eq!(advice(missing).lines().count(), 1);
        let method =
            "error[E0599]: no method named `exp` found for type `f32` in the current scope";
        assert!(advice(method).contains("arithmetic"));
        assert!(advice("error: cannot find macro `vec` in this scope").contains("core"));
        assert_eq!(advice("error[E0308]: mismatched types"), "");
    }
}
