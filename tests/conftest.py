"""What every test may use."""

import pytest
from hypothesis import settings

# `--hypothesis-profile=fuzz` tries thirty times as many examples as the default of 100.
settings.register_profile("fuzz", max_examples=3000)


@pytest.fixture
def anyio_backend() -> str:
    """The one event loop that the product runs on."""
    return "asyncio"
