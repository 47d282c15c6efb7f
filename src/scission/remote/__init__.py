"""What every model behind a network shares: the service, its price, a budget, and answers kept on disk."""
