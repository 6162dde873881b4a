"""From cases to scores, aggregates, diagnosis and a verdict on the health of a run."""
