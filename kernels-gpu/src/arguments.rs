//! The kernels' arguments: a list for each kind, written once.
//!
//! A kind's list is a macro of its folder that hands its fields to another macro. It makes a struct of them, which the host fills by
//! name; and the parameters of an entry, which puts the struct together again and passes it on. Every field has 64 bits.

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

        impl<$($t),*> $name<$($t),*> {
            /// A pointer to each of the arguments, in the order of the entry's parameters, as the driver expects them.
            pub fn pointers(&mut self) -> [*mut ::core::ffi::c_void; [$(stringify!($field)),*].len()] {
                [$((&raw mut self.$field).cast()),*]
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use core::ptr;

    use crate::reduce::ReduceArguments;
    use crate::workspace::{Control, Initial};

    #[test]
    fn arguments_are_pointed_at_in_their_order() {
        let mut control = Control {
            tickets: 0,
            departures: 0,
            fault: 0,
            initial: Initial([0; 16]),
        };
        let (mut state, item, mut result) = (4, 5.0f32, 6.0f64);
        let mut arguments = ReduceArguments::<f32, f64> {
            input: &raw const item,
            item_count: 1,
            item_count_at: ptr::null(),
            first_chunk: 2,
            control: &raw mut control,
            states: &raw mut state,
            state_words: 3,
            output: &raw mut result,
        };
        let expected = [
            arguments.input.addr() as u64,
            1,
            0,
            2,
            arguments.control.addr() as u64,
            arguments.states.addr() as u64,
            3,
            arguments.output.addr() as u64,
        ];
        let pointers = arguments.pointers();
        // SAFETY: each points to a field of 64 bits of `arguments`.
        let values = pointers.map(|pointer| unsafe { pointer.cast::<u64>().read() });
        assert_eq!(values, expected);
    }
}
