//! The chart, an SVG file: a panel for each document, with a bar for each rung.
//!
//! On a real GPU, a bar shows the rung's rate. On the virtual GPU, whose times mean nothing, a bar shows the number of instructions per
//! item, counted once for each lane. The scale of the bars is logarithmic in both cases.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

use crate::failure::Failure;
use crate::record::Record;

const WIDTH: u32 = 1000;
const BAR_HEIGHT: u32 = 22;
/// Height of a panel without its bars: title, axis and margins.
const PANEL_HEIGHT: u32 = 100;
const TITLES_WIDTH: u32 = 330;

const BAR: RGBColor = RGBColor(0x6b, 0x8e, 0xb5);
const OURS: RGBColor = RGBColor(0x3f, 0x9b, 0x4f);

/// The quantity that the bars show.
struct Quantity {
    axis: &'static str,
    of: fn(&Record) -> f64,
}

const RATE: Quantity = Quantity {
    axis: "GB/s",
    of: Record::rate,
};

const INSTRUCTIONS: Quantity = Quantity {
    axis: "lane instructions an item",
    of: |record| {
        let counts = record.counts.as_ref();
        let instructions = counts.map_or(0, |counts| counts.counters.lane_instructions());
        instructions as f64 / record.item_count as f64
    },
};

/// Draws a panel for each document into the file `path`. Of a document's problems (see [`Record::problem`]), the panel shows the problem
/// that has the most rungs. If several problems have equally many rungs, the panel shows the last of these problems.
pub fn draw(path: &Path, device: &str, records: &[Record]) -> Result<(), Failure> {
    let mut panels: Vec<&[Record]> = Vec::new();
    for problem in records.chunk_by(|a, b| a.problem() == b.problem()) {
        match panels.last_mut() {
            Some(last) if last[0].document == problem[0].document => {
                if last.len() <= problem.len() {
                    *last = problem;
                }
            }
            _ => panels.push(problem),
        }
    }
    draw_panels(path, device, &panels).map_err(|error| Failure::Chart {
        path: path.to_owned(),
        error: error.to_string(),
    })
}

fn draw_panels(path: &Path, device: &str, panels: &[&[Record]]) -> Result<(), Box<dyn Error>> {
    let heights: Vec<u32> = panels
        .iter()
        .map(|records| PANEL_HEIGHT + BAR_HEIGHT * records.len() as u32)
        .collect();
    let size = (WIDTH, heights.iter().sum());
    let mut rest = SVGBackend::new(path, size).into_drawing_area();
    rest.fill(&WHITE)?;
    for (records, height) in panels.iter().zip(heights) {
        let (panel, below) = rest.split_vertically(height);
        draw_panel(&panel, device, records)?;
        rest = below;
    }
    rest.present()?;
    Ok(())
}

type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw_panel(panel: &Area<'_>, device: &str, records: &[Record]) -> Result<(), Box<dyn Error>> {
    let Some(first) = records.first() else {
        return Ok(());
    };
    let quantity = match first.counts {
        Some(_) => INSTRUCTIONS,
        None => RATE,
    };
    let values: Vec<f64> = records.iter().map(quantity.of).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min) / 2.0;
    let high = values.iter().copied().fold(low, f64::max) * 3.0;
    let title = format!("{}, on {device}", first.problem());
    let mut chart = ChartBuilder::on(panel)
        .caption(title, ("sans-serif", 18))
        .margin(8)
        .x_label_area_size(40)
        .y_label_area_size(TITLES_WIDTH)
        .build_cartesian_2d(
            (low..high).log_scale(),
            (0..records.len() - 1).into_segmented(),
        )?;
    // The first rung is on top.
    let rung = |row: usize| &records[records.len() - 1 - row];
    let name = |value: &SegmentValue<usize>| match value {
        SegmentValue::CenterOf(row) if *row < records.len() => rung(*row).rung.to_owned(),
        _ => String::new(),
    };
    chart
        .configure_mesh()
        .disable_y_mesh()
        .x_max_light_lines(0)
        .x_labels(4)
        .x_label_formatter(&|value| number(*value))
        .y_labels(records.len())
        .y_label_formatter(&name)
        .x_desc(quantity.axis)
        .label_style(("sans-serif", 13))
        .draw()?;
    chart.draw_series((0..records.len()).map(|row| {
        let record = rung(row);
        let colour = if record.is_ours { OURS } else { BAR };
        let corners = [
            (low, SegmentValue::Exact(row)),
            ((quantity.of)(record), SegmentValue::Exact(row + 1)),
        ];
        let mut bar = Rectangle::new(corners, colour.filled());
        bar.set_margin(3, 3, 0, 0);
        bar
    }))?;
    chart.draw_series((0..records.len()).map(|row| {
        let value = (quantity.of)(rung(row));
        let place = (value, SegmentValue::CenterOf(row));
        EmptyElement::at(place) + Text::new(number(value), (6, -6), ("sans-serif", 13))
    }))?;
    Ok(())
}

/// A number as text: the larger the number, the fewer decimals.
fn number(value: f64) -> String {
    match value {
        ..1.0 => format!("{value:.3}"),
        ..10.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}
