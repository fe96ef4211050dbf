"""The tree of commands. They are named here by where they live, and imported when they are run."""

from functools import reduce

from cyclopts import App

from arena.cli import reach

WELCOME = """\
Knockbox: tournaments for bots that play Oklahoma Gin.

  knockbox demo                     a whole tournament, from nothing, in about half a minute
  knockbox new LANGUAGE NAME        a bot to begin with; `knockbox new --list` has the languages
  knockbox match BOT_A BOT_B        two bot folders against each other, now and here
  knockbox up                       start the arena of this machine; then `knockbox bot add FOLDER`

Every command: knockbox --help"""

COMMANDS = {
    "demo": ("demo:demo", "Play a whole tournament between the sample bots, from nothing."),
    "new": ("new:new", "Make a bot to begin with, in the language you like."),
    "match": ("match:match", "Let bot folders play each other, here and now."),
    "check": ("check:check", "Find out what is wrong with a bot, and how to mend it."),
    "up": ("services:up", "Start the arena of this machine."),
    "down": ("services:down", "End it; nothing is lost, and nothing is left running."),
    "status": ("status:status", "What runs, since when, and where."),
    "submit": ("submit:submit", "Send a bot to an arena, to be checked and played there."),
    "bot": ("bot:app", "Add, list and show bots; what they printed."),
    "tournament": ("tournament:app", "Create, watch, show and list tournaments."),
    "ladder": ("ladder:app", "Start, stop and show ladders, which play all bots on and on."),
    "ratings": ("ratings:app", "Elo of all bots; and their proof."),
    "replay": ("replay:app", "List and read recorded matches."),
    "verify": ("verify:verify", "Prove replay files: every rule, every deck, every byte."),
    "rules": ("rules:app", "Ask the rules: JSON lines in, JSON lines out."),
    "completion": ("completion:completion", "What makes Tab complete commands, in your shell."),
    "dial": ("dial:dial", "Keep a bot online that plays from this machine at another's arena."),
    "token": ("token:app", "Who may come in over a network address."),
    "worker": ("worker:worker", "Another worker beside the arena of this machine."),
    "doctor": ("doctor:doctor", "What this machine lacks, and what brings it."),
    "version": ("version:version", "Version of the software and of the bots' protocol."),
}


ELSEWHERE = (
    "What speaks to an arena speaks to one of another machine with --arena HOST:PORT (or "
    "KNOCKBOX_ARENA) and the token in KNOCKBOX_TOKEN; where its certificate is its own, with "
    "--tls-ca FILE or --tls-fingerprint HEX too."
)


def make_app(*, plain: bool, running: str = "") -> App:
    """The whole command line. `plain`: help without frames and colours, for pipes.

    `running` is the command whose turn it is: its help is its own, all of it. Of the others the
    line above is enough, and they need not be imported.
    """
    app = App(
        name="knockbox",
        help="Tournaments for bots that play Oklahoma Gin.",
        help_epilogue=ELSEWHERE,
        version=_version,
        version_flags=["--version"],
        help_format="plaintext",
        help_formatter="plain" if plain else "default",
        result_action="return_int_as_exit_code_else_zero",
        suppress_keyboard_interrupt=False,
    )
    for name, (place, about) in COMMANDS.items():
        app.command(f"arena.cli.{place}", name=name, help=about)
    if running in COMMANDS and app[running].default_command is not None:
        app[running].help = None
    for command in reach.HERE | reach.ALONE:
        if command[0] == running:
            reduce(App.__getitem__, command, app).help_epilogue = ""
    return app


def _version() -> str:
    from arena.cli.version import text

    return text()
