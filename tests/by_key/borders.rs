//! Runs that start and end at borders.

/// Lengths of runs. In most lists, some runs start at the border of a word of bits, a window, half a window or a tile.
pub fn lengths() -> Vec<(&'static str, Vec<usize>)> {
    let ones = |count| vec![1; count];
    let starts_around = |unit: usize, count: usize| {
        let mut lengths = vec![unit - 1];
        for _ in 0..count {
            lengths.extend([1, 1, unit - 2]);
        }
        lengths
    };
    let joined = |parts: &[Vec<usize>]| parts.concat();
    vec![
        ("around words", starts_around(32, 300)),
        ("around short windows", starts_around(256, 40)),
        ("around windows", starts_around(4096, 4)),
        ("all different", ones(13_000)),
        ("whole windows", vec![4096; 5]),
        (
            "a full half, then one run",
            joined(&[ones(2048), vec![2048], ones(4096)]),
        ),
        (
            "one run, then a full half",
            joined(&[vec![2048], ones(2048), vec![4096], ones(7)]),
        ),
        (
            "a long run between the halves",
            joined(&[ones(1500), vec![1500], ones(1096), ones(5000)]),
        ),
        (
            "a long run that begins early",
            joined(&[ones(40), vec![3000], ones(1056), vec![9000]]),
        ),
        (
            "a head at the last place",
            joined(&[ones(2048), vec![2047], vec![3], vec![8000]]),
        ),
        (
            "the last run goes on",
            joined(&[ones(4095), vec![4097, 4096, 4095], ones(9)]),
        ),
        (
            "many chunks",
            joined(&[vec![5], vec![4096 * 17 + 1], ones(300), vec![2]]),
        ),
        (
            "short runs alone",
            joined(&[
                vec![16; 300],
                (0..1500).map(|run| 1 + run * 7 % 16).collect(),
                ones(4100),
                vec![2; 3000],
            ]),
        ),
        (
            "dense and long",
            joined(&[
                ones(3000),
                vec![30],
                ones(600),
                vec![300, 17, 16, 15],
                ones(900),
            ]),
        ),
    ]
}
