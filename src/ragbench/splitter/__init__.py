"""From documents to chunks: splitters, their length units, and the chunk set of a corpus."""
