//! The charts, as SVG. Each measured case except the copy has a chart of GB/s over the number of items. If CUB was measured, the case also
//! has a chart of the speed relative to CUB. One more chart, the overview, shows the relative speed of all cases for items of
//! [`OVERVIEW_TYPE`].
//!
//! A chart is a grid of panels. Each panel has only a few lines, so that readers can distinguish them.

use std::ops::Range;
use std::path::Path;

use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::summary::{Subject, Summary, push_new};
use crate::record::{Case, Side};

/// Width and height of a panel, in pixels.
const PANEL: (u32, u32) = (380, 260);

/// Width and height of the overview's only panel.
const OVERVIEW_PANEL: (u32, u32) = (720, 340);

/// The element type of the overview.
const OVERVIEW_TYPE: &str = "f32";

/// The lines' colours. Colour-blind readers can distinguish them, too.
pub const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];

/// The quantity that a chart shows.
#[derive(Clone, Copy, PartialEq)]
enum Quantity {
    Rate,
    /// The speed of warpfold divided by the speed of CUB.
    Ratio,
}

/// A line of a panel. Each point has the exponent of the number of items, and a value.
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
}

/// A chart's title, its quantity, and the size of its panels.
struct Chart {
    title: String,
    quantity: Quantity,
    panel_size: (u32, u32),
}

/// A part of a chart. Each panel has its own axes.
struct Panel {
    title: String,
    lines: Vec<Line>,
}

/// Draws `rate_CASE.svg` for each measured case except the copy. If CUB was measured, also draws `ratio_CASE.svg` for each of these cases.
/// If CUB was measured with items of [`OVERVIEW_TYPE`], also draws `overview.svg`.
pub fn draw_all(summary: &Summary, folder: &Path) -> Result<()> {
    for case in Case::ALL {
        let subjects: Vec<&Subject> = summary.subjects().filter(|s| s.case == case).collect();
        let name = case.name();
        let draw = |what: &str, title: String, quantity, panels: &[Panel]| {
            let panel_size = PANEL;
            let chart = Chart {
                title,
                quantity,
                panel_size,
            };
            chart.draw(panels, &folder.join(format!("{what}_{name}.svg")))
        };
        let rates = rate_panels(&subjects, summary);
        draw("rate", format!("{name}, GB/s"), Quantity::Rate, &rates)?;
        let ratios = ratio_panels(&subjects, summary);
        let title = format!("{name}, times as fast as CUB");
        draw("ratio", title, Quantity::Ratio, &ratios)?;
    }
    let overview = Chart {
        title: format!("{OVERVIEW_TYPE}, times as fast as CUB"),
        quantity: Quantity::Ratio,
        panel_size: OVERVIEW_PANEL,
    };
    overview.draw(&overview_panel(summary), &folder.join("overview.svg"))
}

/// The panel of the overview: a line for each case.
fn overview_panel(summary: &Summary) -> Vec<Panel> {
    let of_type: Vec<&Subject> = summary
        .subjects()
        .filter(|s| s.item_type == OVERVIEW_TYPE)
        .collect();
    let line = |case: Case| Line {
        name: case.name().replace('_', " "),
        points: points(of_type.iter().filter(|s| s.case == case), |s| {
            Some(summary.ratio(s, Side::Cub)?.median)
        }),
    };
    let panel = Panel {
        title: String::new(),
        lines: Case::ALL.map(line).into(),
    };
    with_lines([panel].into_iter())
}

/// A panel for each type, a line for each side.
fn rate_panels(subjects: &[&Subject], summary: &Summary) -> Vec<Panel> {
    let mut types = Vec::new();
    for subject in subjects {
        push_new(&mut types, subject.item_type.as_str());
    }
    let panel = |item_type: &str| {
        let of_type = || subjects.iter().filter(move |s| s.item_type == item_type);
        let line = |side: Side| Line {
            name: side.to_string(),
            points: points(of_type(), |s| Some(summary.rate(s, side)?.median)),
        };
        Panel {
            title: item_type.to_owned(),
            lines: [Side::Warpfold, Side::Cub, Side::Driver].map(line).into(),
        }
    };
    with_lines(types.into_iter().map(panel))
}

