"""`python -m memoryhub_client.cli`, where the command is not on the path."""

import sys

from memoryhub_client.cli.app import main

sys.exit(main())
