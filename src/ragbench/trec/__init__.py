"""Run and qrels files of TREC, as other tools write and read them."""
