"""Where the workers' settings live: every duration and cap in one place, read from the environment.

Variables carry the prefix KNOCKBOX_ (`KNOCKBOX_DATA`, `KNOCKBOX_LEASE_S`); `REDIS_URL` is read
too. Import this module late: pydantic takes a third of a second. Nothing here connects anywhere.
"""

from pathlib import Path
from typing import Literal
from urllib.parse import urlencode, urlsplit

from pydantic import AliasChoices, Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from referee.service_settings import in_words
from workers import ladder
from workers.clearing import Keep
from workers.examine import Patience
from workers.hall import Waiting
from workers.player import Timing
from workers.reconcile import Policy
from workers.store.matches import Limits, Waits

STORE_SCHEMES = ("redis", "rediss", "unix")


class Settings(BaseSettings):
    """What a worker, the recorder and the reconciler need to know.

    Durations are seconds. The defaults are those of docs/architecture; tests use short ones.
    """

    model_config = SettingsConfigDict(env_prefix="KNOCKBOX_", extra="ignore", frozen=True)

    redis_url: str = Field(
        default="redis://127.0.0.1:6379/0",
        validation_alias=AliasChoices("KNOCKBOX_REDIS_URL", "REDIS_URL", "redis_url"),
        description="Result store: redis://, rediss:// or unix:///ABS/PATH?db=0.",
    )
    broker_url: str = Field(
        default="", description="Celery's broker, spelled like redis_url; empty: the result store."
    )
    data: Path = Field(default=Path(".knockbox"), description="Data folder.")
    control: str = Field(
        default="unix:///tmp/knockbox/control.sock",
        description="The referee's control listener, unix:///ABS/PATH.",
    )
    launch: str = Field(
        default="",
        description="The launcher of containers, unix:///ABS/PATH; empty: there is none.",
    )
    sandbox: Literal["auto", "container", "process"] = Field(
        default="auto", description="How bots run: see `knockbox up --sandbox`."
    )
    slots: int = Field(default=2, ge=1, description="Matches played at once, over all workers.")
    messages_a_slot: int = Field(default=4, ge=1, description="Messages kept in Celery for each.")

    lease_s: float = Field(default=15.0, gt=0, description="A claim lasts this long unrenewed.")
    beat_s: float = Field(default=3.0, gt=0, description="Between two renewals of a claim.")
    sweep_s: float = Field(default=15.0, gt=0, description="Between two rounds of the reconciler.")
    resend_s: float = Field(default=15.0, gt=0, description="First back-off of a message sent.")
    retry_s: float = Field(default=2.0, ge=0, description="First back-off after a void attempt.")
    retry_most_s: float = Field(default=60.0, ge=0, description="Longest; each is twice the last.")
    referee_wait_s: float = Field(default=20.0, gt=0, description="Wait for a referee to answer.")
    store_wait_s: float = Field(
        default=120.0, gt=0, description="Wait for the store when a match has been played."
    )
    attempts: int = Field(default=10, ge=1, description="Void attempts before a match is dead.")
    attempts_alike: int = Field(default=4, ge=1, description="The same, in a row of one cause.")
    dead_after_s: float = Field(
        default=1800.0, ge=0, description="And not before: a cause that may pass has this long."
    )

    dial_streams: int = Field(default=256, ge=0, description="Agents of such bots at once.")
    dial_streams_each: int = Field(default=64, ge=1, description="The same, of one author.")
    dial_beat_s: float = Field(default=5.0, gt=0, description="Between two beats of an agent.")
    dial_lease_s: float = Field(
        default=20.0, gt=0, description="An agent without a beat for so long is gone."
    )
    dial_take_s: float = Field(
        default=10.0, gt=0, description="A bot that dials in has so long to take a seat."
    )
    dial_look_s: float = Field(default=0.1, gt=0, description="Between two looks whether it did.")
    dial_again_s: float = Field(
        default=30.0,
        gt=0,
        description="Between two looks at a match that waits for such a bot. One that takes no "
        "seat is offered none for so long, then twice as long each time.",
    )
    dial_patience_s: float = Field(
        default=86400.0,
        ge=0,
        description="Offline or taking no seat for so long, its matches are given up; 0: never.",
    )

    finish_s: float = Field(
        default=300.0, ge=0, description="SIGTERM: running matches may take so long to their end."
    )
    ladder_day_s: float = Field(
        default=86400.0, ge=1, description="A ladder's day; it turns at a multiple of this, UTC."
    )
    bench_after: int = Field(
        default=3, ge=1, description="Matches forfeited whole in a row that bench a ladder's bot."
    )

    submit_mb: int = Field(
        default=512, ge=1, description="Megabytes (MiB) of one upload that an author submits."
    )
    submit_open: int = Field(
        default=3, ge=1, description="Submissions of one author that are not settled yet."
    )
    submit_day: int = Field(
        default=50,
        ge=1,
        description="Submissions of one author in 24 hours; bots that dial in the same.",
    )
    submit_retry_s: float = Field(
        default=10.0,
        gt=0,
        description="Before another try at a submission that the arena failed at.",
    )
    submit_attempts: int = Field(
        default=4, ge=1, description="Attempts at a submission before it is refused for that."
    )

    keep_replays_s: float = Field(
        default=86400.0, ge=0, description="Replays that nobody recorded are deleted after that."
    )
    keep_uploads_s: float = Field(
        default=86400.0,
        ge=0,
        description="Uploads that nobody goes on with, the same.",
    )
    keep_logs_s: float = Field(
        default=30 * 86400.0,
        ge=0,
        description="What bots printed and replays that were refused, the same; 0: kept for ever.",
    )
    clear_s: float = Field(default=3600.0, gt=0, description="Between two looks for old logs.")

    soft_limit_s: int = Field(default=3600, gt=0, description="A match's task is asked to stop.")
    hard_limit_s: int = Field(default=3660, gt=0, description="A match's task is killed.")

    @field_validator("redis_url")
    @classmethod
    def _store_scheme(cls, value: str) -> str:
        if urlsplit(value).scheme not in STORE_SCHEMES:
            # The text may hold a password, which no error repeats.
            raise ValueError(f"must begin with one of {', '.join(STORE_SCHEMES)}")
        return value

    @property
    def broker(self) -> str:
        """The broker's URL as Celery spells it."""
        return broker_of(self.broker_url or self.redis_url)

    @property
    def window(self) -> int:
        """Matches of one tournament that are on their way at once."""
        return self.slots * self.messages_a_slot

    @property
    def limits(self) -> Limits:
        """When a match is given up."""
        waits = (self.retry_s, self.retry_most_s, self.dead_after_s)
        return Limits(self.attempts, self.attempts_alike, *(round(wait * 1000) for wait in waits))

    @property
    def waits(self) -> Waits:
        """How matches wait for bots that dial in."""
        return Waits(round(self.dial_again_s * 1000), round(self.dial_patience_s * 1000))

    @property
    def waiting(self) -> Waiting:
        """How a seat is offered to such a bot."""
        return Waiting(self.dial_take_s, self.dial_look_s)

    @property
    def timing(self) -> Timing:
        """Durations of one attempt."""
        longest_s = self.soft_limit_s - 30.0
        waits = self.referee_wait_s, longest_s, self.store_wait_s
        return Timing(self.lease_s, self.beat_s, *waits)

    @property
    def patience(self) -> Patience:
        """How submissions are worked at."""
        waits = self.lease_s, self.beat_s, self.submit_retry_s
        return Patience(*waits, self.submit_attempts)

    @property
    def policy(self) -> Policy:
        """When the reconciler sends again."""
        ladders = ladder.Policy(round(self.ladder_day_s * 1000), self.bench_after)
        keep = Keep(self.keep_replays_s, self.keep_logs_s, self.clear_s, self.keep_uploads_s)
        return Policy(self.sweep_s, self.resend_s, self.window, self.limits, ladders, keep)


def load() -> Settings:
    """The settings of this process. Raises ServiceSettingsError, which names variables."""
    with in_words(_variable):
        return Settings()


def _variable(field: str) -> str:
    name = field.upper()
    return "REDIS_URL" if name.endswith("REDIS_URL") else f"KNOCKBOX_{name}"


def broker_of(store_url: str) -> str:
    """Celery's spelling of a store URL: unix:///P?db=1 becomes redis+socket:///P?virtual_host=1."""
    parts = urlsplit(store_url)
    if parts.scheme != "unix":
        return store_url
    database = "0"
    for pair in parts.query.split("&"):
        name, _, value = pair.partition("=")
        if name == "db":
            database = value
    return f"redis+socket://{parts.path}?{urlencode({'virtual_host': database})}"
