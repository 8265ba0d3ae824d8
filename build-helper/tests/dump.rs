mod common;
#[test]
fn dump() {
    let t = std::time::Instant::now();
    match common::build("good").compile() {
        Ok(all) => {
            for c in all {
                for k in c.kernels {
                    let d = format!("/tmp/wexp/out{}", c.capability.0);
                    std::fs::create_dir_all(&d).unwrap();
                    std::fs::write(
                        format!("{d}/{}.ptx", k.symbol.replace("library_", "")),
                        k.text.replace("library_", ""),
                    )
                    .unwrap();
                }
            }
        }
        Err(e) => println!("{e}"),
    }
    println!("{:?}", t.elapsed());
}
