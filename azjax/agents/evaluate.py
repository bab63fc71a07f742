"""Matches of agents and players by name."""

import pathlib
from typing import Literal

import jax

from azjax.agents.agent import Agent
from azjax.agents.engine_player import EngineSettings
from azjax.agents.player_spec import NamedPlayer, load_players, name_agent
from azjax.engines.engine_process import START_SECONDS
from azjax.evaluation import MatchResult, MatchSettings, play_match
from azjax.games import make
from azjax.support.errors import InputError, input_errors
from azjax.support.front_door import front_door
from azjax.support.validation import check_seed

_FEWEST_MOVES = 2  # of openings that make the games of two deterministic players differ


@front_door
def evaluate(
    player: Agent | str | pathlib.Path,
    opponent: Agent | str | pathlib.Path = "random",
    *,
    games: int = 1000,
    simulations: int | None = None,
    opening_moves: int | None = None,
    seed: int = 0,
    game: str | None = None,
    engine_seconds: int | None = None,
    engine_start_seconds: int = START_SECONDS,
    engine_processes: int | None = None,
    on_engine_error: Literal["stop", "forfeit"] = "stop",
) -> MatchResult:
    """Plays a match as `azjax evaluate` does, as many games from either seat.

    For example, `evaluate(load_agent("connect_four"), "mcts:simulations=200", games=100).score`.
    An engine is a player too, such as `"gtp:gnugo --mode gtp"`; its processes end with the match.

    Args:
      player: The player whose result is returned: an agent, or any player's name.
      opponent: The other player.
      games: The number of games, even.
      simulations: The simulations of a run's search, unless its name gives them; if not given,
        as many as in its evaluations.
      opening_moves: Random moves at the start of each pair of games; 2 if both players are
        deterministic, so that the games differ, and else 0, if not given.
      seed: The seed of the match.
      game: The game, if neither player says it.
      engine_seconds: The time limit of each move of an engine, which it is told; if not given, 300
        seconds, untold.
      engine_start_seconds: The time limit of an engine's other answers; the first may take minutes.
      engine_processes: The processes of each engine, even, with a game in each; if not given, two
        for each core.
      on_engine_error: By an engine's error `"stop"` ends the match; with `"forfeit"` the engine
        loses the game, and the result counts it in `forfeits`.

    Raises:
      InputError: There is no such player, the players play different games, or a number is out of
        range.
      RunError: A player is an engine that dies, takes too long, or breaks the rules, and that
        stops the match.
    """
    with input_errors():
        check_seed(seed)
        engines = EngineSettings(
            engine_seconds, engine_start_seconds, engine_processes, on_engine_error
        )
    first, second = _load([player, opponent], game, simulations, engines)
    settings = match_settings(first, second, games, opening_moves, seed)
    return play_match(first.game, first.player, second.player, settings)


def match_settings(
    player: NamedPlayer, opponent: NamedPlayer, games: int, opening_moves: int | None, seed: int
) -> MatchSettings:
    """Returns the settings of a match on all devices.

    Without a number of opening moves it is the fewest that make the games differ.

    Raises:
      InputError: The games are no pairs, or the openings are longer than a game.
    """
    if opening_moves is None:
        opening_moves = 0 if player.is_random or opponent.is_random else _FEWEST_MOVES
    settings = MatchSettings(games, opening_moves, seed, len(jax.devices()))
    with input_errors():
        settings.check(player.game)
    return settings


def _load(
    players: list[Agent | str | pathlib.Path],
    game: str | None,
    simulations: int | None,
    engines: EngineSettings,
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
    loaded = iter(load_players(names, game, simulations, engines) if names else [])
    return [
        name_agent(p, p.name, p.player()) if isinstance(p, Agent) else next(loaded) for p in players
    ]
