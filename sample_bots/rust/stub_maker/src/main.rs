//! Writes the messages and the client of `proto/` as Rust: `stub_maker PROTO_FOLDER OUT_FOLDER`.

fn main() -> std::io::Result<()> {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    tonic_prost_build::configure()
        .build_server(false)
        .build_transport(false)
        .out_dir(&folders[1])
        .compile_protos(&[format!("{}/knockbox/v1/play.proto", folders[0])], &folders[..1])
}
