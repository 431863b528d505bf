# make rig      the main job: rigs the sample character, or INPUT="a.glb b.obj" PRESET=quadruped OUT=folder MOTION=walk
# make test     the quick tests;  make test-long: the slow ones;  make fuzz, make bench, make check: lint and types
# make extension      the zips, into dist/;  make test-installed [BLENDER=/path/to/blender]: install and use them
# Everything installs into .venv; only Python 3.11 is needed beforehand (the version the bpy wheel is built for).

SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: rig test test-core test-long test-blender test-wheels test-cluster test-faults test-window pictures check-engines check bench figures references mutate fuzz bench-motion bench-transfer bench-damage wang learn ablate extension test-installed clean help

PRESET ?= auto
OUT ?= out
METHOD ?= auto
IS_311 := -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))'
PYTHON ?= $(shell for p in python3.11 python3 python; do $$p $(IS_311) 2>/dev/null && { echo $$p; break; }; done)
VENV := .venv
RUN := $(VENV)/bin/python
WHEELS ?= 4.2 5.0
# Ends without the destructors of the wheel's libraries, which can wait for ever.
LEAVING := import os, sys, pytest; s = pytest.main(sys.argv[1:]); sys.stdout.flush(); os._exit(s)
READY := $(VENV)/.ready

help:
	@sed -n '1,4s/^# //p' Makefile

rig: $(READY) $(if $(INPUT),,.build/Pip.blend)
	$(RUN) addon/batch.py $(if $(INPUT),$(INPUT),.build/Pip.blend) --out '$(OUT)' --preset '$(PRESET)' --method '$(METHOD)' \
	  $(if $(MOTION),--motion '$(MOTION)')

test: test-core test-blender

# What takes long and rarely breaks: most cases of wide sweeps, the zips as they are built, the programs that learn,
# random input, the report in a browser.
LONG := tests/packaging tests/learning tests/fuzz tests/browser
CORE := tests $(patsubst %,--ignore tests/%,blender gui cluster faults engines) $(LONG:%=--ignore %)

# Two workers on two cores leave no core for more threads, and what was compiled once is kept, whatever the environment
# says: a test that starts a program, and the next run, need not do it again.
test-core: export OMP_NUM_THREADS := 1
test-core: export OPENBLAS_NUM_THREADS := 1
test-core: export PYTHONDONTWRITEBYTECODE :=
test-core: $(READY)
	$(RUN) -m pytest -n auto --dist worksteal -m 'not slow' $(CORE)

test-long: $(READY)
	$(RUN) -m pytest -n auto --dist worksteal -m slow $(CORE)
	$(RUN) -m pytest -n auto --dist loadfile -m slow tests/blender
	$(RUN) -m pytest -n auto --dist worksteal $(LONG)

# CASES of random input at the core's doors, drawn anew each time, and BROKEN files of each kind at the importers'.
# 20 000 and 100 take about half an hour of one core.
CASES ?= 20000
BROKEN ?= 100
fuzz: $(READY)
	FUZZ_CASES='$(CASES)' $(RUN) -m pytest -n 2 -s --dist worksteal tests/fuzz
	BROKEN='$(BROKEN)' $(RUN) -m pytest -n 2 --dist worksteal tests/faults/test_contents.py -k broken

# A row for each thing that goes wrong around a run; KILLS says how often it is killed. Linux, about 40 minutes; some
# with KILLS=3 BROKEN=6 ROWS='not millions', as .ci/run has it.
KILLS ?= 200
ROWS ?=
test-faults: $(READY)
	KILLS='$(KILLS)' $(RUN) -m pytest -n 2 --dist worksteal -k '$(ROWS)' tests/faults

# In Blender's wheel; with BLENDER=path/to/blender in that one, through pytest-blender.
test-blender: $(READY)
ifdef BLENDER
	$(RUN) -m pip install --quiet --disable-pip-version-check pytest-blender
	$(RUN) -m pytest -p pytest_blender --blender-executable '$(BLENDER)' -m 'not slow' tests/blender
else
	$(RUN) -m pytest -n auto --dist loadfile -m 'not slow' tests/blender
endif

