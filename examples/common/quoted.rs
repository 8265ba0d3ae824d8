//! Foreign text in messages: words of a file, names of files, arguments.
//!
//! Quoted text can neither flood a terminal nor control it. Text beyond a given number of characters is shown as `…`. Control characters
//! and invisible characters are shown as escapes. A byte that is not UTF-8 is shown as an escape such as `\xff`.

#![allow(dead_code, reason = "each example uses its part")]

use std::fmt::{self, Display, Formatter, Write};
use std::path::Path;

/// At most this many characters of a word are shown.
const WORD_CHARACTERS: usize = 40;

/// At most this many characters of a path are shown.
const PATH_CHARACTERS: usize = 200;

/// Foreign text, to be printed.
pub struct Printable<'a> {
    text: &'a [u8],
    most_characters: usize,
}

impl<'a> Printable<'a> {
    /// Shows at most `most_characters` characters of `text`. Bytes that are not UTF-8 are shown as escapes.
    pub fn new(text: &'a [u8], most_characters: usize) -> Self {
        Self {
            text,
            most_characters,
        }
    }
}

impl Display for Printable<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut room = self.most_characters;
        for chunk in self.text.utf8_chunks() {
            for character in chunk.valid().chars() {
                if room == 0 {
                    return f.write_char('…');
                }
                room -= 1;
                match character {
                    '\'' | '"' => f.write_char(character)?,
                    _ => write!(f, "{}", character.escape_debug())?,
                }
            }
            for byte in chunk.invalid() {
                if room == 0 {
                    return f.write_char('…');
                }
                room -= 1;
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// A word in backquotes.
pub fn word(text: &[u8]) -> String {
    format!("`{}`", Printable::new(text, WORD_CHARACTERS))
}

/// A path in backquotes.
pub fn path(path: &Path) -> String {
    let name = path.as_os_str().as_encoded_bytes();
    format!("`{}`", Printable::new(name, PATH_CHARACTERS))
}
