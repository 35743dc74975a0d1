"""Servers that run in processes of their own, by `python -m differential.servers.NAME`."""
