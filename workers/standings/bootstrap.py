"""How far strengths may be off: fits of reweighted units. Pure; the same on every call.

A Bayesian bootstrap: each unit gets a weight drawn from the exponential distribution, so that n
alike get one from the gamma distribution of shape n, and the units that `fit` puts on top likewise;
then everything is fitted again. Units are the sample, not games nor deals: the legs of one unit
share their cards. No pair ever drops out, a bot that won everything keeps a wide interval, and few
units leave much open.

One fit costs about as much as there are cells and squared bots; `EFFORT` shares them out. Where it
does not suffice for `FEWEST` fits (from some 75 bots on that all have met each other) the strengths
are drawn from the normal distribution that the bootstrap tends to with many units: the gradient
varies as the units do, and one Newton step says what follows. A table of twenty bots with 190
matches of 64 units takes 0.15 s of CPU; one of a thousand with 499,500 takes 2 s here, and 9 s more
before, until the sums are arrays.

A strength has no zero of its own. The fits are laid over each other so that what is known best
stays: bots count by what their units say about them. Else one bot that nobody could gauge would
widen the intervals of all.
"""

import numpy as np

from workers.standings import fit
from workers.standings.fit import Data, Floats

FITS = 1000
FEWEST = 200
EFFORT = 4_000_000
_SEED = 20_110_519


def draws(units: Data, found: Floats) -> Floats:
    """(R, bots): strengths as they might be just as well; `found` (bots) are the likeliest."""
    effort = len(units.counts) + units.bots**2
    fits = min(FITS, EFFORT // max(1, effort))
    chance = np.random.RandomState(_SEED)  # whose numbers no release of numpy will change
    drawn = _refitted(units, found, fits, chance) if fits >= FEWEST else _near(units, found, chance)
    return drawn - ((drawn - found) @ _known(units, found))[:, None]


def _refitted(units: Data, found: Floats, fits: int, chance: np.random.RandomState) -> Floats:
    weights = chance.standard_gamma(units.counts[:, None], (len(units.counts), fits))
    won, lost = chance.standard_gamma(fit.PRIOR, (2, fits, units.bots))
    return fit.strengths(units, fit.totals(units, weights, won, lost), found)


def _near(units: Data, found: Floats, chance: np.random.RandomState) -> Floats:
    """Draws from the normal distribution around `found`."""
    curve = fit.information(units, fit.plain(units), found[None])[0]
    roots = np.linalg.cholesky(_spread(units, found))
    noise = roots @ chance.standard_normal((units.bots, FITS))
    return found + np.linalg.solve(curve, noise).T


def _spread(units: Data, found: Floats) -> Floats:
    """(bots, bots): how the gradient varies with the units' weights."""
    bots, chance = units.bots, fit.chances(units, found[None])[0][units.met_pair]
    wide = units.left.shape[1]
    # What each bot of each cell has scored above what was to be expected.
    terms = [(units.gain_cell * bots + units.gain_bot, units.gain)]
    for sides, share in ((units.left, chance), (units.right, 1 - chance)):
        for at in range(wide):
            terms.append((units.met_cell * bots + sides[units.met_pair, at], -share / wide))
    places, values = (np.concatenate(parts) for parts in zip(*terms, strict=True))
    places, of = np.unique(places, return_inverse=True)
    above = np.bincount(of, values)
    cell, bot = np.divmod(places, bots)
    spread = np.zeros(bots * bots)
    for apart in range(len(places)):  # a cell's bots stand next to each other
        same = cell[apart:] == cell[: len(cell) - apart]
        if not same.any():
            break
        one, other = np.flatnonzero(same), np.flatnonzero(same) + apart
        weight = units.counts[cell[one]] * above[one] * above[other]
        spread += np.bincount(bot[one] * bots + bot[other], weight, minlength=bots * bots)
        if apart:
            spread += np.bincount(bot[other] * bots + bot[one], weight, minlength=bots * bots)
    top = fit.logistic(found)
    spread[:: bots + 1] += fit.PRIOR * (top**2 + (1 - top) ** 2)
    return spread.reshape(bots, bots)


def _known(units: Data, found: Floats) -> Floats:
    """(bots): how much of what is known about strengths is about each; they add up to 1."""
    known = np.diagonal(fit.information(units, fit.plain(units), found[None])[0])
    return known / known.sum()
