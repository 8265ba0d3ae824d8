//! Compares the virtual GPU with recorded answers of a device.

use crate::compare::{Side, Tally, Verdict, same};
use crate::keep::{self, Answer};
use crate::suite::case::{Case, Failure, Machine};
use crate::suite::catalogue::Catalogue;
use crate::suite::random::hash;
use crate::suite::{generate, table};
use crate::{random_run, table_run};
use std::collections::HashMap;
use std::path::Path;

/// Reads a file of answers, runs the kernels whose names contain `filter`, and compares their outputs with the answers.
pub fn run(here: &mut impl Machine, file: &Path, filter: &str) -> Result<Tally, String> {
    let table = table::cases(&Catalogue::whole(), filter);
    let table: HashMap<_, _> = table
        .into_iter()
        .map(|case| (case.name.clone(), case))
        .collect();
    let mut tally = Tally::default();
    let answers = keep::read(file)?;
    for answer in answers.iter().filter(|answer| answer.name.contains(filter)) {
        let Some(case) = case_of(answer, &table) else {
            println!("{}: this kernel is not made any more", answer.name);
            continue;
        };
        let output = here.run(std::slice::from_ref(&case)).remove(0);
        let verdict = match output {
            Err(failure) => Verdict::Failed {
                side: Side::Here,
                failure,
            },
            Ok(output) if hash(&output) == answer.output_hash => Verdict::Same {
                output_hash: answer.output_hash,
            },
            Ok(_) if answer.output.is_empty() => Verdict::Failed {
                side: Side::There,
                failure: Failure::Run("all that is kept is a hash, of another output".to_owned()),
            },
            Ok(output) => same(output, answer.output.clone()),
        };
        tally.add(&case, &verdict);
        match &verdict {
            Verdict::Same { .. } => {}
            Verdict::Different(difference) if answer.text.is_empty() => {
                table_run::print_items(&case, difference);
            }
            _ => println!("{}: {}", case.name, random_run::describe(&verdict)),
        }
    }
    Ok(tally)
}

/// The kernel of an answer: the recorded text or, if no text was recorded, the kernel of the table with the same name and the same hash.
fn case_of(answer: &Answer, table: &HashMap<String, Case>) -> Option<Case> {
    if answer.text.is_empty() {
        let case = table.get(&answer.name)?;
        return (hash(case.text.as_bytes()) == answer.text_hash).then(|| case.clone());
    }
    let seed = answer.name.strip_prefix("random ")?.parse().ok()?;
    Some(Case {
        text: answer.text.clone(),
        ..generate::case(seed, &[])
    })
}
