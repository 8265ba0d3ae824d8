//! The Rust items of a file (types, functions, `impl`s, …), and those that a row depends on.
//!
//! A row depends on the items that it names, on the items that these items name, and so on. Names are compared as words, in any position.
//! So a row may seem to depend on an item that it does not need. But no item that the row needs is left out. An item or a name *counts* if
//! the row depends on it:
//!
//! - An item counts if it defines a name that counts. The names of its methods are among those that it defines: `x.twice()` depends on the
//!   trait that defines `twice`.
//! - An `impl` counts if a name in its type counts. If its type is foreign (it has no name that the file defines), the `impl` counts if its
//!   trait counts, or if its trait is foreign as well.
//! - An alias counts together with the aliased type, since an `impl` may name either.
//! - A macro, or a call of a macro, is taken to define every name in it. A call of a macro of the library, such as `item!`, only defines
//!   the structs in it.
//! - Anything else always counts.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The items of a file.
#[derive(Debug, Default)]
pub struct Items {
    items: Vec<Item>,
    /// All names that the file defines.
    defined: BTreeSet<String>,
}

#[derive(Debug)]
struct Item {
    tokens: Vec<TokenTree>,
    /// All words in the tokens.
    words: BTreeSet<String>,
    counts: Counts,
}

/// Says when a row depends on an item.
#[derive(Debug)]
enum Counts {
    Always,
    /// If one of these words counts.
    WithOne(BTreeSet<String>),
    /// An `impl`: if its type has words that the file defines, one of them must count. Otherwise the same holds for its trait. If neither
    /// has a word that the file defines, the `impl` always counts.
    OfImpl {
        of_type: BTreeSet<String>,
        of_trait: BTreeSet<String>,
    },
}

impl Items {
    /// The items of these tokens.
    pub fn of(tokens: Vec<TokenTree>) -> Self {
        let items: Vec<Item> = split(tokens).into_iter().map(Item::of).collect();
        let mut defined = BTreeSet::new();
        for item in &items {
            if let Counts::WithOne(names) = &item.counts {
                defined.extend(names.iter().cloned());
            }
        }
        Self { items, defined }
    }

    /// The tokens of all items that a row depends on.
    pub fn of_row(&self, row: &[TokenTree]) -> Vec<TokenTree> {
        let mut words = words(row);
        let mut counts = vec![false; self.items.len()];
        loop {
            let mut has_grown = false;
            for (item, counts) in self.items.iter().zip(&mut counts) {
                if !*counts && self.counts(item, &words) {
                    words.extend(item.words.iter().cloned());
                    *counts = true;
                    has_grown = true;
                }
            }
            if !has_grown {
                break;
            }
        }
        let counting = self.items.iter().zip(counts).filter(|(_, counts)| *counts);
        counting.flat_map(|(item, _)| item.tokens.clone()).collect()
    }

    fn counts(&self, item: &Item, words: &BTreeSet<String>) -> bool {
        match &item.counts {
            Counts::Always => true,
            Counts::WithOne(names) => !names.is_disjoint(words),
            Counts::OfImpl { of_type, of_trait } => {
                let defined = |words: &BTreeSet<String>| -> BTreeSet<String> {
                    words.intersection(&self.defined).cloned().collect()
                };
                let (own, traits) = (defined(of_type), defined(of_trait));
                match (own.is_empty(), traits.is_empty()) {
                    (false, _) => !own.is_disjoint(words),
                    (true, false) => !traits.is_disjoint(words),
                    (true, true) => true,
                }
            }
        }
    }
}

/// The tokens of each item. An item ends with a semicolon or a block in braces. But a `const`, `static`, `type` or `use` may have braces
/// before its end, so it ends only with a semicolon.
fn split(tokens: Vec<TokenTree>) -> Vec<Vec<TokenTree>> {
    let mut items = vec![Vec::new()];
    for token in tokens {
        let ends = match &token {
            TokenTree::Punct(mark) => mark.as_char() == ';',
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let begun = items.last().map(Vec::as_slice).unwrap_or_default();
                !matches!(
                    keyword(begun).as_deref(),
                    Some("const" | "static" | "type" | "use")
                )
            }
            _ => false,
        };
        if let Some(item) = items.last_mut() {
            item.push(token);
        }
        if ends {
            items.push(Vec::new());
        }
    }
    items.retain(|item| !item.is_empty());
    items
}

