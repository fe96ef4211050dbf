"""Every Redis key of the result store, and what lies under it. No other module spells one; scripts
add a suffix to a key that they are given, or an id to the prefix of submissions.

| key | type | holds |
|---|---|---|
| `kb:format` | string | version of this layout |
| `kb:bots` | sorted set | names by the time they were added |
| `kb:folded` | hash | folded name -> name, so that look-alikes collide |
| `kb:bot:<name>` | hash | owner, current version, added, retired |
| `kb:bot:<name>:versions` | list | digests, oldest first |
| `kb:bot:<name>:parents` | hash | digest -> the version it followed |
| `kb:bot:<name>:log` | list | numbers of the log entries of its matches |
| `kb:images` | hash | version -> `digest time` of the image that it is played from |
| `kb:counter` | string | numbers for tournaments without a name |
| `kb:tournaments:folded` | hash | folded id -> id |
| `kb:tournaments` | sorted set | ids in the order in which they were created |
| `kb:tournament:<id>` | hash | plan, secret, counts |
| `kb:tournament:<id>:log` | list | numbers of its log entries |
| `kb:tournament:<id>:dead` | sorted set | numbers of its matches that were given up |
| `kb:tournament:<id>:void` | sorted set | numbers of those that a withdrawn bot left unplayed |
| `kb:tournament:<id>:corrections` | list | numbers of the entries that made its matches void |
| `kb:topup` | set | tournaments that may want more messages sent |
| `kb:match:<id>` | hash | one match; made when its first message is due |
| `kb:match:<id>:attempts` | list | `fence cause time` of each void attempt |
| `kb:sent` | sorted set | matches whose message is in the queue, by the time it was sent |
| `kb:due` | sorted set | matches that wait for another attempt, by the time it is due |
| `kb:leases` | sorted set | running matches, by the end of their lease |
| `kb:sealed` | sorted set | played and not recorded, by the time `record` was last sent |
| `kb:log` | stream | the log; entry n has the id `n-0` and one field, its JSON text |
| `kb:head` | hash | number and SHA-256 of the last entry; how many count no match |
| `kb:rated` | set | `<name> <digest>` of every rating |
| `kb:rating:<name> <digest>` | hash | base, elo (thousandths), units, games, faults |
| `kb:ladders` | sorted set | ladders in the order in which they were first started |
| `kb:ladders:folded` | hash | folded name -> name |
| `kb:ladder:<name>` | hash | terms, state, today's tournament and the one before, matches made |
| `kb:ladder:<name>:days` | list | ids of its tournaments, one a day, oldest first |
| `kb:ladder:<name>:played` | hash | bot -> matches it was given, the head start of newcomers too |
| `kb:ladder:<name>:met:<bot>` | hash | opponent -> number of their last match |
| `kb:ladder:<name>:streaks` | hash | bot -> matches forfeited in a row, as JSON |
| `kb:ladder:<name>:benched` | hash | bot -> why it gets no matches, as JSON |
| `kb:uploads` | hash | `<bot> <digest> <owner>` -> size and microseconds of what is not settled |
| `kb:contents` | hash | the same field -> the submission that it has become |
| `kb:submissions` | string | number of the last submission |
| `kb:submissions:open` | sorted set | open ones, by the time at which message or claim is over |
| `kb:submission:<id>` | hash | one submission |
| `kb:submission:<id>:lines` | list | what has happened in its running attempt |
| `kb:bot:<name>:submissions` | list | ids of the last ones, newest first |
| `kb:bot:<name>:version_names` | hash | name of a version -> its digest, or an open submission |
| `kb:author:<owner>:day` | sorted set | an author's submissions of the last day, by time |
| `kb:author:<owner>:open` | set | those that are open |
| `kb:dial` | set | digests of the versions of bots that dial in |
| `kb:dial:<bot>` | hash | its agent: session, slots, lease, since when; declines, end of quiet |
| `kb:dial:<bot>:held` | sorted set | matches that were begun with it; those with a lease count |
| `kb:dial:<bot>:waiting` | sorted set | matches that wait for it, by the time they began to |
| `kb:tournament:<id>:waiting` | sorted set | numbers of its matches that wait for such a bot |
| `kb:offers` | hash | open offer -> its seat as JSON |
| `kb:offers:told` | hash | offer -> what its agent has said last |
| `kb:tokens` | hash | folded name -> one token as JSON: its hash, never its text |
| `kb:alarms` | list | what a person should look at, newest first |

Times are Unix milliseconds of the store's own clock.
"""

