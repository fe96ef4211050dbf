from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class KnockLimit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KNOCK_LIMIT_UNSPECIFIED: _ClassVar[KnockLimit]
    KNOCK_LIMIT_UPCARD: _ClassVar[KnockLimit]
    KNOCK_LIMIT_FIXED: _ClassVar[KnockLimit]
    KNOCK_LIMIT_GIN_ONLY: _ClassVar[KnockLimit]

class AceUpcard(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACE_UPCARD_UNSPECIFIED: _ClassVar[AceUpcard]
    ACE_UPCARD_GIN_ONLY: _ClassVar[AceUpcard]
    ACE_UPCARD_LIMIT_ONE: _ClassVar[AceUpcard]

class FirstTurn(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FIRST_TURN_UNSPECIFIED: _ClassVar[FirstTurn]
    FIRST_TURN_OFFER: _ClassVar[FirstTurn]
    FIRST_TURN_NORMAL: _ClassVar[FirstTurn]

class StockEnd(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STOCK_END_UNSPECIFIED: _ClassVar[StockEnd]
    STOCK_END_VOID_AT_TWO: _ClassVar[StockEnd]
    STOCK_END_RESHUFFLE: _ClassVar[StockEnd]

class NextDealer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NEXT_DEALER_UNSPECIFIED: _ClassVar[NextDealer]
    NEXT_DEALER_WINNER_DEALS: _ClassVar[NextDealer]
    NEXT_DEALER_ROTATE: _ClassVar[NextDealer]

class VoidDealer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VOID_DEALER_UNSPECIFIED: _ClassVar[VoidDealer]
    VOID_DEALER_SAME: _ClassVar[VoidDealer]
    VOID_DEALER_NEXT: _ClassVar[VoidDealer]

class LayoffRule(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LAYOFF_RULE_UNSPECIFIED: _ClassVar[LayoffRule]
    LAYOFF_RULE_DEFENDERS: _ClassVar[LayoffRule]
    LAYOFF_RULE_OFF: _ClassVar[LayoffRule]
    LAYOFF_RULE_KNOCKERS_PARTNER: _ClassVar[LayoffRule]
    LAYOFF_RULE_ALL: _ClassVar[LayoffRule]

class Shutout(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SHUTOUT_UNSPECIFIED: _ClassVar[Shutout]
    SHUTOUT_NONE: _ClassVar[Shutout]
    SHUTOUT_DOUBLE_TOTAL: _ClassVar[Shutout]
KNOCK_LIMIT_UNSPECIFIED: KnockLimit
KNOCK_LIMIT_UPCARD: KnockLimit
KNOCK_LIMIT_FIXED: KnockLimit
KNOCK_LIMIT_GIN_ONLY: KnockLimit
ACE_UPCARD_UNSPECIFIED: AceUpcard
ACE_UPCARD_GIN_ONLY: AceUpcard
ACE_UPCARD_LIMIT_ONE: AceUpcard
FIRST_TURN_UNSPECIFIED: FirstTurn
FIRST_TURN_OFFER: FirstTurn
FIRST_TURN_NORMAL: FirstTurn
STOCK_END_UNSPECIFIED: StockEnd
STOCK_END_VOID_AT_TWO: StockEnd
STOCK_END_RESHUFFLE: StockEnd
NEXT_DEALER_UNSPECIFIED: NextDealer
NEXT_DEALER_WINNER_DEALS: NextDealer
NEXT_DEALER_ROTATE: NextDealer
VOID_DEALER_UNSPECIFIED: VoidDealer
VOID_DEALER_SAME: VoidDealer
VOID_DEALER_NEXT: VoidDealer
LAYOFF_RULE_UNSPECIFIED: LayoffRule
LAYOFF_RULE_DEFENDERS: LayoffRule
LAYOFF_RULE_OFF: LayoffRule
LAYOFF_RULE_KNOCKERS_PARTNER: LayoffRule
LAYOFF_RULE_ALL: LayoffRule
SHUTOUT_UNSPECIFIED: Shutout
SHUTOUT_NONE: Shutout
SHUTOUT_DOUBLE_TOTAL: Shutout

class Ruleset(_message.Message):
    __slots__ = ("preset", "players", "partnership", "hand_size", "knock_limit", "fixed_limit", "ace_upcard", "first_turn", "may_return_taken_card", "stock_end", "turn_cap", "knock_discard_face_down", "layoff", "ace_high_runs", "gin_bonus", "undercut_bonus", "big_gin_bonus", "spade_multiplier", "target", "game_bonus", "box_bonus", "shutout", "columns", "next_dealer", "void_dealer", "deal_cap")
    PRESET_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    PARTNERSHIP_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZE_FIELD_NUMBER: _ClassVar[int]
    KNOCK_LIMIT_FIELD_NUMBER: _ClassVar[int]
    FIXED_LIMIT_FIELD_NUMBER: _ClassVar[int]
    ACE_UPCARD_FIELD_NUMBER: _ClassVar[int]
    FIRST_TURN_FIELD_NUMBER: _ClassVar[int]
    MAY_RETURN_TAKEN_CARD_FIELD_NUMBER: _ClassVar[int]
    STOCK_END_FIELD_NUMBER: _ClassVar[int]
    TURN_CAP_FIELD_NUMBER: _ClassVar[int]
    KNOCK_DISCARD_FACE_DOWN_FIELD_NUMBER: _ClassVar[int]
    LAYOFF_FIELD_NUMBER: _ClassVar[int]
    ACE_HIGH_RUNS_FIELD_NUMBER: _ClassVar[int]
    GIN_BONUS_FIELD_NUMBER: _ClassVar[int]
    UNDERCUT_BONUS_FIELD_NUMBER: _ClassVar[int]
    BIG_GIN_BONUS_FIELD_NUMBER: _ClassVar[int]
    SPADE_MULTIPLIER_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    GAME_BONUS_FIELD_NUMBER: _ClassVar[int]
    BOX_BONUS_FIELD_NUMBER: _ClassVar[int]
    SHUTOUT_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    NEXT_DEALER_FIELD_NUMBER: _ClassVar[int]
    VOID_DEALER_FIELD_NUMBER: _ClassVar[int]
    DEAL_CAP_FIELD_NUMBER: _ClassVar[int]
    preset: str
    players: int
    partnership: bool
    hand_size: int
    knock_limit: KnockLimit
    fixed_limit: int
    ace_upcard: AceUpcard
    first_turn: FirstTurn
    may_return_taken_card: bool
    stock_end: StockEnd
    turn_cap: int
    knock_discard_face_down: bool
    layoff: LayoffRule
    ace_high_runs: bool
    gin_bonus: int
    undercut_bonus: int
    big_gin_bonus: int
    spade_multiplier: int
    target: int
    game_bonus: int
    box_bonus: int
    shutout: Shutout
    columns: int
    next_dealer: NextDealer
    void_dealer: VoidDealer
    deal_cap: int
    def __init__(self, preset: _Optional[str] = ..., players: _Optional[int] = ..., partnership: bool = ..., hand_size: _Optional[int] = ..., knock_limit: _Optional[_Union[KnockLimit, str]] = ..., fixed_limit: _Optional[int] = ..., ace_upcard: _Optional[_Union[AceUpcard, str]] = ..., first_turn: _Optional[_Union[FirstTurn, str]] = ..., may_return_taken_card: bool = ..., stock_end: _Optional[_Union[StockEnd, str]] = ..., turn_cap: _Optional[int] = ..., knock_discard_face_down: bool = ..., layoff: _Optional[_Union[LayoffRule, str]] = ..., ace_high_runs: bool = ..., gin_bonus: _Optional[int] = ..., undercut_bonus: _Optional[int] = ..., big_gin_bonus: _Optional[int] = ..., spade_multiplier: _Optional[int] = ..., target: _Optional[int] = ..., game_bonus: _Optional[int] = ..., box_bonus: _Optional[int] = ..., shutout: _Optional[_Union[Shutout, str]] = ..., columns: _Optional[int] = ..., next_dealer: _Optional[_Union[NextDealer, str]] = ..., void_dealer: _Optional[_Union[VoidDealer, str]] = ..., deal_cap: _Optional[int] = ...) -> None: ...
