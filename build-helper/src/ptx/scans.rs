//! Both scans of an operator, made of the one that is compiled.
//!
//! An inclusive scan and an exclusive one differ in the words that they store. Scans are the longest kernels, so the compiler makes one
//! function, which computes both words and leaves the choice open:
//!
//! ```text
//! placed.b32 %r1, %r2, %r3;      inclusive: mov.b32 %r1, %r2;      exclusive: mov.b32 %r1, %r3;
//! ```
//!
//! What computed the other word stays in the text. The driver's compiler drops it.

use warpfold_kernels::kind::Kind;
use warpfold_ptx::statement::Statement;
use warpfold_ptx::text::Function;

/// What the symbol of a function that is both scans begins with.
const PREFIX: &str = "scan_";

/// The instruction that leaves the choice open, and the one that takes its place.
const OPEN: &str = "placed.b32";
const COPY: &str = "mov.b32";

/// A function under the symbol of a kernel.
pub struct Named {
    /// The kernel's symbol.
    pub symbol: String,
    /// The declarations of its parameters.
    pub parameters: Vec<String>,
    /// Its body.
    pub body: Vec<Statement>,
}

/// The row's name, if the function of this symbol is both scans of it.
pub fn row_of(symbol: &str) -> Option<&str> {
    symbol.strip_prefix(PREFIX)
}

/// The kernels that a function is: both scans, or itself.
pub fn kernels(function: &Function, body: Vec<Statement>) -> Vec<Named> {
    let Some(row) = row_of(function.name) else {
        return vec![Named {
            symbol: function.name.to_owned(),
            parameters: function.parameters.clone(),
            body,
        }];
    };
    // The operand that is copied: the second of three, or the third.
    let scans = [(Kind::InclusiveScan, 1), (Kind::ExclusiveScan, 2)];
    let made = scans.map(|(kind, chosen)| {
        let symbol = format!("{}{row}", kind.definition().prefix);
        let (old, new) = (parameter(function.name), parameter(&symbol));
        let mut body = body.clone();
        for statement in &mut body {
            let Statement::Instruction(instruction) = statement else {
                continue;
            };
            if instruction.opcode == OPEN {
                COPY.clone_into(&mut instruction.opcode);
                let word = instruction.operands.swap_remove(chosen);
                instruction.operands.truncate(1);
                instruction.operands.push(word);
            } else if instruction.has_part("param") {
                for operand in &mut instruction.operands {
                    *operand = operand.replace(&old, &new);
                }
            }
        }
        let parameters = function.parameters.iter();
        let parameters = parameters.map(|parameter| parameter.replace(&old, &new));
        Named {
            parameters: parameters.collect(),
            symbol,
            body,
        }
    });
    made.into()
}

/// What the names of a function's parameters begin with.
fn parameter(symbol: &str) -> String {
    format!("{symbol}_param_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpfold_ptx::statement::parse;

    fn made(name: &str) -> Vec<(String, String, String)> {
        let body = format!(
            "ld.param.b64 %rd1, [{name}_param_0]; placed.b32 %r1, %r2, %r3; st.b32 [%rd1], %r1; ret;"
        );
        let function = Function {
            name,
            parameters: vec![format!(".param .b64 {name}_param_0")],
            body: Vec::new(),
        };
        let written = |named: Named| {
            let body: Vec<String> = named.body.iter().map(Statement::to_string).collect();
            (named.symbol, named.parameters.concat(), body.join(" "))
        };
        let kernels = kernels(&function, parse(&body).unwrap());
        kernels.into_iter().map(written).collect()
    }

    #[test]
    fn a_scan_is_two_kernels() {
        let scans = made("scan_gcd");
        let expected = ["inclusive_scan_gcd", "exclusive_scan_gcd"].iter().zip(["%r2", "%r3"]);
        for ((symbol, parameters, body), (name, word)) in scans.iter().zip(expected) {
            assert_eq!(symbol, name);
            assert_eq!(*parameters, format!(".param .b64 {name}_param_0"));
            assert_eq!(
                *body,
                format!("ld.param.b64 %rd1, [{name}_param_0]; mov.b32 %r1, {word}; st.b32 [%rd1], %r1; ret;")
            );
        }
        assert_eq!(scans.len(), 2);
    }

    #[test]
    fn another_function_stays_what_it_is() {
        let kernels = made("segmented_scan_gcd");
        assert_eq!(kernels.len(), 1);
        assert_eq!(kernels[0].0, "segmented_scan_gcd");
        assert!(kernels[0].2.contains("placed.b32"));
    }
}
