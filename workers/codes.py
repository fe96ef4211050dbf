"""Every code with which a bot is refused: what it means, and whose fault that is."""

from enum import Enum
from typing import NamedTuple


class Blame(Enum):
    """Whose fault a refusal is."""

    BOT = "the bot's: mend it"
    REQUEST = "the request's: ask for something else"
    ARENA = "the arena's, or nobody's: the same again may be accepted"


class Code(NamedTuple):
    """What a code means, and whose fault it tells of."""

    meaning: str
    blame: Blame


CODES = {
    "E_FOLDER": Code("the folder or its manifest is no bot's", Blame.BOT),
    "E_NO_DOCKERFILE": Code("there is no Dockerfile", Blame.BOT),
    "E_DOCKERFILE": Code("a line of the Dockerfile cannot be", Blame.BOT),
    "E_BUILD": Code("a command of the Dockerfile has failed", Blame.BOT),
    "E_BUILD_LIMIT": Code("building takes more time, room or output than it may", Blame.BOT),
    "E_ARCHIVE": Code("the file is no archive that can be read", Blame.BOT),
    "E_PATH": Code("a member's name leads out of the archive, or cannot be", Blame.BOT),
    "E_LINK": Code("a member is a link", Blame.BOT),
    "E_SPECIAL": Code("a member is a device, a pipe or a socket", Blame.BOT),
    "E_ROOT": Code("what is wanted lies in a folder of the archive", Blame.BOT),
    "E_TOO_BIG": Code("it is too big, or unpacks to too much", Blame.BOT),
    "E_IMAGE": Code("the archive holds no image, or more than one", Blame.BOT),
    "E_VOLUME": Code("the image declares volumes", Blame.BOT),
    "E_ONBUILD": Code("the image has triggers for images built on it", Blame.BOT),
    "E_SETUID": Code("programs in the image change their user or group", Blame.BOT),
    "E_USER": Code("the image wants to run as root", Blame.BOT),
    "E_COMMAND": Code("the image does not say what to run", Blame.BOT),
    "E_START": Code("the engine cannot start it", Blame.BOT),
    "E_ARCHITECTURE": Code("the image is for other machines", Blame.BOT),
    "E_CHECK": Code("it fails the check", Blame.BOT),
    "E_REFERENCE": Code("the reference is none, or its registry is not asked", Blame.REQUEST),
    "E_PULL": Code("the registry has no such image, or does not give it", Blame.REQUEST),
    "E_NAME": Code("the name is taken, or is not the one that its files say", Blame.REQUEST),
    "E_EXISTS": Code("the name of the version stands for another one", Blame.REQUEST),
    "E_BASE": Code("an image that the Dockerfile builds on is not on this machine", Blame.ARENA),
    "E_REGISTRY": Code("the registry does not answer, or breaks off", Blame.ARENA),
    "E_UPLOAD": Code("what was sent has been cleared away; send it anew", Blame.ARENA),
    "E_ARENA": Code("the arena has failed at it", Blame.ARENA),
}
"""Every code there is. A refusal with another one cannot be made."""
