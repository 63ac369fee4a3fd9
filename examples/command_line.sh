#!/bin/sh
# Use the hub from a shell: pip install ./clients/python
# It reads MEMORYHUB_URL and MEMORYHUB_TOKEN; or run once: memoryhub login
set -eu

memoryhub save "Berth 7 is closed until May." --key berth-7 --tag berths --type event
memoryhub recall "Which berths are closed?"

# Print the text to put at the start of a prompt.
memoryhub context "planning the week" --budget 1000

# Save whatever comes through a pipe. `memoryhub edit berth-7` opens a memory in $EDITOR.
printf '# Berths\n\n7: closed\n' | memoryhub files write notes/berths.md -
memoryhub files list

# Print JSON for programs.
memoryhub get berth-7 --json
memoryhub forget berth-7 --reason "It was a dream."
