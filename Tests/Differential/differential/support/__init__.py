"""Shared helpers of the comparisons."""
