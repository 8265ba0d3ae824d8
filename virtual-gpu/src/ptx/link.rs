//! Links texts: combines several texts, which may refer to functions and variables of each other.
//!
//! Linking works on tokens. A text is split into header, declarations and definitions. If two texts define a name that is not private, and
//! at least one definition is weak, only one definition is kept. A private item is renamed if another text has an item of the same name:
//! `a` of the first text becomes `a$text0`. The first text keeps its line numbers, and each following text starts on a new line.

use super::lex::{Kind, Token, lex};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The visibility of an item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Linkage {
    Own,
    Visible,
    /// `.weak` or `.common`: a visible definition replaces it.
    Weak,
    Extern,
}

/// A declaration or definition outside functions.
struct Item<'a> {
    name: &'a str,
    linkage: Linkage,
    is_function: bool,
    is_definition: bool,
    /// The range of its bytes in the text.
    place: Range<usize>,
}

/// A text and its items.
struct Unit<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    items: Vec<Item<'a>>,
    /// The ranges of `.version`, `.target` and `.address_size` in the text.
    headers: Vec<Range<usize>>,
    version: (u32, u32),
    target: &'a str,
}

/// Combines the texts. Fails if they contain two visible definitions of a name.
pub(crate) fn link(texts: &[&str]) -> Result<String, String> {
    let units: Vec<Unit<'_>> = texts.iter().map(|text| Unit::new(text)).collect();
    let chosen = definitions(&units)?;
    let version = units.iter().map(|unit| unit.version).max();
    let (major, minor) = version.unwrap_or_default();
    let target = units.iter().map(|unit| unit.target);
    let target = target.max_by_key(|target| architecture(target));
    let mut linked = format!(".version {major}.{minor} ");
    linked += &format!(".target {} .address_size 64 ", target.unwrap_or_default());
    for (number, unit) in units.iter().enumerate() {
        let others = units
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != number);
        let taken = others.flat_map(|(_, unit)| unit.items.iter().map(|item| item.name));
        linked += &unit.written(number, &chosen, &taken.collect());
        linked.push('\n');
    }
    Ok(linked)
}

/// Whether a text has an `.extern` declaration.
pub(crate) fn needs_others(text: &str) -> bool {
    let unit = Unit::new(text);
    let mut items = unit.items.iter();
    items.any(|item| item.linkage == Linkage::Extern)
}

/// For each defined name that is not private, the number of the text whose definition is kept.
fn definitions<'a>(units: &[Unit<'a>]) -> Result<HashMap<&'a str, usize>, String> {
    let mut chosen: HashMap<&str, (usize, Linkage)> = HashMap::new();
    for (number, unit) in units.iter().enumerate() {
        for item in unit.items.iter().filter(|item| item.is_definition) {
            match (item.linkage, chosen.get(item.name)) {
                (Linkage::Own | Linkage::Extern, _) | (Linkage::Weak, Some(_)) => {}
                (Linkage::Visible, Some(&(_, Linkage::Visible))) => {
                    return Err(format!("`{}` is defined twice in the texts", item.name));
                }
                (linkage, _) => {
                    chosen.insert(item.name, (number, linkage));
                }
            }
        }
    }
    let texts = chosen.into_iter().map(|(name, (number, _))| (name, number));
    Ok(texts.collect())
}

