"""The replay file: a match as zstd frames, one record a frame, every byte under a checksum.

Framing alone: what the records mean is `referee.wire.replay`, whether they are right
`referee.verify`.
"""
