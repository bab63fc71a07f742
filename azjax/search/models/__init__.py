"""What a search runs over: the rules or a learnt model, and the evaluation of its leaves."""
