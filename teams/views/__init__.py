"""Pages about accounts, agents and their tokens, members, and the tree of teams."""
