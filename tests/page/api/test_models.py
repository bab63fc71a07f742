from azjax.agents.player_options import AgentOptions, MctsOptions
from azjax.page.api.models import SearchRequest


def test_the_simulations_that_are_not_given_are_said():
    said = SearchRequest.model_fields["simulations"].description
    usual = f"{AgentOptions().simulations} for an agent, {MctsOptions().simulations} for mcts"
    assert said.endswith(usual)
