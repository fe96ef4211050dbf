"""The only place where game types meet protobuf messages."""
