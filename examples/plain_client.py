"""Save, find again, change and forget, from plain Python: pip install ./clients/python"""

import os

from memoryhub_client import Conflict, MemoryHub

with MemoryHub(os.environ["HUB"], os.environ["TOKEN"]) as hub:
    # A key makes saving again update the same memory: version 2, 3, … of it, all of them kept.
    saved = hub.save("The ferry leaves at noon.", key="ferry", type="fact", tags=["timetable"])
    print("saved", saved.key, "version", saved.version)

    # Ask as you would ask a colleague.
    for hit in hub.recall("When does the ferry leave?", limit=3).memories:
        print(f"{hit.relevance_score:.2f}", hit.content)

    # A change can name the version that it was made for. Whoever was slower is told what stands there now.
    hub.change(saved.id, content="The ferry leaves at one.", version=saved.version)
    try:
        hub.change(saved.id, content="The ferry leaves at two.", version=saved.version)
    except Conflict as conflict:
        print("too late; it says now:", conflict.content)

    # What a prompt should begin with: the team's core memory, what is pinned, new and relevant.
    print(hub.context("planning a trip", budget=1000).text)

    hub.forget(saved.id, reason="Ferries are a thing of the past.")  # people can restore it
