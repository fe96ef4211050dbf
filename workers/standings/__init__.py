"""Tables out of log entries: ratings with intervals, scores, points a deal, head-to-head. Pure.

Any iterable of the log's entries will do, a tournament's, a ladder's or the whole log, in any
order; the order changes nothing:

    from workers.standings.book import Book
    from workers.standings.table import head_to_head, table

    book = Book(entrants)          # (name, version) of those who get a row in any case
    book.extend(entries)           # objects, as `workers.ledger` describes them
    rows = table(book)             # one Row a (name, version), best first
    grid = head_to_head(book)      # one Meeting for each ordered two that have met

A book keeps sums, so that it may be kept and fed what is new. Whoever does so begins anew where a
correction takes back an earlier entry.

| module | what it does |
|---|---|
| `book` | entries to sums |
| `fit` | sums to strengths: Bradley-Terry |
| `bootstrap` | how far the strengths may be off |
| `means` | means with their 95 % intervals; units that it takes to tell two bots apart |
| `table` | all of it as rows |
"""
