//! Descriptions of the rungs: a file for each document, and one for warpfold's own rungs.

pub mod document1;
pub mod document2;
pub mod document3;
pub mod document4;
pub mod document5;
pub mod library;

use crate::{BlockSizes, Document, Kind};

/// A rung's description; see the methods of [`crate::Rung`].
pub struct About {
    pub title: &'static str,
    pub document: Document,
    pub kind: Kind,
    pub idea: &'static str,
    pub improvement: Option<&'static str>,
    pub block_sizes: BlockSizes,
    pub family: Option<&'static str>,
}
