"""Comparisons of Catena with other programs."""
