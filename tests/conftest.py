"""What every test may use."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """The one event loop that the product runs on."""
    return "asyncio"
