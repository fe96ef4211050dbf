"""Schedules, runs, records and rates matches. What people touch lives in `arena`."""
