//! warpfold
