"""The command palette: pages, teams and memories by a few letters of them."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memories import recall
from teams.place import Place, in_team

PAGES = (
    ("team-home", "Team home", "house"),
    ("memories", "Memories", "brain"),
    ("core", "Core memory", "book-open-text"),
    ("playground", "Recall playground", "search"),
    ("activity", "Activity", "activity"),
    ("files", "Files", "folder"),
    ("conversations", "Conversations", "messages-square"),
    ("agents", "Agents and tokens", "bot"),
    ("members", "Members", "users"),
    ("tree", "Team tree", "network"),
    ("export", "Export", "download"),
)
MEMORIES = 8


@in_team
def page(request: HttpRequest, place: Place) -> HttpResponse:
    asked = request.GET.get("q", "").strip()[: recall.QUERY_LENGTH]
    pages = [(place.to(name), title, sign) for name, title, sign in PAGES if asked.lower() in title.lower()]
    teams = [team for team in place.teams if team != place.team and asked.lower() in team.name.lower()]
    hits = recall.recall(actor=place.here, query=asked, limit=MEMORIES, noted=False).hits if asked else []
    found = {"asked": asked, "pages": pages, "teams": teams[:MEMORIES], "memories": [hit.memory for hit in hits]}
    return render(request, "memories/_palette.html", found)
