//! Runs that start and end at borders.

/// Lengths of runs, for windows of `window` items. In most lists, some runs start at the border of a word of bits, a window, half a window
/// or a tile.
pub fn lengths(window: usize) -> Vec<(&'static str, Vec<usize>)> {
    let ones = |count| vec![1; count];
    let starts_around = |unit: usize, count: usize| {
        let mut lengths = vec![unit - 1];
        for _ in 0..count {
            lengths.extend([1, 1, unit - 2]);
        }
        lengths
    };
    let joined = |parts: &[Vec<usize>]| parts.concat();
    let (half, quarter) = (window / 2, window / 4);
    let three_eighths = 3 * window / 8;
    vec![
        ("around words", starts_around(32, window / 13)),
        ("around short windows", starts_around(256, 40)),
        ("around windows", starts_around(window, 4)),
        ("all different", ones(3 * window + window / 6)),
        ("whole windows", vec![window; 5]),
        (
            "a full half, then one run",
            joined(&[ones(half), vec![half], ones(window)]),
        ),
        (
            "one run, then a full half",
            joined(&[vec![half], ones(half), vec![window], ones(7)]),
        ),
        (
            "a long run between the halves",
            joined(&[
                ones(three_eighths),
                vec![three_eighths],
                ones(quarter),
                ones(window + quarter),
            ]),
        ),
        (
            "a long run that begins early",
            joined(&[
                ones(40),
                vec![half + quarter],
                ones(quarter - 40),
                vec![2 * window + quarter],
            ]),
        ),
        (
            "a head at the last place",
            joined(&[ones(half), vec![half - 1], vec![3], vec![2 * window - 192]]),
        ),
        (
            "the last run goes on",
            joined(&[
                ones(window - 1),
                vec![window + 1, window, window - 1],
                ones(9),
            ]),
        ),
        (
            "many chunks",
            joined(&[vec![5], vec![window * 17 + 1], ones(300), vec![2]]),
        ),
        (
            "short runs alone",
            joined(&[
                vec![16; window / 14],
                (0..three_eighths).map(|run| 1 + run * 7 % 16).collect(),
                ones(window + 4),
                vec![2; half + quarter],
            ]),
        ),
        (
            "dense and long",
            joined(&[
                ones(half + quarter),
                vec![30],
                ones(window / 7),
                vec![300, 17, 16, 15],
                ones(window / 5),
            ]),
        ),
    ]
}
