//! The compiler's messages for requests that cannot run, word for word: they say what to write.
//!
//! After a change of a message: `TRYBUILD=overwrite cargo test -p messages-tests`, and read what has changed.

#[test]
fn refused_requests_say_what_to_write() {
    trybuild::TestCases::new().compile_fail("refused/*.rs");
}
