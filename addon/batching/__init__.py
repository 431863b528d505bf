"""Many files, and nothing breaks: the program behind addon/batch.py, a module for each of its questions.

    command line, config -options-> RigOptions (what is made), RunOptions (how it is run)
    RunOptions.files -inputs-> Found -> [Job] (a file, and where its results go)
    Job -running-> Pool -> Child (workers; a process, with child.py and one_file.py inside) -> entry (dict), sources
    the same on a cluster's machines -cluster-> parts of the jobs, each a run of its own
    Job + entry + sources (contents) -ledger, locks-> a record on disk -report, html-> report.json, .csv, .html

An entry tells the joints and how sure each is, and with --readings what else the body may be taken for: one_file.py
asks for the other readings, addon/describe.py writes them down, report.py and html.py show them. Only the first is
rigged.

What holds by design: only child.py and one_file.py import bpy, so that whatever a file does to Blender, it does not do
it to the program. A file's results get their names only when all of them are written; its record is written after
them, so a record means that the results are whole. The report is made of records, never of memory. Whoever works on a
file holds its lock, which the system takes back when the process ends, however it ends.
"""
