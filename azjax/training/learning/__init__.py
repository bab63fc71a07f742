"""Learning: the loss, its gradient, and the updates of the network."""
