//! The compiler's messages for requests and operators that the library refuses, word for word. Most messages say what to write.
//!
//! After a change of a message: `TRYBUILD=overwrite cargo test -p messages-tests`, and read what has changed.

#[test]
fn refused_requests_say_what_to_write() {
    trybuild::TestCases::new().compile_fail("refused/*.rs");
}
