"""The sources in C++, in the image that bots in C++ are built in."""

from docker import DockerClient

from tests.sdk import sources_kit

CHECKS = """
cd cpp/greedy
mv ../knockbox .
mv knockbox/tests/*_test.cpp .
make bot test >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
if grep 'warning:' -B 3 -A 10 /tmp/said; then exit 1; fi
"""


def test_sources_compile_without_a_warning_and_their_tests_pass(engine: DockerClient) -> None:
    """The compiler has nothing to say, and the tests of bot and SDK pass, without network."""
    sources_kit.check(engine, "knockbox/cpp-bot", "cpp", CHECKS)