# Batches over a Dask cluster: a scheduler and two workers on this machine, one of them killed in the middle.
test-cluster: $(READY)
	$(RUN) -m pip install --quiet --disable-pip-version-check distributed==2026.8.0
	$(RUN) -m pytest tests/cluster

# The source in the wheels of the oldest Blender and the newest that has one; 4.5 is the one of `make test`. What is
# installed there is tested by `make test-installed`.
test-wheels: $(foreach version,$(WHEELS),test-wheel-$(version))

test-wheel-%: .build/wheels/%/.ready
	.build/wheels/$*/bin/python -c '$(LEAVING)' tests/blender

# BLENDER=path/to/blender: a hand on its window. Needs xdotool and ImageMagick's import; without a screen, xvfb-run.
test-window: $(READY)
	@[ -n '$(BLENDER)' ] || { echo 'Which Blender? make test-window BLENDER=/path/to/blender'; exit 1; }
	BLENDER='$(BLENDER)' $(if $(DISPLAY),,xvfb-run -a -s '-screen 0 1400x900x24 +extension GLX') \
	  $(RUN) -m pytest -s tests/gui

# Pictures of a large window for a listing, in .build/window/pictures_for_the_listing.
pictures: $(READY)
	@[ -n '$(BLENDER)' ] || { echo 'Which Blender? make pictures BLENDER=/path/to/blender'; exit 1; }
	BLENDER='$(BLENDER)' WINDOW_SIZE=1920x1080 WINDOW_SCENARIOS=pictures_for_the_listing \
	  xvfb-run -a -s '-screen 0 1920x1080x24 +extension GLX' $(RUN) -m pytest -s tests/gui

# What others make of the files for engines: assimp, Godot 4 (GODOT=command), glTF's own validator, three-vrm in Chromium.
# What is not installed is told and left out; node's part is put into .build/engines.
check-engines: $(READY) .build/Pip.blend
	mkdir -p .build/engines
	if command -v npm >/dev/null; then cd .build/engines && npm install --silent --no-fund --no-audit \
	  gltf-validator@2.0.0-dev.3.10 three@0.170.0 @pixiv/three-vrm@3.3.7 esbuild@0.28.2 || true; fi
	$(RUN) -m pytest -s tests/engines

# mypy needs a package name, whatever this folder is called.
check: $(READY)
	$(VENV)/bin/ruff check .
	mkdir -p .build/types && ln -sfn ../.. .build/types/geppetto
	cd .build/types && ../../$(VENV)/bin/mypy --config-file ../../pyproject.toml -p geppetto.core -p geppetto.addon

# The results that tests/core/reference and tests/blender/reference compare, kept anew, some 10 minutes of one core: look
# at what git says has changed. CASES_KEPT='animals searched soles' for some of their cases.
references: $(READY)
	$(RUN) -m tests.keeping $(CASES_KEPT)

# FAULTS put into the code at random, those that no quick or long test and no kept result notices printed; SEED draws
# others, ONLY in some files or folders of core and addon. For 300 in the core and batches (TESTS='tests/core
# tests/batching') about 40 minutes of one core, with all tests some hours.
FAULTS ?= 300
SEED ?= 0
TESTS ?= tests
ONLY ?= core addon/batching addon/bridge
mutate: $(READY)
	$(RUN) -m pip install --quiet --disable-pip-version-check coverage==7.17.3
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(RUN) -m tests.mutation --count '$(FAULTS)' --seed '$(SEED)' \
	  --only $(ONLY) --tests $(TESTS)

bench: $(READY)
	$(RUN) tests/benchmarks/bench.py

# make bench-motion CHARACTERS=folder adds rigs described by truth.json files
bench-motion: $(READY)
	$(RUN) tests/benchmarks/bench_motion.py $(CHARACTERS)

# How motion files of each convention land on people; MOTIONS=folder adds real ones
bench-transfer: $(READY)
	$(RUN) tests/benchmarks/transfer.py $(if $(MOTIONS),--motions '$(MOTIONS)')

# What damage costs skin weights: make bench-damage FOLDER=characters
bench-damage: $(READY)
	$(RUN) tests/benchmarks/damage.py '$(FOLDER)'

