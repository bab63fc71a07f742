"""The routes of the JSON interface, described at /docs."""

import functools
import pathlib
from typing import Any

import jax
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import JSONResponse

from azjax import games
from azjax.page.analysis.catalogue import list_agents, list_games
from azjax.page.analysis.rules import Rules, make_rules
from azjax.page.analysis.search_analysis import Analysis
from azjax.page.api.models import (
    AgentInfo,
    ErrorAnswer,
    GameInfo,
    MoveAnswer,
    MoveRequest,
    RunInfo,
    SearchAnswer,
    SearchRequest,
)
from azjax.page.run_list import list_runs
from azjax.page.safe_paths import path_below
from azjax.page.site import Site
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_directory import METRICS
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import InputError, RunError, one_line

_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorAnswer, "description": "the body cannot be read"},
    401: {"model": ErrorAnswer, "description": "the token is missing, where one is needed"},
    404: {"model": ErrorAnswer, "description": "there is no such run"},
    422: {"model": ErrorAnswer, "description": "the body is no JSON, or a value is wrong"},
}


class NotFoundError(InputError):
    """There is nothing of that name."""


def add_routes(app: FastAPI, site: Site) -> None:
    """Adds the routes under `/api`, and answers errors by one line."""
    router = APIRouter(prefix="/api", responses=_ERRORS)
    _add_lists(router, site)
    _add_play(router, site)
    app.include_router(router)

    @app.api_route("/api/{path:path}", methods=["GET", "POST"], include_in_schema=False)
    async def nothing(path: str) -> None:
        raise NotFoundError(f"there is no /api/{path} for this method: /docs describes what is")

    app.add_exception_handler(NotFoundError, lambda _, error: _refuse(404, error))
    app.add_exception_handler(InputError, lambda _, error: _refuse(422, error))
    app.add_exception_handler(RunError, lambda _, error: _refuse(422, error))
    app.add_exception_handler(RequestValidationError, _refuse_values)


def _add_lists(router: APIRouter, site: Site) -> None:
    @router.get("/agents")
    async def agents() -> list[AgentInfo]:
        """Lists the agents: the shipped ones, and those of the folder of runs."""
        found = await site.worker.access_files(list_agents, site.runs)
        return [AgentInfo(**agent._asdict()) for agent in found]

    @router.get("/games")
    async def list_all_games() -> list[GameInfo]:
        """Lists the games."""
        return await site.worker.load(_describe_games)

    @router.get("/runs")
    async def runs() -> list[RunInfo]:
        """Lists the runs."""
        found = await site.worker.access_files(list_runs, site.runs)
        return [RunInfo(name=x.name, game=x.game, has_network=x.has_network) for x in found]

    @router.get("/runs/{name:path}/metrics")
    async def metrics(name: str) -> list[dict[str, Any]]:
        """Returns a run's metrics, a row for each iteration."""
        return await site.worker.access_files(_read_run_metrics, site.runs, name)


def _add_play(router: APIRouter, site: Site) -> None:
    @router.post("/search")
    async def search(request: SearchRequest) -> SearchAnswer:
        """Searches a position; requests at the same time are searched in one batch."""
        player = await site.players.get(
            request.agent, request.game, request.simulations, request.algorithm
        )
        if player.search is None:
            raise InputError(f"{request.agent} does not search: name an agent, or mcts")
        rules = await site.worker.run_rules(make_rules, player.game.name)
        position = await site.worker.run_rules(rules.parse, request.position)
        if position.result is not None or not position.legal:
            raise InputError("the game is over in this position: there is nothing to search")
        return _answer(rules, await site.searches.search(player, position.state))

    @router.post("/move")
    async def move(request: MoveRequest) -> MoveAnswer:
        """Plays a move in a position."""
        if (request.agent is None) == (request.game is None):
            raise InputError("give either agent or game")
        name = request.game
        if request.agent is not None:
            name = (await site.players.get(request.agent)).game.name
        assert name is not None
        rules = await site.worker.run_rules(make_rules, name)
        return await site.worker.run_rules(_play, rules, request.position, request.move)


def _read_run_metrics(runs: pathlib.Path, name: str) -> list[dict[str, Any]]:
    path = path_below(runs, name)
    if not is_run(path):
        raise NotFoundError(f"there is no run {name}")
    return read_metrics(path / METRICS)


def _describe_games() -> list[GameInfo]:
    return [GameInfo(name=name, start=_start(name)) for name in list_games()]


@functools.cache
def _start(name: str) -> str | None:
    if name in games.pgx_names():  # some seconds each
        return None
    game = games.make(name)
    return game.format_state(game.init(jax.random.key(0)))


def _answer(rules: Rules, analysis: Analysis) -> SearchAnswer:
    found, name = analysis.found, rules.game.format_action
    tried = found.tried_actions()
    visits, q_values = {}, {}
    if found.visits is not None and found.q_values is not None:
        visited = [action for action in tried if found.visits[action]]
        visits = {name(action): int(found.visits[action]) for action in visited}
        q_values = {name(action): float(found.q_values[action]) for action in visited}
    return SearchAnswer(
        action=name(found.action),
        policy={name(action): float(found.policy[action]) for action in tried},
        visits=visits,
        q=q_values,
        value=found.value,
        principal_variation=list(rules.names(found.principal_variation)),
    )


def _play(rules: Rules, text: str, move: str) -> MoveAnswer:
    position = rules.parse(text)
    after = rules.play(position, rules.parse_move(position, move))
    legal = list(rules.names(after.legal))
    return MoveAnswer(position=after.text, legal_moves=legal, result=after.result)


def _refuse(status: int, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": one_line(error)}, status_code=status)


def _refuse_values(request: Request, error: Exception) -> JSONResponse:
    del request
    assert isinstance(error, RequestValidationError)
    if isinstance(error.body, bytes):  # it was not read as JSON
        text = "body: it is not said to be JSON: add the header Content-Type: application/json"
        return _refuse(422, InputError(text))
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return _refuse(422, InputError(f"{where}: {first['msg']}"))
