"""Speed, as ratios against a baseline of the same run. Nothing here is a test."""
