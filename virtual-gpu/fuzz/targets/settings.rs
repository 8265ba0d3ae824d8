//! Any environment is read as settings, or refused with an error that names one of its variables.

#![no_main]

use virtual_gpu::Settings;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let variables = lines.map(|(name, value)| (name.into(), value.into()));
    if let Err(error) = Settings::from_variables(variables) {
        assert!(error.to_string().contains("VIRTUAL_GPU"));
    }
});
