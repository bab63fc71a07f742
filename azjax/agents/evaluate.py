"""Matches of agents and players by name."""

import pathlib

import jax

from azjax.agents.agent import Agent
from azjax.agents.player_spec import NamedPlayer, load_players
from azjax.evaluation import MatchResult, MatchSettings, play_match
from azjax.games import make
from azjax.support.errors import InputError, input_errors
from azjax.support.machine.devices import use_all_cores
from azjax.support.validation import check_seed

_FEWEST_MOVES = 2  # of openings that make the games of two deterministic players differ


def evaluate(
    player: Agent | str | pathlib.Path,
    opponent: Agent | str | pathlib.Path = "random",
    *,
    games: int = 1000,
    simulations: int = 32,
    opening_moves: int | None = None,
    seed: int = 0,
    game: str | None = None,
) -> MatchResult:
    """Plays a match as `azjax evaluate` does, as many games from either seat.

    For example, `evaluate(load_agent("connect_four"), "mcts:simulations=200", games=100).score`.

    Args:
      player: The player whose result is returned: an agent, or any player's name.
      opponent: The other player.
      games: The number of games, even.
      simulations: The simulations of a run's search, unless its name gives them.
      opening_moves: Random moves at the start of each pair of games; 2 if both players are
        deterministic, so that the games differ, and else 0, if not given.
      seed: The seed of the match.
      game: The game, if neither player says it.

    Raises:
      InputError: There is no such player, the players play different games, or a number is out of
        range.
      RunError: A player is an engine that dies, takes too long, or breaks the rules.
    """
    use_all_cores()
    first, second = _load([player, opponent], game, simulations)
    if opening_moves is None:
        opening_moves = default_opening_moves(first, second)
    settings = MatchSettings(games, opening_moves, seed, len(jax.devices()))
    with input_errors():
        check_seed(seed)
        settings.check(first.game)
    return play_match(first.game, first.player, second.player, settings)


def default_opening_moves(player: NamedPlayer, opponent: NamedPlayer) -> int:
    """Returns how many random moves begin the games of two players, if no number is given."""
    return 0 if player.is_random or opponent.is_random else _FEWEST_MOVES


def _load(
    players: list[Agent | str | pathlib.Path], game: str | None, simulations: int
) -> list[NamedPlayer]:
    """Returns the players, which all play the same game."""
    agents = [player for player in players if isinstance(player, Agent)]
    names = [str(player) for player in players if not isinstance(player, Agent)]
    for agent in agents:
        with input_errors():
            is_another = game is not None and make(game) != agent.game
        if is_another:
            raise InputError(f"{agent} does not play {game}: all must play the same game")
        game = agent.game.name
    loaded = iter(load_players(names, game, simulations) if names else [])
    return [_name(p) if isinstance(p, Agent) else next(loaded) for p in players]


def _name(agent: Agent) -> NamedPlayer:
    return NamedPlayer(
        name=agent.name,
        game=agent.game,
        player=agent.player(),
        iteration=agent.iteration,
        is_random=False,
        warnings=agent.warnings,
    )
