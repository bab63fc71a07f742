"""Players: functions of a batch of states, players outside JAX, and how both choose moves."""
