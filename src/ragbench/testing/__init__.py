"""Contract suites and builders for tests of stages, ours and other people's."""
