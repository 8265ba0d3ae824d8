//! Asynchronous copies: `cp.async` from global to shared memory, and `cp.async.bulk` in both directions. Not supported are copies of
//! tensors, multicast copies, copies that reduce, and copies to other blocks of a cluster.

use super::body::Body;
use super::mbarrier;
use super::opcode::Opcode;
use super::operand::exactly;
use super::transfer;
use super::types::U32;
use crate::counters::Class;
use crate::program::{AddressSpace, CopyAsync, Mbarrier, MbarrierKind, Op, Phase, Reg, WaitFor};
use crate::ptx::ast::{Number, Operand};

/// Modifiers that say how much a cache should fetch. They have no effect on the virtual device.
const CACHE_HINTS: [&str; 3] = ["L2::64B", "L2::128B", "L2::256B"];

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    if !opcode.takes("async") {
        return Err("`cp` is supported as `cp.async` only".into());
    }
    let kind = match opcode.takes("bulk") {
        true => WaitFor::Bulk,
        false => WaitFor::Plain,
    };
    if opcode.takes("commit_group") {
        let [] = exactly(operands)?;
        body.emit(Op::CopyCommit(kind), Class::Memory);
        return Ok(());
    }
    if opcode.takes("wait_all") {
        let [] = exactly(operands)?;
        body.emit(Op::CopyWait { kind, but: None }, Class::Memory);
        return Ok(());
    }
    if opcode.takes("wait_group") {
        // With `.read` it would be enough to wait until the source has been read. The virtual device waits for the whole copy.
        opcode.takes("read");
        let [Operand::Number(Number::Integer(but))] = operands else {
            return Err("`wait_group` takes a number".into());
        };
        let but = Some(u32::try_from(*but).unwrap_or(u32::MAX));
        body.emit(Op::CopyWait { kind, but }, Class::Memory);
        return Ok(());
    }
    if opcode.takes("mbarrier") {
        return arrive_when_landed(body, opcode, operands);
    }
    match kind {
        WaitFor::Plain => plain(body, opcode, operands),
        WaitFor::Bulk => bulk(body, opcode, operands),
    }
}

/// `cp.async.mbarrier.arrive`: one arrival when the thread's earlier copies without `.bulk` have landed. Without `.noinc`, the instruction
/// first raises the pending count by one, and the arrival lowers it again. So the count is unchanged in the end, and the instruction only
/// orders the copies before the phase's end.
fn arrive_when_landed<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let arrives = opcode.takes("noinc");
    if !opcode.takes("arrive") {
        return Err("`cp.async.mbarrier` without `.arrive`".into());
    }
    let [place] = exactly(operands)?;
    let address = mbarrier::address(body, opcode, place)?;
    opcode.ty()?;
    let (kind, operand) = match arrives {
        true => (MbarrierKind::Arrive, 1),
        false => (MbarrierKind::Complete, 0),
    };
    let report = Mbarrier {
        kind,
        phase: Phase::MayEnd,
        address,
        operand: body.constant(operand),
        d: None,
        p: None,
    };
    body.emit(Op::CopyReport(report), Class::Sync);
    Ok(())
}

fn scratch(body: &mut Body<'_, '_>) -> [Reg; 5] {
    std::array::from_fn(|_| body.new_register())
}

fn plain<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let whole_line = match opcode.choice(&[("ca", false), ("cg", true)]) {
        Some(whole_line) => whole_line,
        None => return Err("`cp.async` without a cache level that is supported".into()),
    };
    let to_shared = opcode.takes("shared") || opcode.takes("shared::cta");
    if !to_shared || !opcode.takes("global") {
        return Err("`cp.async` copies from `global` to `shared`".into());
    }
    for hint in CACHE_HINTS {
        opcode.takes(hint);
    }
    let operands = transfer::without_policy(body, opcode, operands)?;
    let (to, from, bytes, read) = match operands {
        [to, from, bytes] => (to, from, bytes, None),
        [to, from, bytes, read] => (to, from, bytes, Some(read)),
        _ => return Err(format!("{} operands of `cp.async`", operands.len())),
    };
    let bytes = match (bytes, whole_line) {
        (Operand::Number(Number::Integer(bytes @ (4 | 8))), false) => *bytes,
        (Operand::Number(Number::Integer(16)), _) => 16,
        _ => return Err("`cp.async` of a size that is not supported".into()),
    };
    let bytes = body.constant(bytes);
    let read = match read {
        None => None,
        Some(read) => Some(bytes_read(body, bytes, read)?),
    };
    let form = CopyAsync {
        kind: WaitFor::Plain,
        to: body.address(to, AddressSpace::Shared)?,
        from: body.address(from, AddressSpace::Global)?,
        bytes,
        read,
        mbarrier: None,
        scratch: scratch(body),
    };
    body.emit(Op::CopyAsync(form), Class::Memory);
    Ok(())
}

/// The number of bytes that are read from the source. `operand` is this number, or a predicate. If the
/// predicate is true, no bytes are read, otherwise all.
fn bytes_read<'a>(
    body: &mut Body<'a, '_>,
    bytes: Reg,
    operand: &Operand<'a>,
) -> Result<Reg, String> {
    let is_number = body.source(operand, U32);
    if let Ok(read) = is_number {
        return Ok(read);
    }
    let ignores = body.source_predicate(operand)?;
    let (d, none) = (body.new_register(), body.constant(0));
    let op = Op::Select {
        d,
        a: none,
        b: bytes,
        p: ignores,
    };
    body.emit(op, Class::Compare);
    Ok(d)
}

fn bulk<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    if opcode.takes("prefetch") {
        opcode.takes("L2");
        opcode.takes("global");
        transfer::without_policy(body, opcode, operands)?;
        body.emit(Op::Nothing, Class::Memory);
        return Ok(());
    }
    let operands = transfer::without_policy(body, opcode, operands)?;
    let is_global = opcode.takes("global");
    let is_own = opcode.takes("shared::cta");
    let of_cluster = opcode.takes("shared::cluster");
    let reports = opcode.takes("mbarrier::complete_tx::bytes");
    let groups = opcode.takes("bulk_group");
    let (to, from, bytes, mbarrier) = match operands {
        [to, from, bytes] if groups && !reports => (to, from, bytes, None),
        [to, from, bytes, mbarrier] if reports && !groups => (to, from, bytes, Some(mbarrier)),
        _ => return Err("`cp.async.bulk` in this form is not supported".into()),
    };
    let (to_space, from_space) = match (is_global, is_own ^ of_cluster, groups) {
        (true, true, false) => (AddressSpace::Shared, AddressSpace::Global),
        (true, true, true) => (AddressSpace::Global, AddressSpace::Shared),
        _ => return Err("`cp.async.bulk` between these spaces is not supported".into()),
    };
    let form = CopyAsync {
        kind: WaitFor::Bulk,
        to: body.address(to, to_space)?,
        from: body.address(from, from_space)?,
        bytes: body.source(bytes, U32)?,
        read: None,
        mbarrier: match mbarrier {
            None => None,
            Some(place) => Some(mbarrier::address(body, opcode, place)?),
        },
        scratch: scratch(body),
    };
    body.emit(Op::CopyAsync(form), Class::Memory);
    Ok(())
}
