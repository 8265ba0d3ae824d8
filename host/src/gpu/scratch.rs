//! The scratch memory of one stream's launches.
//!
//! Launches that share a [`Workspace`] must be ordered, and those on one stream are. A larger scan needs more state words, and so
//! another workspace. The outgrown one is kept, since queued work may use it. Each workspace is at least twice as large as the
//! previous one, so all of them together are less than twice as large as the last.

use super::workspace::{Place, Workspace};
use super::workspaces::Workspaces;
use crate::driver::Stream;
use crate::error::Result;

/// The scratch memory of one stream's launches.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    workspace: Option<Workspace>,
    outgrown: Vec<Workspace>,
    /// How far the launches of the last call came.
    progress: Progress,
}

/// How far the launches of a call have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All are queued.
    #[default]
    Complete,
    /// Some may be queued, others are not.
    Halfway,
}

impl Scratch {
    /// Begins a call. A workspace that a failed call has left in the middle of its tickets is not used again.
    pub fn begin_call(&mut self) {
        if self.progress == Progress::Halfway {
            self.progress = Progress::Complete;
            // Freeing waits for the work.
            self.workspace = None;
        }
    }

    /// Records how far a call has come.
    pub fn set_progress(&mut self, progress: Progress) {
        self.progress = progress;
    }

    /// The stream's workspace, with at least `state_words` state words.
    pub(super) fn place(
        &mut self,
        stream: Stream<'_>,
        state_words: u64,
        workspaces: &Workspaces,
    ) -> Result<Place> {
        if let Some(workspace) = &self.workspace
            && workspace.state_words() >= state_words
        {
            return Ok(workspace.place());
        }
        let workspace = match self.workspace.take() {
            None => workspaces.take(stream, state_words)?,
            Some(outgrown) => {
                let doubled = state_words.max(2 * outgrown.state_words());
                let grown = workspaces.take(stream, doubled);
                match grown.is_ok() {
                    true => self.outgrown.push(outgrown),
                    false => self.workspace = Some(outgrown),
                }
                grown?
            }
        };
        Ok(self.workspace.insert(workspace).place())
    }

    /// Gives up all workspaces. Queued work may still use them.
    pub fn give_up(&mut self) -> impl Iterator<Item = Workspace> {
        self.outgrown.drain(..).chain(self.workspace.take())
    }
}