/// A panel for each width of items, a line for each type.
fn ratio_panels(subjects: &[&Subject], summary: &Summary) -> Vec<Panel> {
    let panel = |item_bytes: u64| {
        let mut types = Vec::new();
        for subject in subjects.iter().filter(|s| s.item_bytes == item_bytes) {
            push_new(&mut types, subject.item_type.as_str());
        }
        let line = |item_type: &str| Line {
            name: item_type.to_owned(),
            points: points(subjects.iter().filter(|s| s.item_type == item_type), |s| {
                Some(summary.ratio(s, Side::Cub)?.median)
            }),
        };
        Panel {
            title: format!("{item_bytes}-byte items"),
            lines: types.into_iter().map(line).collect(),
        }
    };
    with_lines([1, 2, 4, 8].into_iter().map(panel))
}

/// Leaves out lines without points, and panels without lines.
fn with_lines(panels: impl Iterator<Item = Panel>) -> Vec<Panel> {
    let mut kept = Vec::new();
    for mut panel in panels {
        panel.lines.retain(|line| !line.points.is_empty());
        if !panel.lines.is_empty() {
            kept.push(panel);
        }
    }
    kept
}

fn points<'a>(
    subjects: impl Iterator<Item = &'a &'a Subject>,
    value: impl Fn(&Subject) -> Option<f64>,
) -> Vec<(f64, f64)> {
    let point = |s: &&Subject| Some(((s.n as f64).log2(), value(s)?));
    let mut points: Vec<_> = subjects.filter_map(point).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

impl Chart {
    /// Draws the panels in a grid. Without panels, draws no chart.
    fn draw(&self, panels: &[Panel], path: &Path) -> Result<()> {
        if panels.is_empty() {
            return Ok(());
        }
        let columns = if panels.len() == 4 {
            2
        } else {
            panels.len().min(3)
        };
        let rows = panels.len().div_ceil(columns);
        let (width, height) = self.panel_size;
        let size = (width * columns as u32, height * rows as u32 + 40);
        let root = SVGBackend::new(path, size).into_drawing_area();
        let whatever = |error| anyhow::anyhow!("{}: {error}", path.display());
        root.fill(&WHITE).map_err(whatever)?;
        let root = root
            .titled(&self.title, ("sans-serif", 20))
            .map_err(whatever)?;
        for (panel, area) in panels.iter().zip(root.split_evenly((rows, columns))) {
            draw_panel(self.quantity, panel, &area).map_err(whatever)?;
        }
        root.present().map_err(whatever)
    }
}

type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

fn draw_panel<'a>(
    quantity: Quantity,
    panel: &Panel,
    area: &DrawingArea<SVGBackend<'a>, Shift>,
) -> Drawn<'a> {
    let (x, y) = ranges(&panel.lines);
    let mut chart = ChartBuilder::on(area)
        .caption(&panel.title, ("sans-serif", 15))
        .margin(8)
        .margin_right(20)
        .x_label_area_size(26)
        .y_label_area_size(44)
        .build_cartesian_2d(x.clone(), y)?;
    let decimals = if quantity == Quantity::Ratio { 1 } else { 0 };
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_labels(6)
        .x_label_formatter(&|exponent| format!("2^{exponent:.0}"))
        .y_label_formatter(&|value| format!("{value:.decimals$}"))
        .draw()?;
    if quantity == Quantity::Ratio {
        let even = [(x.start, 1.0), (x.end, 1.0)];
        chart.draw_series(LineSeries::new(even, BLACK.stroke_width(1)))?;
    }
    for (line, colour) in panel.lines.iter().zip(COLOURS.iter().cycle()) {
        chart
            .draw_series(LineSeries::new(
                line.points.iter().copied(),
                colour.stroke_width(2),
            ))?
            .label(&line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(match quantity {
            Quantity::Rate => SeriesLabelPosition::UpperLeft,
            Quantity::Ratio => SeriesLabelPosition::LowerLeft,
        })
        .background_style(WHITE.mix(0.8))
        .draw()
}

/// The ranges of the axes, which contain all points. The vertical axis begins at zero.
fn ranges(lines: &[Line]) -> (Range<f64>, Range<f64>) {
    let points = || lines.iter().flat_map(|line| &line.points);
    let first = points().map(|point| point.0).fold(f64::INFINITY, f64::min);
    let last = points().map(|point| point.0).fold(first, f64::max);
    let top = points().map(|point| point.1).fold(1.0, f64::max);
    (first..last.max(first + 1.0), 0.0..top * 1.15)
}
