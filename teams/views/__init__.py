"""Pages about who there is: accounts, agents and their tokens, members, the tree of teams."""
