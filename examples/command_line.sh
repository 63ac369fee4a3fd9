#!/bin/sh
# The hub from a shell: pip install ./clients/python
set -eu
export MEMORYHUB_URL="$HUB" MEMORYHUB_TOKEN="$TOKEN"    # or once: memoryhub login

memoryhub save "Berth 7 is closed until May." --key berth-7 --tag berths --type event
memoryhub recall "Which berths are closed?"

# What a prompt should begin with, for any program that reads text.
memoryhub context "planning the week" --budget 1000

# Whatever can be said in a pipe can be kept. `memoryhub edit berth-7` opens a memory in $EDITOR.
printf '# Berths\n\n7: closed\n' | memoryhub files write notes/berths.md -
memoryhub files list

# --json is for programs.
memoryhub get berth-7 --json
memoryhub forget berth-7 --reason "It was a dream."