impl Item {
    fn of(tokens: Vec<TokenTree>) -> Self {
        let words = words(&tokens);
        let mut names = BTreeSet::new();
        definitions(tokens.iter().cloned().collect(), &mut names);
        let counts = match keyword(&tokens).as_deref() {
            Some("type") => Counts::WithOne(words.clone()),
            Some("!") if is_of_library(&tokens) && !names.is_empty() => Counts::WithOne(names),
            Some("!") => Counts::WithOne(words.clone()),
            Some("impl") => header(&tokens),
            Some("use") | None => Counts::Always,
            // `const _: () = …` has no name.
            Some(_) if names.is_empty() || names.contains("_") => Counts::Always,
            Some(_) => Counts::WithOne(names),
        };
        Self {
            tokens,
            words,
            counts,
        }
    }
}

/// Whether the call of a macro begins with the library's name.
fn is_of_library(tokens: &[TokenTree]) -> bool {
    matches!(tokens.first(), Some(TokenTree::Ident(name)) if name == "warpfold")
}

/// The kind of an item: its first keyword, or `!` for a macro. Other tokens may precede it.
fn keyword(tokens: &[TokenTree]) -> Option<String> {
    const KINDS: [&str; 11] = [
        "impl", "struct", "enum", "union", "trait", "mod", "fn", "static", "type", "use", "const",
    ];
    let mut before_mark = false;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '!' && before_mark => {
                return Some("!".to_owned());
            }
            TokenTree::Ident(word) => {
                let word = word.to_string();
                // `const fn`, `const unsafe fn`
                let is_function = word == "const"
                    && matches!(tokens.get(at + 1), Some(TokenTree::Ident(next)) if next == "fn" || next == "unsafe");
                if KINDS.contains(&word.as_str()) && !is_function {
                    return Some(word);
                }
                before_mark = true;
            }
            _ => before_mark = false,
        }
    }
    None
}

/// The names after `fn`, `struct` and the like, at any depth.
fn definitions(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let mut defines = false;
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                let word = word.to_string();
                if defines && word != "fn" && word != "unsafe" && word != "mut" {
                    names.insert(word.clone());
                }
                let words = [
                    "fn", "struct", "enum", "union", "const", "static", "type", "trait", "mod",
                    "unsafe", "mut",
                ];
                defines = words.contains(&word.as_str());
            }
            TokenTree::Group(group) => {
                definitions(group.stream(), names);
                defines = false;
            }
            _ => defines = false,
        }
    }
}

/// Says when an `impl` counts: the words of its trait and its type decide.
fn header(tokens: &[TokenTree]) -> Counts {
    let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let head = tokens.split(is_body).next().unwrap_or_default();
    let is_for = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "for");
    match head.iter().rposition(is_for) {
        Some(at) => Counts::OfImpl {
            of_type: words(&head[at..]),
            of_trait: words(&head[..at]),
        },
        None => Counts::OfImpl {
            of_type: words(head),
            of_trait: BTreeSet::new(),
        },
    }
}

/// Keywords, primitive types and names of crates: words that are never taken for the name of an item of the file.
#[rustfmt::skip]
const NAMELESS: [&str; 58] = [
    "as", "break", "const", "continue", "core", "crate", "else", "enum", "extern", "false", "fn", "for", "if", "impl",
    "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self", "Self", "static", "struct",
    "super", "trait", "true", "type", "union", "unsafe", "use", "warpfold", "where", "while", "macro_rules", "_",
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
    "str", "dyn",
];

/// All words among the tokens that may be names, at any depth.
fn words(tokens: &[TokenTree]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(tokens.iter().cloned().collect(), &mut found);
    found
}

fn collect(tokens: TokenStream, words: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(word) => {
                let word = word.to_string();
                if !NAMELESS.contains(&word.as_str()) {
                    words.insert(word);
                }
            }
            TokenTree::Group(group) => collect(group.stream(), words),
            _ => {}
        }
    }
}
