//! Streams as calls find them: handles that come back, and addresses that were seen.

use super::*;
use crate::gpu::Gpu;

#[test]
fn a_new_stream_takes_over_the_workspace_of_the_one_before() {
    let gpu = Gpu::new().unwrap();
    gpu.enter(|_| {
        let mut known = KnownStream::default();
        let control = |known: &mut KnownStream, capture| {
            let workspace = known.workspace(Stream::DEFAULT, capture, 0);
            workspace.map(Workspace::control)
        };
        let first = control(&mut known, Capture::Off)?;

        // As if another stream had the handle now.
        known.pass_on(Some(7))?;
        assert_eq!(control(&mut known, Capture::Off)?, first);
        assert_eq!(known.id, Some(7));

        // A graph may hold the address, so another stream gets another workspace.
        assert_eq!(control(&mut known, Capture::On)?, first);
        known.pass_on(Some(8))?;
        assert_ne!(control(&mut known, Capture::Off)?, first);
        assert_eq!(known.retired.len(), 1);
        Ok(())
    })
    .unwrap();
}

#[test]
fn an_address_is_remembered_until_another_takes_its_place() {
    let mut seen = SeenAddresses::default();
    let addresses: Vec<Address> = (1..200)
        .map(|index| 0x7f00_0000_0000 + index * 512)
        .collect();
    for &address in &addresses {
        assert!(!seen.holds(address));
        seen.insert(address);
        assert!(seen.holds(address));
    }
    let held = addresses.iter().filter(|&&address| seen.holds(address));
    assert!(held.count() <= SeenAddresses::PLACES);
}
