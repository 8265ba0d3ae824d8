//! One kernel, its input, and its launch.

use super::kernel::FUNCTIONS;

/// A kernel to be run on two machines. Its parameters are two addresses: the address of its input, and the address of its output.
#[derive(Debug, Clone)]
pub struct Case {
    /// The name of the case in reports.
    pub name: String,
    /// The kernel's name in the text.
    pub entry: String,
    pub text: String,
    pub input: Vec<u8>,
    pub output_bytes: usize,
    pub blocks: u32,
    pub threads: u32,
}

/// The value of each output byte before the launch.
pub const FILL: u8 = 0xcd;

/// The text of a module with the kernels of these cases.
pub fn module_text<'a>(cases: impl IntoIterator<Item = &'a Case>) -> String {
    let kernels = cases.into_iter().map(|case| case.text.as_str());
    let mut text = format!(".version 8.6\n.target sm_90\n.address_size 64\n{FUNCTIONS}");
    text.extend(kernels);
    text
}

/// Something that runs kernels.
pub trait Machine {
    /// The output of each case, or why the case has no output.
    fn run(&mut self, cases: &[Case]) -> Vec<Outcome>;

    /// Whether a text loads, or why not.
    fn load(&mut self, text: &str) -> Result<(), String>;

    /// The cases that do not load: their indices, and their errors.
    fn refused(&mut self, cases: &[Case]) -> Vec<(usize, String)> {
        let mut refused = Vec::new();
        let numbers: Vec<usize> = (0..cases.len()).collect();
        for batch in numbers.chunks(REFUSAL_BATCH) {
            if self
                .load(&module_text(batch.iter().map(|&i| &cases[i])))
                .is_ok()
            {
                continue;
            }
            for &number in batch {
                let alone = self.load(&module_text([&cases[number]]));
                refused.extend(alone.err().map(|error| (number, error)));
            }
        }
        refused
    }
}

/// [`Machine::refused`] first loads this many cases together.
const REFUSAL_BATCH: usize = 16;

/// The output of a kernel, or why the kernel has no output.
pub type Outcome = Result<Vec<u8>, Failure>;

/// Why a machine gives no output.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The text does not load.
    #[error("it does not load: {0}")]
    Load(String),
    /// Another reason, such as a fault of the kernel.
    #[error("it does not run: {0}")]
    Run(String),
}
