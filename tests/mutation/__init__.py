"""Faults put into the code on purpose, to see which of them the tests notice: `make mutate`."""
