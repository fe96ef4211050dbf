"""What can be set about the referee: places, durations, sizes. Values only; nothing is read."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How one referee runs. Durations are seconds, sizes bytes.

    `control` is where workers call, `unix:///ABS/PATH` in a folder that is the owner's alone;
    `run_dir` holds the seats' sockets and may be read by bots.

    For bots that dial in: `dial_host` is the address at which their seats listen, empty where none
    may; `dial_name` what they call this machine, empty: as they call the arena; `dial_ports` as
    7900-7999, 0 for any free one; certificate and key are files in PEM.
    """

    control: str
    run_dir: Path
    dial_host: str = ""
    dial_name: str = ""
    dial_ports: str = "0"
    dial_certificate: str = ""
    dial_key: str = ""
    connect: float = 10.0
    """From the start of a bot's process to its Ready."""
    grace: float = 2.0
    """From MatchOver to the end of the connection."""
    drain: float = 5.0
    """What running matches get to end by themselves when the referee is told to stop."""
    progress: float = 1.0
    """Between two Progress messages to the worker."""
    step: float = 0.05
    """Failures so close together are judged as one, so that none of them is somebody's win."""
    half_close: float = 0.2
    """How long the end of a bot's stream is watched to tell a goodbye from a lost connection."""
    handshake: float = 3.0
    """What a new connection may take for its handshake, and then for its Join."""
    reconnects: int = 20
    """Connections a seat may make in a leg after its first."""
    message_base: int = 1024
    """What a bot's message may weigh; the transport stands twice this."""
    message_decision: int = 512
    """What each decision that the message answers adds to it."""
    lag_interval: float = 0.02
    """Between two beats that measure the referee's own delay."""
    lag_slack: float = 0.005
    """A beat so late is no delay yet."""
