"""The sources in Java, in the image that bots in Java are built in."""

from docker import DockerClient

from tests.sdk import sources_kit

CHECKS = """
cd java/greedy
javac -nowarn -Xlint:none -d /tmp/sdk -cp $CLASSPATH ../knockbox/v1/*.java
javac -Xlint:all,-serial,-processing,-classfile -Werror -d /tmp/sdk -cp $CLASSPATH:/tmp/sdk \
    ../knockbox/*.java *.java
java -cp $CLASSPATH:/tmp/sdk BotTest
"""


def test_sources_compile_without_a_warning_and_the_bots_test_passes(engine: DockerClient) -> None:
    """The compiler has nothing to say, and the template's test passes, without network."""
    sources_kit.check(engine, "knockbox/java-bot", "java", CHECKS)
