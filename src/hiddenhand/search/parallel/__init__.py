"""Streams of one search on several cores and machines."""
