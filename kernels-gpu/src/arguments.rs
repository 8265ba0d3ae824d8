//! What a launch tells a kernel: the arguments of each kind, written once.
//!
//! A kind's list is a macro of its folder that hands its fields to another macro. Three are made of them: the parameters of an entry; the
//! struct that the entry makes of these, and passes on to the kernel; and the host's words for them. Every field has 64 bits.

/// Declares the struct of a list.
macro_rules! arguments {
    (
        $(#[$documentation:meta])* $name:ident<$($t:ident),*>;
        $($(#[$field_documentation:meta])* $field:ident: $type:ty,)*
    ) => {
        $(#[$documentation])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        pub struct $name<$($t),*> {
            $($(#[$field_documentation])* pub $field: $type,)*
        }
    };
}
