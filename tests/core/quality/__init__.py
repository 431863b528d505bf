"""Tests of core.quality."""
