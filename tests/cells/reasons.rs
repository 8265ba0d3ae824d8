//! Why a cell does not run. Each reason is a compile error, and a file of `tests/messages` shows the error.

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
        "Queued work returns nothing. Results need `.to(&mut results)` or `.in_place()`, and a total needs `.total(&mut total)`.";
    UNCOUNTED: "selection_queued_without_count",
        "Only the device knows the number of chosen items or of runs: queued work needs `.count_to(&mut count)`.";
    UNLOCATED: "by_key_queued_without_runs",
        "Only the device knows the number of runs of keys: a queued reduction needs `.count_to(&mut count)`, or `.runs_to(&mut starts, &mut count)`.";
    SEVERAL: "several_results_returned",
        "Several results in device memory are not returned: they need `.to(&mut results)`, or `.in_place()`.";
    FOUND: "selection_without_output",
        "Items found in device memory are not returned: the request needs `.to(…)` or another output.";
    RETURNED: "indices_of_device_memory_returned",
        "Only requests on slices have this method. With device memory, the outputs `.rest_to(…)`, `.indices_to(…)`, `.lengths_to(…)` \
         and `.starts_to(…)` take its place.";
    WRITTEN: "lengths_of_a_slice_written",
        "Only requests on device memory have this output. With slices, `.indices()`, `.lengths()` and `.starts()` return indices, lengths \
         and starts. With `.to(&mut results)`, a selection, runs and a reduction by key return the count. The starts of runs of keys are \
         those of `runs(&k).starts()`.";
    LENGTH: "count_of_a_slice",
        "A slice knows its length.";
    GROUPS: "rows_on_a_group",
        "A group of GPUs reduces or scans one input as a whole, without options other than `.exclusive()`. `&gpus` returns all results. \
         `&mut member` returns the result of a reduction, and writes the results of a scan.";
    PAIRS: "rows_of_pairs",
        "A reduction of two inputs combines whole inputs, without `.count(&n)` and `.in_order()`.";
    OF_PAIRS: "scan_of_pairs",
        "No kernel scans two inputs.";
    PITCH: "pitch_of_segments",
        "A pitch is for rows, columns and an axis: offsets say where segments lie.";
    WHOLE: "initial_value_of_rows",
        "A scan of several parts begins each part with the identity, and has no total.";
    IN_PLACE: "rows_in_place",
        "A scan of several parts is not done in place: a block reads items next to its own.";
}
