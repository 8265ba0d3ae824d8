//! Segmented sums have the same bits under many schedules, on devices of 1, 7 and 132 multiprocessors, and when the tags are used up.

use virtual_gpu::RunOptions;
use warpfold::{Cpu, Sum, reduce};
use warpfold_kernels::segments::{RoomSize, chunk_items};

use crate::data::{Random, assert_same_bits, ordinary};
use crate::engine::{Engine, GENERATIONS, SM_90};
use crate::schedule::schedules;
use crate::shapes;

const KERNEL: &str = "segmented_reduce_sum_f32";

fn assert_right(engine: &Engine, lengths: &[usize], options: &RunOptions) {
    let offsets = shapes::offsets(2, lengths);
    let items = ordinary::<Sum, f32>(offsets[offsets.len() - 1]);
    let expected = reduce::<Sum, _>(&items)
        .segments(&offsets)
        .wait(Cpu)
        .unwrap();
    let offsets: Vec<u32> = offsets.iter().map(|&offset| offset as u32).collect();
    let (found, is_refused, _) = engine
        .segmented_reduce::<Sum, f32>(&items, &offsets, options)
        .unwrap_or_else(|error| panic!("{options:?}: {error}"));
    assert!(!is_refused);
    assert_same_bits(&found, &expected, &format!("{options:?}"));
}

#[test]
fn any_schedule() {
    let chunk = chunk_items::<f32, f32>() as usize;
    let mut random = Random::new(5);
    for (turn, options) in schedules(3).enumerate() {
        let generation = GENERATIONS[turn % 3];
        let text = generation.kernel(KERNEL);
        let multiprocessors = [1, 7, 132][turn / 3 % 3];
        let mut engine = Engine::new::<Sum, f32>(generation, multiprocessors, &text, 40 * chunk);
        engine.set_windows_of_turn(turn);
        assert_right(&engine, &[17 * chunk + 9, 40, 3 * chunk], &options);
        assert_right(&engine, &shapes::random(&mut random, 6 * chunk), &options);
        assert_right(&engine, &shapes::mixed(chunk), &options);
    }
}

/// In a large launch, a block has less room for items than in a small one.
#[test]
fn a_filled_room_in_a_large_launch() {
    let chunk = chunk_items::<f32, f32>() as usize;
    let text = SM_90.kernel(KERNEL);
    let engine = Engine::new::<Sum, f32>(SM_90, 1, &text, 6 * chunk);
    for lengths in shapes::filled::<f32, f32>(RoomSize::Small) {
        assert_right(&engine, &lengths, &RunOptions::default());
    }
}

#[test]
fn the_last_tag() {
    let chunk = chunk_items::<f32, f32>() as usize;
    let text = SM_90.kernel(KERNEL);
    for options in schedules(1) {
        let mut engine = Engine::new::<Sum, f32>(SM_90, 1, &text, 8 * chunk);
        engine.set_windows_per_block(2);
        engine.set_epoch(u32::MAX - 1);
        assert_right(&engine, &[3 * chunk + 1, 8], &options);
        assert_eq!(engine.epoch(), 0);
        assert!(engine.is_clear());
        assert_right(&engine, &[2 * chunk + 1, 8], &options);
        assert_eq!(engine.epoch(), 1);
    }
}
