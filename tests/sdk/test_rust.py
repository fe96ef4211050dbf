"""The sources in Rust, in the image that bots in Rust are built in."""

from docker import DockerClient

from tests.sdk import sources_kit

CHECKS = """
cd rust/greedy
mv ../knockbox .
cargo test --release --offline --locked --package bot --package knockbox >/tmp/said 2>&1 ||
    { cat /tmp/said; exit 1; }
if grep '^warning' -A 10 /tmp/said; then exit 1; fi
"""


def test_sources_compile_without_a_warning_and_their_tests_pass(engine: DockerClient) -> None:
    """The compiler has nothing to say, and the tests of bot and SDK pass, without network."""
    sources_kit.check(engine, "knockbox/rust-bot", "rust", CHECKS)
