"""A whole bot out of docs/protocol.md alone: plain grpcio and the compiled protos, no SDK."""

import os
import queue
import time

import grpc

from knockbox.v1 import cards_pb2, play_pb2, play_pb2_grpc

TRIES = 5
AGAIN = ("UNAVAILABLE", "CANCELLED", "INTERNAL", "UNKNOWN", "RESOURCE_EXHAUSTED")


def cheapest(cards: int, deadwood: bytes) -> int:
    """The card of a mask with the least number beside it: one byte a card, cards ascending."""
    numbers = [card for card in range(52) if cards >> card & 1]
    return min(zip(deadwood, numbers, strict=True))[1]


def decide(turn: play_pb2.Turn) -> play_pb2.Action:
    """Knock if possible, else keep the hand with the least deadwood."""
    action, may = play_pb2.Action(decision=turn.decision), turn.options
    if turn.phase == cards_pb2.PHASE_LAYOFF:
        action.lay_off.SetInParent()  # empty: the referee finds the best
    elif may.knocks:
        action.knock.card = cheapest(may.knocks, may.knock_deadwood)
    elif may.discards:
        action.discard.card = cheapest(may.discards, may.discard_deadwood)
    elif may.may_take and may.deadwood_if_taken < may.deadwood:
        action.take.SetInParent()
    elif may.may_decline:
        action.decline.SetInParent()
    else:
        action.draw.SetInParent()
    return action


def answer(response: play_pb2.PlayResponse) -> play_pb2.PlayRequest | None:
    """What is said next; None closes this end."""
    match response.WhichOneof("message"):
        case "welcome":
            ready = play_pb2.Ready(nonce=os.urandom(16), want_deadwood=True)
            return play_pb2.PlayRequest(ready=ready)
        case "turns":
            actions = [decide(turn) for turn in response.turns.turns]
            return play_pb2.PlayRequest(actions=play_pb2.Actions(actions=actions))
        case _:
            return None


def connect(address: str, ticket: str) -> None:
    """One connection, from Join to its end. Nothing is kept from one to the next: a Turn says all
    that this bot asks."""
    join = play_pb2.Join(ticket=ticket, sdk="plain/1", protocol=1)
    outbox: queue.SimpleQueue[play_pb2.PlayRequest | None] = queue.SimpleQueue()
    outbox.put(play_pb2.PlayRequest(join=join))
    options = (("grpc.default_authority", "localhost"), ("grpc.enable_http_proxy", 0))
    with grpc.insecure_channel(address, options=options) as channel:
        for response in play_pb2_grpc.PlayServiceStub(channel).Play(iter(outbox.get, None)):
            outbox.put(answer(response))


def play(address: str, ticket: str) -> None:
    """One leg. A connection that is lost is no end of it: connect again, a few times."""
    for tries_left in reversed(range(TRIES)):
        try:
            connect(address, ticket)
            return
        except grpc.RpcError as error:
            if error.code().name not in AGAIN or not tries_left:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    play(os.environ["KNOCKBOX_REFEREE"], os.environ["KNOCKBOX_TICKET"])
