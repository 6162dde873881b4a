"""`python -m ragbench`."""

from ragbench.cli.main import main

raise SystemExit(main())
