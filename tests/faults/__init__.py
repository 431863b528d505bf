"""What may go wrong around the program, a row each, made to happen: `make test-faults`.

The outcome of every row is a right result or a named error; inputs are never touched, nothing half-written stays.
`KILLS=200` says how often a run is killed. Linux only: full and read-only disks are made with mount namespaces.
"""
