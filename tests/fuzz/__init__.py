"""Random input at the core's doors: what comes out is a sound result or a RigError, never anything else.

A few cases run with the other tests; `make fuzz CASES=20000` runs as many as asked, drawn anew each time.
"""
