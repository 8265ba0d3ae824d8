//! Removes tokens that have no meaning: documentation, and the trailing comma that `rustfmt` adds to a list.

use std::fmt;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// A hash of 128 bits (FNV-1a) that identifies a text. The hash does not withstand an attacker who searches for two texts with the same
/// hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hash(u128);

impl Hash {
    /// The hash of no bytes.
    pub const EMPTY: Self = Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);

    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::EMPTY.with(bytes)
    }

    /// The hash of the earlier bytes with `bytes` appended.
    pub fn with(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| {
            (hash ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b)
        }))
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The tokens without attributes of documentation, at any depth.
pub fn without_documentation(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        if is_documentation(&token) && ends_with_mark(&kept) {
            while ends_with_mark(&kept) {
                kept.pop();
            }
            continue;
        }
        kept.push(match token {
            TokenTree::Group(group) => {
                let inner = without_documentation(group.stream());
                let mut cleaned = Group::new(group.delimiter(), inner.into_iter().collect());
                cleaned.set_span(group.span());
                TokenTree::Group(cleaned)
            }
            token => token,
        });
    }
    kept
}

/// Whether the tokens end with the start of an attribute: `#` or `#!`.
fn ends_with_mark(tokens: &[TokenTree]) -> bool {
    match tokens {
        [.., TokenTree::Punct(hash)] if hash.as_char() == '#' => true,
        [.., TokenTree::Punct(hash), TokenTree::Punct(mark)] => {
            hash.as_char() == '#' && mark.as_char() == '!'
        }
        _ => false,
    }
}

/// Whether a token is `[doc = …]`.
fn is_documentation(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else {
        return false;
    };
    let mut inner = group.stream().into_iter();
    let is_doc = matches!(inner.next(), Some(TokenTree::Ident(name)) if name == "doc");
    let is_set = matches!(inner.next(), Some(TokenTree::Punct(mark)) if mark.as_char() == '=');
    group.delimiter() == Delimiter::Bracket && is_doc && is_set
}

/// A hash of the tokens.
pub fn hash(tokens: &[TokenTree]) -> Hash {
    let mut text = String::new();
    write(tokens, &mut text);
    Hash::of(text.as_bytes())
}

/// Writes the tokens, each with a space after it, except between adjacent punctuation marks. So `&&` and `& &` give different texts.
fn write(tokens: &[TokenTree], text: &mut String) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("( ", ") "),
                    Delimiter::Brace => ("{ ", "} "),
                    Delimiter::Bracket => ("[ ", "] "),
                    Delimiter::None => ("", ""),
                };
                text.push_str(open);
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                write(without_last_comma(&inner, group.delimiter()), text);
                text.push_str(close);
            }
            TokenTree::Punct(mark) => {
                text.push(mark.as_char());
                if mark.spacing() == proc_macro2::Spacing::Alone {
                    text.push(' ');
                }
            }
            token => {
                text.push_str(&token.to_string());
                text.push(' ');
            }
        }
    }
}

/// A list without the comma after its last part. `(a,)` keeps the comma: it is a tuple.
fn without_last_comma(tokens: &[TokenTree], delimiter: Delimiter) -> &[TokenTree] {
    let is_comma =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    let commas = tokens.iter().filter(|token| is_comma(token)).count();
    match tokens {
        [list @ .., last]
            if is_comma(last) && (commas > 1 || delimiter != Delimiter::Parenthesis) =>
        {
            list
        }
        tokens => tokens,
    }
}
