//! Any environment gives settings, or an error that names a variable of the environment.

#![no_main]

use virtual_gpu::Settings;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let variables = lines.map(|(name, value)| (name.into(), value.into()));
    if let Err(error) = Settings::from_variables(variables) {
        assert!(error.to_string().contains("VIRTUAL_GPU"));
    }
});
