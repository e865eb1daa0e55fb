"""Several tables watched by one service: configuration, processes, their health, and their logs."""
