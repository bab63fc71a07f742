"""A network whose outputs a test chooses."""

import numpy as np

from azjax.networks import Outputs


class Table:
    """A network whose parameters are its outputs; logits of the policy are enough."""

    def apply_train(self, variables, observations, axis_name=None):
        del observations, axis_name
        value = np.zeros(len(variables.params["policy_logits"]), np.float32)
        others = {"value": value, "value_logits": None, "auxiliary": {}}
        return Outputs(**(others | variables.params)), {"kept": 1.0}
