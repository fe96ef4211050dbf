from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNSPECIFIED: _ClassVar[Phase]
    PHASE_OFFER: _ClassVar[Phase]
    PHASE_DRAW: _ClassVar[Phase]
    PHASE_DISCARD: _ClassVar[Phase]
    PHASE_LAYOFF: _ClassVar[Phase]

class DealEnd(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEAL_END_UNSPECIFIED: _ClassVar[DealEnd]
    DEAL_END_KNOCK: _ClassVar[DealEnd]
    DEAL_END_GIN: _ClassVar[DealEnd]
    DEAL_END_BIG_GIN: _ClassVar[DealEnd]
    DEAL_END_UNDERCUT: _ClassVar[DealEnd]
    DEAL_END_VOID_STOCK: _ClassVar[DealEnd]
    DEAL_END_VOID_TURN_CAP: _ClassVar[DealEnd]
    DEAL_END_BROKEN_OFF: _ClassVar[DealEnd]
PHASE_UNSPECIFIED: Phase
PHASE_OFFER: Phase
PHASE_DRAW: Phase
PHASE_DISCARD: Phase
PHASE_LAYOFF: Phase
DEAL_END_UNSPECIFIED: DealEnd
DEAL_END_KNOCK: DealEnd
DEAL_END_GIN: DealEnd
DEAL_END_BIG_GIN: DealEnd
DEAL_END_UNDERCUT: DealEnd
DEAL_END_VOID_STOCK: DealEnd
DEAL_END_VOID_TURN_CAP: DealEnd
DEAL_END_BROKEN_OFF: DealEnd

class Layoff(_message.Message):
    __slots__ = ("card", "meld")
    CARD_FIELD_NUMBER: _ClassVar[int]
    MELD_FIELD_NUMBER: _ClassVar[int]
    card: int
    meld: int
    def __init__(self, card: _Optional[int] = ..., meld: _Optional[int] = ...) -> None: ...

class Spread(_message.Message):
    __slots__ = ("seat", "melds", "unmatched", "deadwood")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MELDS_FIELD_NUMBER: _ClassVar[int]
    UNMATCHED_FIELD_NUMBER: _ClassVar[int]
    DEADWOOD_FIELD_NUMBER: _ClassVar[int]
    seat: int
    melds: _containers.RepeatedScalarFieldContainer[int]
    unmatched: int
    deadwood: int
    def __init__(self, seat: _Optional[int] = ..., melds: _Optional[_Iterable[int]] = ..., unmatched: _Optional[int] = ..., deadwood: _Optional[int] = ...) -> None: ...
