"""The sources in TypeScript, in the image that bots in TypeScript are built in."""

from docker import DockerClient

from tests.sdk import sources_kit

CHECKS = """
cd typescript/greedy
tsc
esbuild bot.test.ts --bundle --platform=node --outfile=/tmp/bot.test.js --log-level=warning
node --test /tmp/bot.test.js
"""


def test_sources_have_their_types_and_the_bots_tests_pass(engine: DockerClient) -> None:
    """The compiler has nothing to say, and the template's test passes, without network."""
    sources_kit.check(engine, "knockbox/typescript-bot", "typescript", CHECKS)
