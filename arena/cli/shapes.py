"""The JSON that commands print: one function a message. Keys stay; new ones may be added."""

from typing import Any

from arena.cli import handedin
from knockbox.v1 import arena_pb2 as pb


def elo(milli: int) -> float:
    """Elo as people write it, thousandths kept."""
    return milli / 1000


def rating(message: pb.Rating) -> dict[str, Any]:
    """One bot's rating."""
    return {
        "bot": message.bot,
        "version": message.version,
        "elo": elo(message.milli_elo),
        "units": message.units,
        **_interval(message.rating if message.HasField("rating") else None),
    }


def _interval(message: pb.RatingInterval | None) -> dict[str, Any]:
    """The rating out of all units with its ends; null where there is none."""
    known = None if message is None else (message.milli, message.milli_low, message.milli_high)
    rating, low, high = map(elo, known) if known else (None, None, None)
    return {"rating": rating, "rating_low": low, "rating_high": high}


def bot(message: pb.Bot) -> dict[str, Any]:
    """One registered bot."""
    return {
        "bot": message.name,
        "owner": message.owner,
        "version": message.version,
        "versions": message.versions,
        "added_ms": message.added_ms,
        "retired_ms": message.retired_ms or None,
        "elo": elo(message.milli_elo),
        "units": message.units,
        "won": message.won,
        "lost": message.lost,
        "drawn": message.drawn,
        "faults": {fault.reason: fault.games for fault in message.faults},
        "dial_in": dial_in(message),
    }


def dial_in(message: pb.Bot) -> dict[str, Any] | None:
    """How a bot stands that dials in; None for any other."""
    if not message.HasField("dial_in"):
        return None
    agent = message.dial_in
    fields = ("online", "slots", "busy", "waiting", "since_ms", "declines")
    return {field: getattr(agent, field) for field in fields} | {
        "quiet_until_ms": agent.quiet_until_ms or None
    }


def whole_bot(message: pb.Bot) -> dict[str, Any]:
    """One registered bot with its versions, newest first, and how it has done."""
    versions = [
        {
            "version": one.version,
            "added_ms": one.added_ms or None,
            "elo": elo(one.milli_elo),
            "units": one.units,
            "won": one.won,
            "lost": one.lost,
            "drawn": one.drawn,
            "faults": {fault.reason: fault.games for fault in one.faults},
            "history": [elo(milli) for milli in one.history_milli_elo],
            "lowest_elo": elo(one.lowest_milli_elo) if one.history_milli_elo else None,
            "highest_elo": elo(one.highest_milli_elo) if one.history_milli_elo else None,
        }
        for one in message.all_versions
    ]
    last = message.last_fault
    fault = {
        "match_id": last.match_id,
        "leg": last.leg,
        "reason": last.reason,
        "recorded_ms": last.recorded_ms,
        "log": last.log or None,
    }
    found = fault if message.HasField("last_fault") else None
    return {
        **bot(message),
        "all_versions": versions,
        "last_fault": found,
        "recent": _recent(message.recent),
        "benches": [bench(one) for one in message.benches],
        "submissions": [handedin.submission(one) for one in message.submissions],
    }


def _recent(message: pb.BotRecent) -> dict[str, Any]:
    """What the replays of a bot's last matches say."""
    return {
        "matches": message.matches,
        "deals": {one.end: {"won": one.won, "lost": one.lost} for one in message.deals},
        "slowest": [
            {
                "match_id": one.match_id,
                "leg": one.leg,
                "unit": one.unit,
                "deal": one.deal,
                "ms": one.ms,
                "decisions": one.decisions,
            }
            for one in message.slow
        ],
    }


def bench(message: pb.Bench) -> dict[str, Any]:
    """Why a bot gets no matches on a ladder."""
    return {
        "ladder": message.ladder,
        "since_ms": message.since_ms,
        "reason": message.reason,
        "matches": message.matches,
        "match_id": message.match_id,
    }


def tournament(message: pb.Tournament) -> dict[str, Any]:
    """One tournament with its table."""
    from referee.rules.ruleset import to_json
    from referee.wire.rules import from_proto

    return {
        "tournament_id": message.tournament_id,
        "state": state(message),
        "rules": to_json(from_proto(message.rules)),
        "units": message.units,
        "seed": message.seed if message.HasField("seed") else None,
        "commitment": message.commitment.hex(),
        "secret": message.secret.hex() or None,
        "matches": message.matches,
        "recorded": message.recorded,
        "running": message.running,
        "dead": message.dead,
        "given_up": [{"match_id": o.match_id, "cause": o.cause} for o in message.given_up],
        "created_ms": message.created_ms,
        "over_ms": message.over_ms or None,
        "void": message.voided,
        "corrections": [
            {"match_id": one.match_id, "why": one.why, "recorded_ms": one.recorded_ms}
            for one in message.corrections
        ],
        "withdrawn": list(message.withdrawn),
        "closed": message.closed,
        "rate_same_owner": message.rate_same_owner,
        "sandboxed": message.sandboxed,
        "dial_in": list(message.dial_in),
        "waiting": message.waiting,
        "forecast": forecast(message.forecast) if message.HasField("forecast") else None,
        "table": [row(line) for line in message.table],
    }


