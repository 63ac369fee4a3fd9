"""Save, recall, change and forget from plain Python: pip install ./clients/python"""

from memoryhub_client import Conflict, MemoryHub

with MemoryHub() as hub:
    # Saving under the same key again updates the memory: version 2, 3, … Every version is kept.
    saved = hub.save("The ferry leaves at noon.", key="ferry", type="fact", tags=["timetable"])
    print("saved", saved.key, "version", saved.version)

    # Ask as you would ask a colleague.
    for hit in hub.recall("When does the ferry leave?", limit=3).memories:
        print(f"{hit.relevance_score:.2f}", hit.content)

    # A change can name the version it was made for. If somebody else was faster, you get the current text.
    hub.change(saved.id, content="The ferry leaves at one.", version=saved.version)
    try:
        hub.change(saved.id, content="The ferry leaves at two.", version=saved.version)
    except Conflict as conflict:
        print("too late; it says now:", conflict.content)

    # The text to put at the start of a prompt: core memory, pinned, recent and relevant memories.
    print(hub.context("planning a trip", budget=1000).text)

    hub.forget(saved.id, reason="Ferries are a thing of the past.")  # it can be restored
