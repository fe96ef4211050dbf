from . import cards_pb2 as _cards_pb2
from . import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RefusalCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REFUSAL_CODE_UNSPECIFIED: _ClassVar[RefusalCode]
    REFUSAL_CODE_MALFORMED: _ClassVar[RefusalCode]
    REFUSAL_CODE_ILLEGAL: _ClassVar[RefusalCode]
    REFUSAL_CODE_TOO_LARGE: _ClassVar[RefusalCode]

class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REASON_UNSPECIFIED: _ClassVar[Reason]
    REASON_PLAYED: _ClassVar[Reason]
    REASON_DEAL_CAP: _ClassVar[Reason]
    REASON_NO_SHOW: _ClassVar[Reason]
    REASON_TIME: _ClassVar[Reason]
    REASON_CRASH: _ClassVar[Reason]
    REASON_MEMORY: _ClassVar[Reason]
    REASON_ILLEGAL: _ClassVar[Reason]
    REASON_FLOOD: _ClassVar[Reason]
    REASON_DOUBLE_FAULT: _ClassVar[Reason]
    REASON_INFRA: _ClassVar[Reason]
    REASON_WITHDRAWN: _ClassVar[Reason]

class Scope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SCOPE_UNSPECIFIED: _ClassVar[Scope]
    SCOPE_GAMES: _ClassVar[Scope]
    SCOPE_LEG: _ClassVar[Scope]
    SCOPE_MATCH: _ClassVar[Scope]
REFUSAL_CODE_UNSPECIFIED: RefusalCode
REFUSAL_CODE_MALFORMED: RefusalCode
REFUSAL_CODE_ILLEGAL: RefusalCode
REFUSAL_CODE_TOO_LARGE: RefusalCode
REASON_UNSPECIFIED: Reason
REASON_PLAYED: Reason
REASON_DEAL_CAP: Reason
REASON_NO_SHOW: Reason
REASON_TIME: Reason
REASON_CRASH: Reason
REASON_MEMORY: Reason
REASON_ILLEGAL: Reason
REASON_FLOOD: Reason
REASON_DOUBLE_FAULT: Reason
REASON_INFRA: Reason
REASON_WITHDRAWN: Reason
SCOPE_UNSPECIFIED: Scope
SCOPE_GAMES: Scope
SCOPE_LEG: Scope
SCOPE_MATCH: Scope

class PlayRequest(_message.Message):
    __slots__ = ("join", "ready", "actions")
    JOIN_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    join: Join
    ready: Ready
    actions: Actions
    def __init__(self, join: _Optional[_Union[Join, _Mapping]] = ..., ready: _Optional[_Union[Ready, _Mapping]] = ..., actions: _Optional[_Union[Actions, _Mapping]] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("welcome", "turns", "match_over")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    MATCH_OVER_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    turns: Turns
    match_over: MatchOver
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., turns: _Optional[_Union[Turns, _Mapping]] = ..., match_over: _Optional[_Union[MatchOver, _Mapping]] = ...) -> None: ...