def forecast(message: pb.Forecast) -> dict[str, int]:
    """How long the rest of a tournament will take, from `recorded_ms` on."""
    fields = ("low_ms", "high_ms", "matches", "recorded_ms")
    return {field: getattr(message, field) for field in fields}


def state(message: pb.Tournament) -> str:
    """Where a tournament stands: running, paused or over."""
    name = pb.TournamentState.Name(message.state)
    return name.removeprefix("TOURNAMENT_STATE_").lower()


def row(message: pb.TableRow) -> dict[str, Any]:
    """One bot in a table."""
    superior = message.HasField("superior_millionths")
    return {
        "bot": message.bot,
        "version": message.version,
        **_interval(message.rating if message.HasField("rating") else None),
        "superior": message.superior_millionths / 1_000_000 if superior else None,
        "elo": elo(message.milli_elo),
        "units": message.units,
        "score": message.score_millionths / 1_000_000,
        "interval": message.interval_millionths / 1_000_000,
        "won": message.won,
        "lost": message.lost,
        "drawn": message.drawn,
        "forfeits": message.forfeits,
        "points_units": message.points_units,
        "points": message.milli_points / 1000,
        "points_interval": _points_interval(message),
    }


def ladder(message: pb.Ladder) -> dict[str, Any]:
    """One ladder with its days, newest first, and its table."""
    from referee.rules.ruleset import to_json
    from referee.wire.rules import from_proto

    return {
        "ladder": message.name,
        "state": ladder_state(message),
        "rules": to_json(from_proto(message.rules)),
        "units": message.units,
        "rate_same_owner": message.rate_same_owner,
        "sandboxed": message.sandboxed,
        "created_ms": message.created_ms,
        "day": message.day or None,
        "matches": message.matches,
        "running": message.running,
        "counted": message.counted,
        "days": [
            {
                "tournament_id": day.tournament_id,
                "matches": day.matches,
                "recorded": day.recorded,
                "dead": day.dead,
                "created_ms": day.created_ms,
                "over_ms": day.over_ms or None,
                "commitment": day.commitment.hex(),
                "secret": day.secret.hex() or None,
            }
            for day in message.days
        ],
        "table": [
            {
                **row(line.row),
                "state": climber_state(line),
                "share": line.share_millionths / 1_000_000,
                "bench": bench(line.bench) if line.HasField("bench") else None,
            }
            for line in message.table
        ],
    }


def ladder_state(message: pb.Ladder) -> str:
    """Where a ladder stands: running or stopped."""
    return pb.LadderState.Name(message.state).removeprefix("LADDER_STATE_").lower()


def climber_state(message: pb.LadderRow) -> str:
    """What a bot does on a ladder: playing, benched, waiting, stopped, left_out or away."""
    return pb.LadderBotState.Name(message.state).removeprefix("LADDER_BOT_STATE_").lower()


def meeting(message: pb.HeadToHead) -> dict[str, Any]:
    """One bot against another, from its side."""
    return {
        "bot": message.bot,
        "version": message.version,
        "opponent": message.opponent,
        "opponent_version": message.opponent_version,
        "units": message.units,
        "score": message.score_millionths / 1_000_000,
        "interval": message.interval_millionths / 1_000_000,
        "points_units": message.points_units,
        "points": message.milli_points / 1000,
        "points_interval": _points_interval(message),
        "forfeits": message.forfeits,
        "opponent_forfeits": message.opponent_forfeits,
    }


def _points_interval(message: pb.TableRow | pb.HeadToHead) -> float | None:
    known = message.HasField("milli_points_interval")
    return message.milli_points_interval / 1000 if known else None


def replay(message: pb.ReplayEntry) -> dict[str, Any]:
    """One recorded match."""
    return {
        "match_id": message.match_id,
        "tournament_id": message.tournament_id,
        "bots": [{"bot": b.name, "version": b.version} for b in message.bots],
        "scores": [score / 1_000_000 for score in message.score_millionths],
        "digest": message.digest.hex(),
        "size": message.size,
        "replay": message.path,
        "recorded_ms": message.recorded_ms,
        "void": message.void or None,
    }
