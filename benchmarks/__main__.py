"""`make bench`: every benchmark, as one report. `--rounds` for steadier medians, `--json`."""

import argparse
import asyncio
import json
import sys

from benchmarks import (
    containers,
    decisions,
    kernel,
    languages,
    matches,
    rules_speed,
    scheduling,
    stage,
)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds to take medians of")
    parser.add_argument("--json", action="store_true", help="one object instead of tables")
    parser.add_argument(
        "--deals", type=int, default=matches.DEALS, help="deals to watch the referee's growth over"
    )
    asked = parser.parse_args()
    counted = kernel.measure(asked.rounds)
    compared = rules_speed.measure(asked.rounds)
    played = list(decisions.rows(asyncio.run(decisions.measure(asked.rounds, list(stage.KINDS)))))
    whole = asyncio.run(matches.measure(asked.rounds, asked.deals))
    begun = scheduling.measure()
    inside = containers.measure(asked.rounds)
    spoken = languages.measure(asked.rounds)
    if asked.json:
        report = {"kernel": counted, "rules": compared, "decisions": played, "matches": whole}
        report["scheduling"] = begun
        report["containers"] = inside
        report["languages"] = spoken
        print(json.dumps(report))
        return 0
    print("Counting hands: suit tables and brute force, microseconds a call")
    for row in counted:
        print(
            f"  {row['question']:<15}{row['hands']:<10}{row['tables_us']:8.2f}"
            f"{row['brute_us']:10.1f}   {row['times_faster']:>6,} x faster"
        )
    print(f"\n{rules_speed.table(compared)}")
    print("\nDecisions through the referee; multiples of a bare gRPC ping-pong of the same bytes")
    for row in played:
        boards = f"{row['boards']:3} boards" if row["boards"] else ""
        aim = f"   aim {row['aim']}" if row["aim"] else ""
        print(f"  {row['case']:<11}{boards:<11}{row['per_second']:>9,}/s{row['ratio']:8.2f} x{aim}")
    print(f"\n{matches.table(whole)}")
    print(f"\n{scheduling.table(begun)}")
    print(f"\n{containers.table(inside)}")
    print(f"\n{languages.table(spoken)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