class Join(_message.Message):
    __slots__ = ("ticket", "sdk", "protocol")
    TICKET_FIELD_NUMBER: _ClassVar[int]
    SDK_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    ticket: str
    sdk: str
    protocol: int
    def __init__(self, ticket: _Optional[str] = ..., sdk: _Optional[str] = ..., protocol: _Optional[int] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("protocol", "rules", "seat", "clock", "commitment", "games")
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    rules: _rules_pb2.Ruleset
    seat: int
    clock: ClockSettings
    commitment: bytes
    games: int
    def __init__(self, protocol: _Optional[int] = ..., rules: _Optional[_Union[_rules_pb2.Ruleset, _Mapping]] = ..., seat: _Optional[int] = ..., clock: _Optional[_Union[ClockSettings, _Mapping]] = ..., commitment: _Optional[bytes] = ..., games: _Optional[int] = ...) -> None: ...

class ClockSettings(_message.Message):
    __slots__ = ("bank_per_game_ms", "increment_ms", "cap_ms", "untimed")
    BANK_PER_GAME_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    CAP_MS_FIELD_NUMBER: _ClassVar[int]
    UNTIMED_FIELD_NUMBER: _ClassVar[int]
    bank_per_game_ms: int
    increment_ms: int
    cap_ms: int
    untimed: bool
    def __init__(self, bank_per_game_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ..., cap_ms: _Optional[int] = ..., untimed: bool = ...) -> None: ...

class Ready(_message.Message):
    __slots__ = ("nonce", "max_boards", "want_deadwood")
    NONCE_FIELD_NUMBER: _ClassVar[int]
    MAX_BOARDS_FIELD_NUMBER: _ClassVar[int]
    WANT_DEADWOOD_FIELD_NUMBER: _ClassVar[int]
    nonce: bytes
    max_boards: int
    want_deadwood: bool
    def __init__(self, nonce: _Optional[bytes] = ..., max_boards: _Optional[int] = ..., want_deadwood: bool = ...) -> None: ...

class Turns(_message.Message):
    __slots__ = ("clock_left_ms", "refused", "deals_started", "deals_over", "turns")
    CLOCK_LEFT_MS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    DEALS_STARTED_FIELD_NUMBER: _ClassVar[int]
    DEALS_OVER_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    clock_left_ms: int
    refused: _containers.RepeatedCompositeFieldContainer[Refused]
    deals_started: _containers.RepeatedCompositeFieldContainer[DealStarted]
    deals_over: _containers.RepeatedCompositeFieldContainer[DealOver]
    turns: _containers.RepeatedCompositeFieldContainer[Turn]
    def __init__(self, clock_left_ms: _Optional[int] = ..., refused: _Optional[_Iterable[_Union[Refused, _Mapping]]] = ..., deals_started: _Optional[_Iterable[_Union[DealStarted, _Mapping]]] = ..., deals_over: _Optional[_Iterable[_Union[DealOver, _Mapping]]] = ..., turns: _Optional[_Iterable[_Union[Turn, _Mapping]]] = ...) -> None: ...

class Refused(_message.Message):
    __slots__ = ("decision", "code")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    decision: int
    code: RefusalCode
    def __init__(self, decision: _Optional[int] = ..., code: _Optional[_Union[RefusalCode, str]] = ...) -> None: ...

class DealStarted(_message.Message):
    __slots__ = ("board", "deal", "hand", "upcard", "knock_limit", "multiplier", "dealer", "scores", "boxes", "events")
    BOARD_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    UPCARD_FIELD_NUMBER: _ClassVar[int]
    KNOCK_LIMIT_FIELD_NUMBER: _ClassVar[int]
    MULTIPLIER_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    BOXES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    board: int
    deal: int
    hand: int
    upcard: int
    knock_limit: int
    multiplier: int
    dealer: int
    scores: _containers.RepeatedScalarFieldContainer[int]
    boxes: _containers.RepeatedScalarFieldContainer[int]
    events: bytes
    def __init__(self, board: _Optional[int] = ..., deal: _Optional[int] = ..., hand: _Optional[int] = ..., upcard: _Optional[int] = ..., knock_limit: _Optional[int] = ..., multiplier: _Optional[int] = ..., dealer: _Optional[int] = ..., scores: _Optional[_Iterable[int]] = ..., boxes: _Optional[_Iterable[int]] = ..., events: _Optional[bytes] = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ("decision", "board", "phase", "hand", "top", "stock", "events", "options", "spreads")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    STOCK_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SPREADS_FIELD_NUMBER: _ClassVar[int]
    decision: int
    board: int
    phase: _cards_pb2.Phase
    hand: int
    top: int
    stock: int
    events: bytes
    options: Options
    spreads: _containers.RepeatedCompositeFieldContainer[_cards_pb2.Spread]
    def __init__(self, decision: _Optional[int] = ..., board: _Optional[int] = ..., phase: _Optional[_Union[_cards_pb2.Phase, str]] = ..., hand: _Optional[int] = ..., top: _Optional[int] = ..., stock: _Optional[int] = ..., events: _Optional[bytes] = ..., options: _Optional[_Union[Options, _Mapping]] = ..., spreads: _Optional[_Iterable[_Union[_cards_pb2.Spread, _Mapping]]] = ...) -> None: ...

class Options(_message.Message):
    __slots__ = ("may_decline", "may_take", "may_draw", "discards", "knocks", "knock_deadwood", "may_big_gin", "discard_deadwood", "deadwood", "deadwood_if_taken", "may_lay_off")
    MAY_DECLINE_FIELD_NUMBER: _ClassVar[int]
    MAY_TAKE_FIELD_NUMBER: _ClassVar[int]
    MAY_DRAW_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    KNOCKS_FIELD_NUMBER: _ClassVar[int]
    KNOCK_DEADWOOD_FIELD_NUMBER: _ClassVar[int]
    MAY_BIG_GIN_FIELD_NUMBER: _ClassVar[int]
    DISCARD_DEADWOOD_FIELD_NUMBER: _ClassVar[int]
    DEADWOOD_FIELD_NUMBER: _ClassVar[int]
    DEADWOOD_IF_TAKEN_FIELD_NUMBER: _ClassVar[int]
    MAY_LAY_OFF_FIELD_NUMBER: _ClassVar[int]
    may_decline: bool
    may_take: bool
    may_draw: bool
    discards: int
    knocks: int
    knock_deadwood: bytes
    may_big_gin: bool
    discard_deadwood: bytes
    deadwood: int
    deadwood_if_taken: int
    may_lay_off: bool
    def __init__(self, may_decline: bool = ..., may_take: bool = ..., may_draw: bool = ..., discards: _Optional[int] = ..., knocks: _Optional[int] = ..., knock_deadwood: _Optional[bytes] = ..., may_big_gin: bool = ..., discard_deadwood: _Optional[bytes] = ..., deadwood: _Optional[int] = ..., deadwood_if_taken: _Optional[int] = ..., may_lay_off: bool = ...) -> None: ...

class Actions(_message.Message):
    __slots__ = ("actions",)
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    actions: _containers.RepeatedCompositeFieldContainer[Action]
    def __init__(self, actions: _Optional[_Iterable[_Union[Action, _Mapping]]] = ...) -> None: ...

class Action(_message.Message):
    __slots__ = ("decision", "decline", "take", "draw", "discard", "knock", "big_gin", "lay_off", "note")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    DECLINE_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    KNOCK_FIELD_NUMBER: _ClassVar[int]
    BIG_GIN_FIELD_NUMBER: _ClassVar[int]
    LAY_OFF_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    decision: int
    decline: Decline
    take: Take
    draw: Draw
    discard: Discard
    knock: Knock
    big_gin: BigGin
    lay_off: LayOff
    note: str
    def __init__(self, decision: _Optional[int] = ..., decline: _Optional[_Union[Decline, _Mapping]] = ..., take: _Optional[_Union[Take, _Mapping]] = ..., draw: _Optional[_Union[Draw, _Mapping]] = ..., discard: _Optional[_Union[Discard, _Mapping]] = ..., knock: _Optional[_Union[Knock, _Mapping]] = ..., big_gin: _Optional[_Union[BigGin, _Mapping]] = ..., lay_off: _Optional[_Union[LayOff, _Mapping]] = ..., note: _Optional[str] = ...) -> None: ...

class Decline(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Take(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Draw(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Discard(_message.Message):
    __slots__ = ("card",)
    CARD_FIELD_NUMBER: _ClassVar[int]
    card: int
    def __init__(self, card: _Optional[int] = ...) -> None: ...

class Knock(_message.Message):
    __slots__ = ("card", "melds")
    CARD_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    card: int
    melds: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, card: _Optional[int] = ..., melds: _Optional[_Iterable[int]] = ...) -> None: ...

class BigGin(_message.Message):
    __slots__ = ("melds",)
    MELDS_FIELD_NUMBER: _ClassVar[int]
    melds: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, melds: _Optional[_Iterable[int]] = ...) -> None: ...

class LayOff(_message.Message):
    __slots__ = ("melds", "layoffs", "as_declared")
    MELDS_FIELD_NUMBER: _ClassVar[int]
    LAYOFFS_FIELD_NUMBER: _ClassVar[int]
    AS_DECLARED_FIELD_NUMBER: _ClassVar[int]
    melds: _containers.RepeatedScalarFieldContainer[int]
    layoffs: _containers.RepeatedCompositeFieldContainer[_cards_pb2.Layoff]
    as_declared: bool
    def __init__(self, melds: _Optional[_Iterable[int]] = ..., layoffs: _Optional[_Iterable[_Union[_cards_pb2.Layoff, _Mapping]]] = ..., as_declared: bool = ...) -> None: ...

class DealOver(_message.Message):
    __slots__ = ("board", "deal", "end", "deadwood", "points", "winner", "spreads", "events")
    BOARD_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    DEADWOOD_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    SPREADS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    board: int
    deal: int
    end: _cards_pb2.DealEnd
    deadwood: bytes
    points: _containers.RepeatedScalarFieldContainer[int]
    winner: int
    spreads: _containers.RepeatedCompositeFieldContainer[_cards_pb2.Spread]
    events: bytes
    def __init__(self, board: _Optional[int] = ..., deal: _Optional[int] = ..., end: _Optional[_Union[_cards_pb2.DealEnd, str]] = ..., deadwood: _Optional[bytes] = ..., points: _Optional[_Iterable[int]] = ..., winner: _Optional[int] = ..., spreads: _Optional[_Iterable[_Union[_cards_pb2.Spread, _Mapping]]] = ..., events: _Optional[bytes] = ...) -> None: ...

class MatchOver(_message.Message):
    __slots__ = ("reason", "won", "lost", "drawn", "not_counted", "deals_over", "deals_started")
    REASON_FIELD_NUMBER: _ClassVar[int]
    WON_FIELD_NUMBER: _ClassVar[int]
    LOST_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    NOT_COUNTED_FIELD_NUMBER: _ClassVar[int]
    DEALS_OVER_FIELD_NUMBER: _ClassVar[int]
    DEALS_STARTED_FIELD_NUMBER: _ClassVar[int]
    reason: Reason
    won: int
    lost: int
    drawn: int
    not_counted: int
    deals_over: _containers.RepeatedCompositeFieldContainer[DealOver]
    deals_started: _containers.RepeatedCompositeFieldContainer[DealStarted]
    def __init__(self, reason: _Optional[_Union[Reason, str]] = ..., won: _Optional[int] = ..., lost: _Optional[int] = ..., drawn: _Optional[int] = ..., not_counted: _Optional[int] = ..., deals_over: _Optional[_Iterable[_Union[DealOver, _Mapping]]] = ..., deals_started: _Optional[_Iterable[_Union[DealStarted, _Mapping]]] = ...) -> None: ...
