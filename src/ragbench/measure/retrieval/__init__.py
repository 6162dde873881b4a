"""What the recall stage finds, before reranking."""
