//! The kernels' arguments: a list for each kind, written once.
//!
//! A kind's list is a macro in the kind's folder, and passes the kind's fields to another macro. Three things are made from the fields: the
//! parameters of an entry; the struct in which the entry passes them to the kernel; and the words that the host passes to the launch. Every
//! field has 64 bits.

/// Declares the struct with the fields of a kind's list.
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
