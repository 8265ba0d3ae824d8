//! Compiles operators of your own for `warpfold`.
mod error;
mod ptx;
#[test]
fn scratch() {
    let text = std::fs::read_to_string("/tmp/wexp/dev/dev.s").unwrap();
    let text = ptx::text::Text::parse(&text).unwrap();
    let hooks = ptx::hook::hooks(&text).unwrap();
    for f in &text.functions {
        if !f.name.starts_with("reduce") && !f.name.contains("_scan_") {
            continue;
        }
        let kernel = match ptx::finish::kernel(f, &hooks) {
            Ok(k) => k,
            Err(e) => {
                println!("{} {e}", f.name);
                continue;
            }
        };
        let (threads, blocks) = if f.name.starts_with("reduce") {
            (256, 3)
        } else {
            (544, 1)
        };
        let out = ptx::finish::preamble("7.8", "sm_90")
            + &ptx::finish::entry(&kernel, ptx::finish::Bounds { threads, blocks });
        std::fs::write(format!("/tmp/wexp/out/{}.ptx", f.name), out).unwrap();
    }
}