# [W12]'s study on generated characters.
wang: $(READY)
	$(RUN) tests/benchmarks/wang_study.py

# All that is learned, from rigged characters: make learn FOLDER=characters TOOLS=folder-of-vary.py-and-people.py
# [LEARN=--write]. Hours on two cores; a stopped run goes on. WORK keeps data and checkpoints.
WORK ?= .build/learning
learn: $(READY)
	$(RUN) -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(RUN) -m tests.learning '$(FOLDER)' '$(TOOLS)' '$(WORK)' $(LEARN)
	$(RUN) -m tests.learning.stance '$(FOLDER)' '$(TOOLS)' '$(WORK)/stance' '$(WORK)/stance/stance.npz' --people 800 --own 300 --steps 2500
	$(if $(findstring --write,$(LEARN)),cp '$(WORK)'/stance/stance.npz '$(WORK)'/stance/stance.md presets/landmarks/)
	$(RUN) -m tests.learning.penalties '$(FOLDER)' $(LEARN)

# Every figure of the docs that a program can measure again, compared with what is printed; FOLDER=characters for more.
figures: $(READY)
	$(RUN) -m tests.figures $(FOLDER)

# Each part of reading a body switched off, on held-out characters, once `make learn` has run.
ablate: $(READY)
	$(RUN) -m tests.learning.ablate '$(FOLDER)' '$(WORK)/data' '$(WORK)'/fold?.pt

# All platforms, or PLATFORMS="linux-x64 system_python".
extension: $(READY)
	$(RUN) tests/packaging/build.py $(PLATFORMS)

# The zips, installed: briefly into the wheel of `make test`, with all tests into others (WHEELS= for none, BRIEFLY=
# those without).
test-installed: $(READY) $(foreach version,$(WHEELS),.build/wheels/$(version)/.ready)
	$(RUN) tests/packaging/build.py linux-x64 system_python
	$(RUN) tests/packaging/install.py --briefly $(if $(BLENDER),--blender '$(BLENDER)')
	set -e; for version in $(WHEELS); do .build/wheels/$$version/bin/python tests/packaging/install.py \
	  $$(case ' $(BRIEFLY) ' in *" $$version "*) echo --briefly;; esac); done

clean:
	rm -rf $(VENV) .build .pytest_cache .hypothesis .ruff_cache .mypy_cache
	find core addon tests -name __pycache__ -type d -prune -exec rm -rf {} +

.build/Pip.blend: $(READY) $(wildcard tests/characters/*.py) tests/blender/sample.py
	mkdir -p .build
	$(RUN) tests/blender/sample.py $@

.SECONDARY: $(foreach version,$(WHEELS),.build/wheels/$(version)/.ready)
.build/wheels/%/.ready: requirements.txt $(READY)
	'$(PYTHON)' -m venv .build/wheels/$*
	sed '/^bpy==/d; /^ruff/d; /^mypy/d' requirements.txt >.build/wheels/$*/requirements.txt
	.build/wheels/$*/bin/python -m pip install --quiet --disable-pip-version-check 'bpy==$*.*' \
	  -r .build/wheels/$*/requirements.txt
	touch $@

$(READY): requirements.txt
	@[ -n '$(PYTHON)' ] && '$(PYTHON)' $(IS_311) || { \
	  echo "Geppetto's programs need Python 3.11: Blender 4.5's bpy wheel exists for no other."; \
	  echo "Install it (apt install python3.11 python3.11-venv; brew install python@3.11; pyenv install 3.11; uv python"; \
	  echo "install 3.11) and run: make rig PYTHON=/path/to/python3.11"; exit 1; }
	@'$(PYTHON)' -m venv --help >/dev/null 2>&1 || { \
	  echo "This Python has no venv module: apt install python3.11-venv, then run make again."; exit 1; }
	'$(PYTHON)' -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(RUN) -c 'import bpy' || { \
	  echo "The bpy wheel does not load: system libraries are missing. On Debian and Ubuntu:"; \
	  echo "apt install libx11-6 libxext6 libxrender1 libxfixes3 libxi6 libxkbcommon0 libsm6 libice6 libgl1"; exit 1; }
	touch $@
