"""The strategies: one class for each way to cut."""
