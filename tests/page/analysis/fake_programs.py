"""Programs of searches that compile nothing, and note what they are asked for."""

from types import SimpleNamespace

from azjax.page.analysis.programs import SearchPrograms

PLAYER = SimpleNamespace(act="act", parameters=SimpleNamespace(rollout_weight=0.0))
OTHER_PLAYER = SimpleNamespace(act="other", parameters=SimpleNamespace(rollout_weight=0.0))
NUM_PARTS = 20


class FakePrograms(SearchPrograms):
    """Finds the state that it is asked for; `noted` holds what was called, in order."""

    def __init__(self, act="act", rollout_weight=0.0):
        self.sizes, self.begun, self._ready, self.noted = (1, 8, 32), {1}, set(), []

    can_be_watched = True

    def frames(self):
        return self.parts(1)

    def parts(self, size):
        return [1]

    def compile(self, size, parameters, state):
        self.noted.append(("compile", size))
        self._ready.add(size)

    def search(self, size, parameters, requests):
        self.noted.append(("search", size))
        return [request.state for request in requests]


class LongPrograms(FakePrograms):
    """Searches in pieces."""

    def parts(self, size):
        return [1] * NUM_PARTS

    def begin(self, size, parameters, requests):
        return [request.state for request in requests]

    def go_on(self, size, parameters, state, num_simulations):
        self.noted.append(("piece", size))
        return state

    def read(self, size, parameters, state, count):
        return state[:count]
