"""Plays one match fairly: rules, decks, clocks, replays and the gRPC referee.

Knows no Redis, no Celery, no Docker; who plays whom and what a result is worth lives in `workers`.
"""
