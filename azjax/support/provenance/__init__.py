"""Where results come from: the commit, the versions of packages, the machine, the sessions."""
