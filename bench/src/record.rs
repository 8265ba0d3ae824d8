//! Measurements as rows of a CSV file, with a header that names the machine and the date.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

/// The timed operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    ReduceSum,
    ReduceMax,
    /// The sum in a wider type.
    ReduceWideSum,
    InclusiveSum,
    ExclusiveSum,
    /// A copy from device memory to device memory.
    #[serde(rename = "memcpy_d2d")]
    Copy,
}

impl Case {
    pub const ALL: [Self; 6] = [
        Self::ReduceSum,
        Self::ReduceMax,
        Self::ReduceWideSum,
        Self::InclusiveSum,
        Self::ExclusiveSum,
        Self::Copy,
    ];

    /// The name, as in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReduceSum => "reduce_sum",
            Self::ReduceMax => "reduce_max",
            Self::ReduceWideSum => "reduce_wide_sum",
            Self::InclusiveSum => "inclusive_sum",
            Self::ExclusiveSum => "exclusive_sum",
            Self::Copy => "memcpy_d2d",
        }
    }

    /// The case of this name.
    pub fn parse(name: &str) -> Result<Self> {
        match Self::ALL.into_iter().find(|case| case.name() == name) {
            Some(case) => Ok(case),
            None => bail!(
                "no case `{name}`; there are {:?}",
                Self::ALL.map(Self::name)
            ),
        }
    }

    /// Whether the case combines all items to one result.
    pub fn is_reduction(self) -> bool {
        matches!(
            self,
            Self::ReduceSum | Self::ReduceMax | Self::ReduceWideSum
        )
    }

    /// Bytes that one call moves for each byte of items. A reduction only reads the items. All other cases also write the same number of
    /// bytes.
    pub fn traffic(self) -> u64 {
        if self.is_reduction() { 1 } else { 2 }
    }
}

/// The library or driver that is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Warpfold,
    Cub,
    /// The CUDA driver, which copies.
    Driver,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warpfold => "warpfold",
            Self::Cub => "CUB",
            Self::Driver => "copy",
        })
    }
}

/// Whether a result was right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Right,
    Wrong,
}

/// One call's time, for `n` items of a type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    #[serde(rename = "impl")]
    pub side: Side,
    #[serde(rename = "what")]
    pub case: Case,
    #[serde(rename = "type")]
    pub item_type: String,
    pub n: u64,
    pub us_median: f64,
    pub us_min: f64,
    #[serde(rename = "GBps")]
    pub rate: f64,
    pub us_q1: f64,
    pub us_q3: f64,
    /// The number of the run, counted from 1.
    pub run: u32,
    pub result: Verdict,
}

impl Row {
    /// Bytes of an item, from the number of bits in its type's name.
    pub fn item_bytes(&self) -> u64 {
        let bits = self
            .item_type
            .trim_start_matches(|c: char| !c.is_ascii_digit());
        bits.parse::<u64>().unwrap_or(0) / 8
    }
}

/// Rows with their header.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The header's lines, most of the form `key: value`.
    pub header: Vec<String>,
    pub rows: Vec<Row>,
}

impl Record {
    /// Reads a file that `measure` wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Self::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Self> {
        let header = text
            .lines()
            .filter_map(|line| line.strip_prefix("# "))
            .map(str::to_owned)
            .collect();
        let rows = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(text.as_bytes())
            .deserialize()
            .collect::<Result<_, csv::Error>>()?;
        Ok(Self { header, rows })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# device: a GPU
# date: 2026-11-20
impl,what,type,n,us_median,us_min,GBps,us_q1,us_q3,run,result
warpfold,reduce_sum,bf16,1024,2.5,2.25,0.8,2.375,2.75,1,right
driver,memcpy_d2d,u64,2048,3.0,3.0,10.9,3.0,3.0,2,wrong
";

    #[test]
    fn written_rows_read_back_unchanged() {
        let record = Record::parse(TEXT).unwrap();
        assert_eq!(record.header, ["device: a GPU", "date: 2026-11-20"]);
        assert_eq!(record.rows.len(), 2);
        assert_eq!(record.rows[0].item_bytes(), 2);
        assert_eq!(record.rows[1].item_bytes(), 8);
        assert_eq!(record.rows[1].case, Case::Copy);
        assert_eq!(record.rows[1].result, Verdict::Wrong);
        let mut written = csv::Writer::from_writer(Vec::new());
        for row in &record.rows {
            written.serialize(row).unwrap();
        }
        let written = String::from_utf8(written.into_inner().unwrap()).unwrap();
        assert!(TEXT.ends_with(&written), "{written}");
    }

    #[test]
    fn case_names_match_the_file() {
        for case in Case::ALL {
            let mut written = csv::Writer::from_writer(Vec::new());
            written.serialize([case]).unwrap();
            assert_eq!(
                written.into_inner().unwrap(),
                format!("{}\n", case.name()).into_bytes()
            );
            assert_eq!(Case::parse(case.name()).unwrap(), case);
        }
    }
}
