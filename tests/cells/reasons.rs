//! Why a cell does not run. Each reason is an error of the compiler, and a file of `tests/messages` shows the error.

pub struct Reason {
    pub text: &'static str,
    /// The name of the file in `tests/messages/refused`.
    pub message: &'static str,
}

macro_rules! reasons {
    ($($name:ident: $message:literal, $text:literal;)*) => {
        $(pub static $name: Reason = Reason { text: $text, message: $message };)*
        /// All reasons, in the order of the documentation.
        pub static REASONS: &[&Reason] = &[$(&$name),*];
    };
}

reasons! {
    QUEUED: "reduction_queued_without_result",
        "Queued work returns nothing: it needs `.to(&mut results)`, or `.in_place()`.";
    UNCOUNTED: "selection_queued_without_count",
        "Only the device knows how many items are chosen, or how many runs there are: queued work needs `.count_to(&mut count)`.";
    UNLOCATED: "by_key_queued_without_runs",
        "Queued work by key needs `.runs_to(&mut starts, &mut count)`: places that are as long as the keys.";
    SEVERAL: "several_results_returned",
        "Several results in device memory are not returned: they need `.to(&mut results)`, or `.in_place()`.";
    FOUND: "selection_without_output",
        "What is found in device memory is not returned: it needs `.to(…)` and its kin.";
    RETURNED: "indices_of_device_memory_returned",
        "This is returned of slices only; in device memory it is written, by `.indices_to(…)` and its kin.";
    WRITTEN: "lengths_of_a_slice_written",
        "This is written to device memory only; of slices it is returned, by `.indices()` and its kin.";
    LENGTH: "count_of_a_slice",
        "A slice knows its length.";
    GROUPS: "rows_on_a_group",
        "Groups of GPUs reduce and scan the whole, without options; `&gpus` returns what it makes of slices, and `&mut member` returns a \
         reduction and writes a scan.";
    PAIRS: "rows_of_pairs",
        "No kernel has two inputs in this shape.";
    OF_PAIRS: "scan_of_pairs",
        "No kernel scans two inputs.";
    PITCH: "pitch_of_segments",
        "A pitch is for rows, columns and an axis: offsets say where segments lie.";
    WHOLE: "initial_value_of_rows",
        "Several scans begin with the identity, and have no total: no kernel takes them.";
    IN_PLACE: "rows_in_place",
        "Several scans are not done in place: a block reads items beside its own.";
}
