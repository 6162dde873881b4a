"""Measures: pure functions of what happened to a question and its gold evidence. They import no stage."""
