"""Tokens in the store: who holds one, until when, and that its text is nowhere."""

from typing import Any

import pytest

from workers.store import BadName, NameTaken, NotFound, Store


def test_a_token_is_known_by_its_text_alone(store: Store) -> None:
    """The text names its holder and role; every other text is nobody's."""
    token, text = store.tokens.create("ada", "author")
    assert store.tokens.of(text) == token
    assert (token.name, token.role, token.expires_ms) == ("ada", "author", 0)
    assert text.startswith(token.prefix)
    other = store.tokens.create("bob", "organiser")[1]
    forged = f"kb1.ada.{other.rpartition('.')[2]}"
    for wrong in ("", "kb1", "kb1.ada.", text[:-1], f"{text}x", forged, "kb1.a b.c", "kb1.\0.x"):
        assert store.tokens.of(wrong) is None, wrong


def test_the_text_is_not_kept(store: Store, client: Any) -> None:
    """Whoever reads the store learns no token: only a hash lies there."""
    secret = store.tokens.create("ada", "author")[1].rpartition(".")[2]
    kept = "".join(client.hgetall("kb:tokens").values())
    assert secret not in kept
    assert secret[:4] in kept
    assert secret[:5] not in kept


def test_a_token_ends_by_itself_and_by_hand(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """After its time, and once revoked, a text is as good as a wrong one; the name is free."""
    token, text = store.tokens.create("ada", "author", lifetime_s=60)
    assert store.tokens.of(text) == token
    now = store.now_ms()
    monkeypatch.setattr(store.tokens, "_now_ms", lambda: now + 61_000)
    assert store.tokens.of(text) is None
    assert store.tokens.all() == [token]
    store.tokens.revoke("ada")
    assert store.tokens.all() == []
    fresh, again = store.tokens.create("ada", "organiser")
    assert store.tokens.of(again) == fresh
    assert store.tokens.of(text) is None
    store.tokens.revoke("ada")
    assert store.tokens.of(again) is None
    with pytest.raises(NotFound):
        store.tokens.revoke("ada")


def test_names_of_tokens_are_names_of_owners(store: Store) -> None:
    """A name breaks the rule, is taken, or looks like one that is: refused, the first stays."""
    token, text = store.tokens.create("al-0", "author")
    for taken in ("al-0", "a1_o"):
        with pytest.raises(NameTaken):
            store.tokens.create(taken, "organiser")
    with pytest.raises(BadName):
        store.tokens.create("../x", "author")
    with pytest.raises(NotFound):
        store.tokens.revoke("a1_o")
    assert store.tokens.of(text) == token
