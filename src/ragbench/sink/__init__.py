"""Where finished runs go besides their directory: the terminal and MLflow."""
