//! Charts of the shapes, as SVG: a chart for each number of items. Each shape has a bar for each measured side. The bar's length is the
//! side's rate.

use std::path::Path;

use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor;

use super::report::{Row, median_rate};
use crate::record::Side;
use crate::report::COLOURS;

/// In pixels: the width of a chart, the width of the column of names, the height of one shape's bars, and the sum of the margins above and
/// below.
const WIDTH: u32 = 900;
const NAMES_WIDTH: u32 = 310;
const SHAPE_HEIGHT: u32 = 22;
const MARGINS: u32 = 70;

/// Draws `shapes_N.svg` for each number of items, 2^N.
pub fn draw_all(rows: &[Row], folder: &Path) -> Result<()> {
    let mut sizes: Vec<usize> = rows.iter().map(Row::item_count).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for n in sizes {
        let path = folder.join(format!("shapes_{}.svg", n.ilog2()));
        let whatever = |error| anyhow::anyhow!("{}: {error}", path.display());
        draw(rows, n, &path).map_err(whatever)?;
    }
    Ok(())
}

type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// Draws the rates of the calls with `n` items.
fn draw<'a>(rows: &[Row], n: usize, path: &'a Path) -> Drawn<'a> {
    let mut shapes: Vec<&str> = Vec::new();
    for row in rows.iter().filter(|row| row.item_count() == n) {
        if !shapes.contains(&row.shape()) {
            shapes.push(row.shape());
        }
    }
    let rates: Vec<[Option<f64>; 2]> = shapes
        .iter()
        .map(|shape| [Side::Warpfold, Side::Cub].map(|side| median_rate(rows, side, shape, n)))
        .collect();
    let top = rates
        .iter()
        .flatten()
        .flatten()
        .copied()
        .fold(1.0, f64::max);
    let height = SHAPE_HEIGHT * shapes.len() as u32 + MARGINS;
    let root = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
    root.fill(&WHITE)?;
    let title = format!(
        "2^{} items of f32, GB/s of the fewest bytes that have to move",
        n.ilog2()
    );
    let root = root.titled(&title, ("sans-serif", 18))?;
    // The first shape is on top.
    let below = |index: usize| (shapes.len() - 1 - index) as f64;
    let mut chart = ChartBuilder::on(&root)
        .margin(8)
        .x_label_area_size(24)
        .y_label_area_size(NAMES_WIDTH)
        .build_cartesian_2d(0.0..top * 1.02, -0.1..shapes.len() as f64)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(0)
        .x_label_formatter(&|rate| format!("{rate:.0}"))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (place, (side, colour)) in [Side::Warpfold, Side::Cub].iter().zip(COLOURS).enumerate() {
        let bars = rates.iter().enumerate().filter_map(|(index, rates)| {
            let low = below(index) + if place == 0 { 0.45 } else { 0.1 };
            let corners = [(0.0, low), (rates[place]?, low + 0.35)];
            Some(Rectangle::new(corners, colour.filled()))
        });
        chart
            .draw_series(bars)?
            .label(side.to_string())
            .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 16, y + 4)], colour.filled()));
    }
    for (index, shape) in shapes.iter().enumerate() {
        let (_, middle) = chart.backend_coord(&(0.0, below(index) + 0.45));
        let name = TextStyle::from(("sans-serif", 13)).pos(text_anchor::Pos::new(
            text_anchor::HPos::Right,
            text_anchor::VPos::Center,
        ));
        let at = (NAMES_WIDTH as i32, middle - root.get_pixel_range().1.start);
        root.draw(&Text::new((*shape).to_owned(), at, name))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    root.present()
}
