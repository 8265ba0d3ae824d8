//! Kernels as texts.

/// A kernel's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Its symbol.
    pub symbol: String,
    /// A whole PTX text, with this kernel as its only entry.
    pub text: String,
}

/// The kernels for a compute capability and all higher ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiled {
    /// The compute capability, major and minor.
    pub capability: (u32, u32),
    /// The kernels, in the order of their symbols.
    pub kernels: Vec<Kernel>,
}
