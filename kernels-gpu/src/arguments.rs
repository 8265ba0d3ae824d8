//! The kernels' arguments, as lists. Kinds with the same arguments share a list.
//!
//! A list is a macro in the folder of its kinds, and passes its fields to another macro. Three things are made from the fields: the
//! parameters of an entry; the struct in which the entry passes them to the kernel; and the words that the host passes to the launch. Every
//! field has 64 bits.

/// Declares the struct with the fields of a list.
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
