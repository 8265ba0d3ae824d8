//! The user's file as tokens: its rows, the Rust items (types, functions, `impl`s, …) that each row depends on, and the file with only some
//! of its rows.
//!
//! Comments, documentation and layout do not count: a row keeps its key when only those change.

mod items;
mod normal;

use std::collections::BTreeSet;
use std::ops::Range;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use self::items::Items;
pub use self::normal::Hash;
use crate::error::Error;

/// The user's file.
#[derive(Debug)]
pub struct Source {
    text: String,
    /// The rows of `operators!`; empty if they cannot be read.
    rows: Vec<Row>,
    /// The names of the functions in `kernels!`.
    kernels: Vec<String>,
    items: Items,
    tokens: Hash,
}

/// A row of `operators!`.
#[derive(Debug)]
pub struct Row {
    /// Its name. The symbols of its kernels end with this name.
    pub name: String,
    /// Its line in the file.
    pub line: usize,
    tokens: Vec<TokenTree>,
    bytes: Range<usize>,
}

impl Row {
    /// Its operator type and its item type, as text, and the word before `only`, if the row has an `only`.
    fn parts(&self) -> (String, Option<String>) {
        let [_, _, of @ .., _] = &self.tokens[..] else {
            return (String::new(), None);
        };
        let (of, word) = match of {
            [
                of @ ..,
                TokenTree::Punct(_),
                TokenTree::Ident(word),
                TokenTree::Ident(only),
            ] if only == "only" => (of, Some(word.to_string())),
            of => (of, None),
        };
        (TokenStream::from_iter(of.iter().cloned()).to_string(), word)
    }
}

impl Source {
    /// Reads a file's text. A text that is not Rust has no rows: the compiler will report its mistakes.
    pub fn parse(text: String) -> Result<Self, Error> {
        let Ok(tokens) = text.parse::<TokenStream>() else {
            return Ok(Self {
                tokens: Hash::of(text.as_bytes()),
                rows: Vec::new(),
                kernels: Vec::new(),
                items: Items::default(),
                text,
            });
        };
        let tokens = normal::without_documentation(tokens);
        let (kernels, _) = split_list_off("kernels", &tokens);
        let (list, others) = split_list_off("operators", &tokens);
        let rows = list.map(|list| rows(&list)).unwrap_or_default();
        refuse_equal_names(&rows)?;
        refuse_equal_rows(&rows)?;
        Ok(Self {
            tokens: normal::hash(&tokens),
            items: Items::of(others),
            rows,
            kernels: kernels.map(|list| functions(&list)).unwrap_or_default(),
            text,
        })
    }

