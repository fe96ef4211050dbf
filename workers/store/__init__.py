"""The result store: bots, tournaments, ladders, matches, log and ratings in Redis or Valkey.

The only package that knows a key. No game, no Celery, no files; a client is passed in, and nothing
connects when this is imported.
"""

from workers.store import keys
from workers.store.bots import Bots
from workers.store.client import OLDEST, Client, connect, server_of, worries_of
from workers.store.dial import Dial
from workers.store.errors import (
    DOWN,
    BadName,
    BotTaken,
    FormatError,
    LadderRuns,
    LimitReached,
    NameTaken,
    NotFound,
    StoreError,
    VersionTaken,
)
from workers.store.images import Images
from workers.store.ladders import Ladders
from workers.store.log import Log
from workers.store.matches import Matches
from workers.store.queue import Broker, Queue
from workers.store.ratings import Ratings
from workers.store.scripts import Scripts
from workers.store.submissions import Submissions
from workers.store.tokens import Tokens
from workers.store.tournaments import Tournaments
from workers.store.uploads import Uploads

__all__ = [
    "DOWN",
    "FORMAT",
    "BadName",
    "BotTaken",
    "Broker",
    "Client",
    "FormatError",
    "LadderRuns",
    "LimitReached",
    "NameTaken",
    "NotFound",
    "Store",
    "StoreError",
    "VersionTaken",
    "connect",
    "open_store",
]

FORMAT = 1
"""Version of the layout in `keys`."""


class Store:
    """One result store, with a part for each subject. Making one sends nothing."""

    def __init__(self, client: Client) -> None:
        scripts = Scripts(client)
        self._client = client
        self.bots = Bots(client, scripts)
        self.images = Images(client, self.now_ms)
        self.tournaments = Tournaments(client, scripts)
        self.ladders = Ladders(client, scripts)
        self.matches = Matches(client, scripts)
        self.queue = Queue(client, scripts)
        self.log = Log(client, scripts, self.now_ms)
        self.ratings = Ratings(client, scripts)
        self.uploads = Uploads(client, scripts)
        self.submissions = Submissions(client, scripts)
        self.dial = Dial(client, scripts, self.now_ms)
        self.tokens = Tokens(client, self.queue.now_ms)

    def check(self) -> None:
        """Mark an empty store with this format, or refuse one that cannot be used.

        Raises FormatError: the server is too old, or the data is of a newer version.
        """
        name, version = server_of(self._client)
        if version[:2] < OLDEST:
            found, need = ".".join(map(str, version)), ".".join(map(str, OLDEST))
            raise FormatError(f"the store is {name} {found}; {need} is the oldest that will do")
        self._client.set(keys.FORMAT, str(FORMAT), nx=True)
        found = self._client.get(keys.FORMAT)
        if found != str(FORMAT):
            raise FormatError(
                f"the store has format {found}, this version of Knockbox reads {FORMAT}: "
                "use the version that wrote it, or another store"
            )

    def server(self) -> str:
        """Name and version of the server, for people: "valkey 9.1.2"."""
        name, version = server_of(self._client)
        return f"{name} {'.'.join(map(str, version))}"

    def worries(self) -> list[str]:
        """What the server's settings could cost, each with what would be right; for people."""
        return worries_of(self._client)

    def now_ms(self) -> int:
        """The store's clock, Unix milliseconds."""
        return self.queue.now_ms()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def open_store(url: str, patient: bool = True) -> Store:
    """Connect to redis://, rediss:// or unix:///ABS/PATH?db=0, and check what is there.

    Raises FormatError, or one of `DOWN` when nothing answers.
    """
    client = connect(url, patient)
    try:
        store = Store(client)
        store.check()
    except BaseException:
        client.close()
        raise
    return store
