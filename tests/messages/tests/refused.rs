//! The compiler's messages for requests and operators that the library refuses, word for word. Most messages say what to write.
//!
//! If a message changes: run `TRYBUILD=overwrite cargo test -p messages-tests`, and read the changes of the `.stderr` files.

#[test]
fn refused_requests_say_what_to_write() {
    trybuild::TestCases::new().compile_fail("refused/*.rs");
}
