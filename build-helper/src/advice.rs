//! Advice on mistakes that the compiler's messages do not explain.

/// Advice on a mistake, and its signs: texts that all occur in the compiler's messages about the mistake.
struct Mistake {
    signs: &'static [&'static str],
    advice: &'static str,
}

const MISTAKES: [Mistake; 12] = [
    Mistake {
        signs: &["does not say that it commutes"],
        advice: "a reduction needs an operator whose operands may change places. If they may, write `impl Commutative for …`. \
                 If not, write `scans only` after the row: scans and reductions of segments and columns keep the order, and so does \
                 `reduce::<…>(&items).in_order()` of all items",
    },
    Mistake {
        signs: &["no method named `", "found for type `f"],
        advice: "floats have no functions of `std` on the GPU (`exp`, `powi`, `floor`): those call the system's library. \
                 `warpfold::elementary` has `exp`, `ln` and `sqrt` of `f32`. Write others by arithmetic",
    },
    Mistake {
        signs: &["no method named `sort"],
        advice: "there is no sorting on the GPU: compare and exchange two elements at a time, with each comparison written out",
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
        signs: &["unresolved import `crate::"],
        advice: "the file is compiled by itself, without the rest of the crate: move what it needs into it, and let the rest of the \
                 crate use it from there",
    },
    Mistake {
        signs: &["file not found for module"],
        advice: "the file is compiled by itself, and has no modules in other files: write them into it, as `mod name { … }`",
    },
    Mistake {
        // The compiler's message names the folder with the source of `operators!`. In the repository, this folder is `kernels-gpu`. Where
        // cargo unpacks the package, the folder is `warpfold-kernels-` and the version: see the next entry.
        signs: &["while trying to match", "kernels-gpu"],
        advice: ROWS,
    },
    Mistake {
        signs: &["while trying to match", "warpfold-kernels-"],
        advice: ROWS,
    },
    Mistake {
        signs: &["Pod` is not satisfied"],
        advice: "items, accumulators and results are plain data without gaps: numbers, arrays of them, and structs by \
                 `warpfold::item! { … }`. Write a number for a `bool` or an enum, and a struct for a tuple",
    },
    Mistake {
        signs: &["an item or a result must have"],
        advice: "an item has 1 or 2 bytes, or a multiple of 4 up to 64: add a field to fill the next size up",
    },
    Mistake {
        signs: &["unsupported library call operation"],
        advice: "an operator has arithmetic that the GPU has no instructions for, such as the division of 128-bit integers: \
                 divide numbers of 64 bits. The compiler does not say where it is",
    },
];

/// Advice on the form of a row.
const ROWS: &str = "a row of `operators!` is `name: Operator, Item;`. Before the semicolon may stand `, scans only`, \
                    `, reduction only`, `, predicate` or `, equality`. Of two inputs it is `name: Operator, pairs of A, B;`";

/// Advice on a compiler's messages, to be printed before them. Empty if they show no known mistake.
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
    fn only_known_mistakes_get_advice() {
        let missing = "error[E0277]: the operator `Mine` does not say that it commutes";
        assert!(advice(missing).starts_with("a reduction needs"));
        assert_eq!(advice(missing).lines().count(), 1);
        let method =
            "error[E0599]: no method named `exp` found for type `f32` in the current scope";
        assert!(advice(method).contains("`warpfold::elementary`"));
        assert!(advice("error: cannot find macro `vec` in this scope").contains("core"));
        let division = "rustc-LLVM ERROR: unsupported library call operation";
        assert!(advice(division).contains("128-bit"));
        assert_eq!(advice("error[E0308]: mismatched types"), "");
    }
}
