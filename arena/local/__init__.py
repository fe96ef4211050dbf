"""Starts and supervises the services of one machine; nothing here plays, rates or stores."""