FORMAT = "kb:format"
BOTS = "kb:bots"
FOLDED = "kb:folded"
IMAGES = "kb:images"
TOURNAMENTS_FOLDED = "kb:tournaments:folded"
COUNTER = "kb:counter"
TOURNAMENTS = "kb:tournaments"
TOPUP = "kb:topup"
SENT = "kb:sent"
DUE = "kb:due"
LEASES = "kb:leases"
SEALED = "kb:sealed"
LOG = "kb:log"
HEAD = "kb:head"
RATED = "kb:rated"
ALARMS = "kb:alarms"
TOKENS = "kb:tokens"
UPLOADS = "kb:uploads"
CONTENTS = "kb:contents"
SUBMISSIONS = "kb:submissions"
SUBMISSIONS_OPEN = "kb:submissions:open"
DIAL = "kb:dial"
OFFERS = "kb:offers"
OFFERS_TOLD = "kb:offers:told"
LADDERS = "kb:ladders"
LADDERS_FOLDED = "kb:ladders:folded"


def bot(name: str) -> str:
    """Hash of one bot."""
    return f"kb:bot:{name}"


def bot_versions(name: str) -> str:
    """Digests of a bot's versions, oldest first."""
    return f"kb:bot:{name}:versions"


def bot_parents(name: str) -> str:
    """Which version each one followed."""
    return f"kb:bot:{name}:parents"


def bot_log(name: str) -> str:
    """Numbers of the log entries of a bot's matches."""
    return f"kb:bot:{name}:log"


def bot_submissions(name: str) -> str:
    """Ids of what was handed in for a bot, newest first."""
    return f"kb:bot:{name}:submissions"


def version_names(name: str) -> str:
    """What an author calls the versions of a bot."""
    return f"kb:bot:{name}:version_names"


def submission(submission_id: str) -> str:
    """Hash of one submission."""
    return f"kb:submission:{submission_id}"


def submission_lines(submission_id: str) -> str:
    """What has happened in its running attempt."""
    return f"kb:submission:{submission_id}:lines"


def author(owner: str, part: str) -> str:
    """An author's submissions: of the last `day`, or those that are `open`."""
    return f"kb:author:{owner}:{part}"


def content(bot: str, digest: str, owner: str) -> str:
    """The field of `UPLOADS` and `CONTENTS` for what an owner sends for a bot."""
    return f"{bot} {digest} {owner}"


def tournament(tournament_id: str) -> str:
    """Hash of one tournament."""
    return f"kb:tournament:{tournament_id}"


def tournament_log(tournament_id: str) -> str:
    """Numbers of a tournament's log entries."""
    return f"kb:tournament:{tournament_id}:log"


def tournament_dead(tournament_id: str) -> str:
    """Numbers of a tournament's matches that were given up."""
    return f"kb:tournament:{tournament_id}:dead"


def dial(bot: str, part: str = "") -> str:
    """Hash of a bot's agent, or a part of it: held, waiting."""
    return f"kb:dial:{bot}:{part}" if part else f"kb:dial:{bot}"


def tournament_waiting(tournament_id: str) -> str:
    """Numbers of a tournament's matches that wait for a bot that dials in."""
    return f"kb:tournament:{tournament_id}:waiting"


def tournament_void(tournament_id: str) -> str:
    """Numbers of a tournament's matches that a withdrawn bot left unplayed."""
    return f"kb:tournament:{tournament_id}:void"


def tournament_corrections(tournament_id: str) -> str:
    """Numbers of the entries by which recorded matches of a tournament were made void."""
    return f"kb:tournament:{tournament_id}:corrections"


def ladder(name: str, part: str = "") -> str:
    """Hash of one ladder, or a part of it: days, played, met:…, streaks, benched."""
    return f"kb:ladder:{name}:{part}" if part else f"kb:ladder:{name}"


def match(match_id: str) -> str:
    """Hash of one match."""
    return f"kb:match:{match_id}"


def attempts(match_id: str) -> str:
    """Void attempts of one match."""
    return f"kb:match:{match_id}:attempts"


def rating(member: str) -> str:
    """Hash of one rating; `member` is as in `RATED`."""
    return f"kb:rating:{member}"


def rated(name: str, version: str) -> str:
    """The member of `RATED` for a bot's version."""
    return f"{name} {version}"


def rated_pair(member: str) -> tuple[str, str]:
    """Name and version of a member of `RATED`."""
    name, _, version = member.partition(" ")
    return name, version