    /// A hash of all tokens.
    pub fn tokens(&self) -> Hash {
        self.tokens
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The names of the functions in `kernels!`.
    pub fn kernels(&self) -> &[String] {
        &self.kernels
    }

    /// The error, in which each refusal now has the line of its row. The refusals are sorted by line.
    pub fn located(&self, error: Error) -> Error {
        match error {
            Error::Refused(mut refusals) => {
                for refusal in &mut refusals {
                    let mut rows = self.rows.iter();
                    let row = rows.find(|row| row.name == refusal.operator);
                    refusal.line = row.map(|row| row.line);
                }
                refusals.sort_by_key(|refusal| refusal.line);
                Error::Refused(refusals)
            }
            error => error,
        }
    }

    /// A hash of a row, and of everything in the file that the row depends on.
    pub fn key(&self, row: &Row) -> Hash {
        let mut tokens = self.items.of_row(&row.tokens);
        tokens.extend(row.tokens.iter().cloned());
        normal::hash(&tokens)
    }

    /// How much code a row of this name depends on, in tokens. Rows with more tokens take longer to compile.
    pub fn size(&self, name: &str) -> usize {
        let row = self.rows.iter().find(|row| row.name == name);
        row.map_or(0, |row| size(self.items.of_row(&row.tokens)))
    }

    /// The text with only these rows. The other rows are replaced by spaces, so lines and columns do not change.
    pub fn with_rows(&self, names: &BTreeSet<&str>) -> String {
        let mut bytes = self.text.clone().into_bytes();
        let others = self.rows.iter();
        for row in others.filter(|row| !names.contains(row.name.as_str())) {
            let blank = bytes[row.bytes.clone()].iter_mut();
            blank
                .filter(|byte| !b"\r\n".contains(byte))
                .for_each(|byte| *byte = b' ');
        }
        // Each replaced range begins and ends at a token, so the text is still UTF-8.
        String::from_utf8(bytes).unwrap_or_else(|_| self.text.clone())
    }
}

/// The list in the file's single call of the macro `of`, and all other tokens. If there is not exactly one call, returns `None` and all
/// tokens.
fn split_list_off(of: &str, tokens: &[TokenTree]) -> (Option<Group>, Vec<TokenTree>) {
    let is_list = |at: usize| match &tokens[at..] {
        [
            TokenTree::Ident(name),
            TokenTree::Punct(mark),
            TokenTree::Group(group),
            ..,
        ] => name == of && mark.as_char() == '!' && group.delimiter() != Delimiter::None,
        _ => false,
    };
    let mut places = (0..tokens.len()).filter(|at| is_list(*at));
    let (Some(at), None) = (places.next(), places.next()) else {
        return (None, tokens.to_vec());
    };
    let list = match &tokens[at + 2] {
        TokenTree::Group(group) => Some(group.clone()),
        _ => None,
    };
    // The other tokens include the path before the macro's name. They also include the semicolon after the list, if there is one.
    (list, [&tokens[..at], &tokens[at + 3..]].concat())
}

/// The names after `fn` in a list: the list's functions. Nested functions do not count: they are inside groups.
fn functions(list: &Group) -> Vec<String> {
    let tokens: Vec<TokenTree> = list.stream().into_iter().collect();
    let names = tokens.windows(2).filter_map(|two| match two {
        [TokenTree::Ident(keyword), TokenTree::Ident(name)] if keyword == "fn" => {
            Some(name.to_string())
        }
        _ => None,
    });
    names.collect()
}

/// The rows of a list. If a row does not begin with a name, the result is empty, and the compiler reports the mistake.
fn rows(list: &Group) -> Vec<Row> {
    let tokens: Vec<TokenTree> = list.stream().into_iter().collect();
    let is_end =
        |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ';');
    let rows: Option<Vec<Row>> = tokens.split_inclusive(is_end).map(row).collect();
    rows.unwrap_or_default()
}

fn row(tokens: &[TokenTree]) -> Option<Row> {
    let [TokenTree::Ident(name), .., last] = tokens else {
        return None;
    };
    let name: &Ident = name;
    Some(Row {
        name: name.to_string(),
        line: name.span().start().line,
        bytes: name.span().byte_range().start..last.span().byte_range().end,
        tokens: tokens.to_vec(),
    })
}

/// The number of tokens, including those in groups.
fn size(tokens: impl IntoIterator<Item = TokenTree>) -> usize {
    let size_of = |token| match token {
        TokenTree::Group(group) => size(group.stream()),
        _ => 1,
    };
    tokens.into_iter().map(size_of).sum()
}

fn refuse_equal_names(rows: &[Row]) -> Result<(), Error> {
    for (at, row) in rows.iter().enumerate() {
        if let Some(first) = rows[..at].iter().find(|first| first.name == row.name) {
            return Err(Error::EqualNames {
                name: row.name.clone(),
                lines: [first.line, row.line],
            });
        }
    }
    Ok(())
}

/// Refuses rows that have kernels in common. A `reduction only` row and a `scans only` row have no kernel in common.
fn refuse_equal_rows(rows: &[Row]) -> Result<(), Error> {
    let parts: Vec<_> = rows.iter().map(Row::parts).collect();
    let share = |a: usize, b: usize| {
        let ((of_a, word_a), (of_b, word_b)) = (&parts[a], &parts[b]);
        of_a == of_b && (word_a == word_b || word_a.is_none() || word_b.is_none())
    };
    for at in 0..rows.len() {
        if let Some(first) = (0..at).find(|first| share(*first, at)) {
            let two = [&rows[first], &rows[at]];
            return Err(Error::EqualRows {
                names: two.map(|row| row.name.clone()),
                lines: two.map(|row| row.line),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
