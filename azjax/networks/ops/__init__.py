"""Operations written as matrix products, where they beat XLA's own on a CPU."""