/// The number in a target's name, such as 90 for `sm_90a`. It is used to find the highest target.
fn architecture(target: &str) -> u32 {
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

impl<'a> Unit<'a> {
    fn new(text: &'a str) -> Self {
        let mut unit = Self {
            text,
            // Invalid tokens are reported when the linked text is loaded.
            tokens: lex(text, &mut Vec::new()),
            items: Vec::new(),
            headers: Vec::new(),
            version: (0, 0),
            target: "",
        };
        let mut at = 0;
        // For an unterminated item, `item` may return an index past the last token.
        while unit.token(at).kind != Kind::End {
            at = unit.item(at).max(at + 1);
        }
        unit
    }

    fn token(&self, at: usize) -> Token<'a> {
        self.tokens[at.min(self.tokens.len() - 1)]
    }

    fn is(&self, at: usize, punct: u8) -> bool {
        self.token(at).kind == Kind::Punct(punct)
    }

    fn directive(&self, at: usize) -> Option<&'a str> {
        let next = self.token(at + 1);
        (self.is(at, b'.') && next.kind == Kind::Word).then_some(next.text)
    }

    /// Adds the header line or the declaration that begins at a token, and skips other text. Returns the index of the next token.
    fn item(&mut self, start: usize) -> usize {
        let begin = self.token(start).at;
        match self.directive(start) {
            Some("version") => {
                let number = |digits: &str| digits.parse().unwrap_or(0);
                if let Some((major, minor)) = self.token(start + 2).text.split_once('.') {
                    self.version = (number(major), number(minor));
                }
                self.header(start, start + 3)
            }
            Some("target") => {
                self.target = self.token(start + 2).text;
                let mut at = start + 3;
                while self.is(at, b',') {
                    at += 2;
                }
                self.header(start, at)
            }
            Some("address_size") => self.header(start, start + 3),
            Some("file" | "loc") => {
                let line = self.token(start).line;
                let rest = self.tokens[start..].iter();
                start + rest.take_while(|token| token.line == line).count()
            }
            Some("section") => self.past(start, b'}'),
            Some("pragma") => self.past(start, b';'),
            Some(_) => {
                let (names, at) = self.declaration(start);
                let place = begin..self.token(at).at;
                let names = names.into_iter();
                self.items.extend(names.map(|item| Item {
                    place: place.clone(),
                    ..item
                }));
                at
            }
            None => start + 1,
        }
    }

    fn header(&mut self, start: usize, end: usize) -> usize {
        let place = self.token(start).at..self.token(end).at;
        self.headers.push(place);
        end
    }

    fn past(&self, start: usize, punct: u8) -> usize {
        let rest = self.tokens[start..].iter();
        let is_end = |token: &&Token<'_>| token.kind == Kind::Punct(punct);
        start + rest.take_while(|token| !is_end(token)).count() + 1
    }

    /// The items of the declaration that begins at a token, without their places, and the index of the first token after the declaration.
    fn declaration(&self, start: usize) -> (Vec<Item<'a>>, usize) {
        let (mut at, mut depth, mut linkage) = (start, 0_u32, Linkage::Own);
        let (mut is_function, mut has_body, mut is_named) = (false, false, false);
        let mut items: Vec<Item<'a>> = Vec::new();
        loop {
            let token = self.token(at);
            at += 1;
            match token.kind {
                Kind::End => break,
                Kind::Punct(b'.') if depth == 0 => {
                    match self.token(at).text {
                        "visible" => linkage = Linkage::Visible,
                        "weak" | "common" => linkage = Linkage::Weak,
                        "extern" => linkage = Linkage::Extern,
                        "func" | "entry" => is_function = true,
                        _ => {}
                    }
                    at += 1;
                }
                Kind::Punct(b'{' | b'(' | b'[') => {
                    has_body |= is_function && depth == 0 && token.kind == Kind::Punct(b'{');
                    depth += 1;
                }
                Kind::Punct(b'}' | b')' | b']') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 && has_body {
                        break;
                    }
                }
                Kind::Punct(b';') if depth == 0 => break,
                Kind::Punct(b',') if depth == 0 => is_named = is_function,
                Kind::Word if depth == 0 && !is_named => {
                    is_named = true;
                    items.push(Item {
                        name: token.text,
                        linkage,
                        is_function,
                        is_definition: linkage != Linkage::Extern,
                        place: 0..0,
                    });
                }
                _ => {}
            }
        }
        for item in items.iter_mut().filter(|item| item.is_function) {
            item.is_definition = has_body;
        }
        (items, at)
    }

    /// The text's part of the linked text, with its private names made unique. It leaves out a definition if another text's definition of
    /// the same name is kept. It leaves out an `.extern` variable if a text has a definition of this variable that is not private.
    fn written(
        &self,
        number: usize,
        chosen: &HashMap<&str, usize>,
        taken: &HashSet<&str>,
    ) -> String {
        let is_dropped = |item: &&Item<'_>| match item.linkage {
            Linkage::Own => false,
            Linkage::Extern => !item.is_function && chosen.contains_key(item.name),
            _ => item.is_definition && chosen.get(item.name) != Some(&number),
        };
        let dropped = self.items.iter().filter(is_dropped);
        let dropped = dropped.map(|item| item.place.clone());
        let mut edits: Vec<(Range<usize>, String)> = dropped
            .chain(self.headers.iter().cloned())
            .map(|place| (place.clone(), lines_of(&self.text[place])))
            .collect();
        let own = self
            .items
            .iter()
            .filter(|item| item.linkage == Linkage::Own);
        let renamed: HashSet<&str> = own
            .map(|item| item.name)
            .filter(|name| taken.contains(name))
            .collect();
        let mut after_dot = false;
        for token in &self.tokens {
            if token.kind == Kind::Word && !after_dot && renamed.contains(token.text) {
                let place = token.at..token.at + token.text.len();
                edits.push((place, format!("{}$text{number}", token.text)));
            }
            after_dot = token.kind == Kind::Punct(b'.');
        }
        edits.sort_by_key(|(place, _)| place.start);
        let (mut written, mut at) = (String::new(), 0);
        for (place, text) in edits {
            // Names inside a dropped item need no replacement.
            if place.start >= at {
                written += &self.text[at..place.start];
                written += &text;
                at = place.end;
            }
        }
        written + &self.text[at..]
    }
}

/// The line breaks of a dropped piece of text, so that the lines after it keep their numbers.
fn lines_of(text: &str) -> String {
    let lines = text.bytes().filter(|&byte| byte == b'\n');
    lines.map(|_| '\n').collect::<String>() + " "
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_truncated_within_an_item_are_linked() {
        const WHOLE: &str = ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 a;\n";
        for end in [
            ".file 1 \"name\"",
            ".section .debug_loc {",
            ".pragma \"nounroll\"",
            ".visible .func f(",
            ".global .u32 b",
            ".target",
            ".version",
            ".",
            "",
        ] {
            let text = format!("{WHOLE}{end}");
            let linked = link(&[&text, WHOLE]).unwrap();
            let header = ".version 8.0 .target sm_80 .address_size 64 ";
            assert!(end == ".target" || linked.starts_with(header), "{linked}");
            // Each text has its own `a`.
            assert!(linked.contains(".u32 a$text0;"), "{linked}");
            assert!(linked.contains(".u32 a$text1;"), "{linked}");
            assert!(!needs_others(&text));
        }
    }
}
