"""The functions of the page for programs, as JSON, described at /docs."""

import functools
import pathlib
from typing import Annotated, Any

import jax
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse

from azjax import games
from azjax.evaluation import PositionSearch
from azjax.page.analysis.players import MAX_SIMULATIONS, list_agents, list_games
from azjax.page.analysis.rules import LONGEST_POSITION, Rules, make_rules
from azjax.page.runs_folder import list_runs, path_below
from azjax.page.site import Site
from azjax.runs.storage.metrics_log import read_metrics
from azjax.runs.storage.run_directory import METRICS
from azjax.runs.storage.run_folders import is_run
from azjax.support.errors import InputError, RunError, one_line

Name = Annotated[str, Field(max_length=300)]
PositionText = Annotated[str, Field(max_length=LONGEST_POSITION)]
Simulations = Annotated[int, Field(ge=1, le=MAX_SIMULATIONS)]


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ErrorAnswer(BaseModel):
    """What is wrong with a request."""

    detail: str = Field(description="in one line")


class AgentInfo(BaseModel):
    """An agent that can be named."""

    name: str = Field(description="as `agent` in requests")
    game: str
    kind: str = Field(description="shipped, run or file")


class GameInfo(BaseModel):
    """A game."""

    name: str
    start: str | None = Field(description="the position at the start, in one line; not for Pgx's")


class RunInfo(BaseModel):
    """A run of `azjax train`."""

    name: str
    game: str
    has_network: bool


class SearchRequest(_Request):
    """A position to search."""

    agent: Name = Field(description="such as connect_four, runs/NAME or mcts:simulations=200")
    position: PositionText = Field(description="in one line")
    game: Name | None = Field(None, description="needed for a player that is no agent")
    simulations: Simulations | None = Field(
        None, description="if neither here nor in the name, an agent's own, 200 for mcts"
    )
    algorithm: Name | None = Field(None, description="such as gumbel, puct or uct")


class SearchAnswer(BaseModel):
    """A search. `policy`, `visits` and `q` are by move; values are for the player to move."""

    action: str
    policy: dict[str, float]
    visits: dict[str, int]
    q: dict[str, float]
    value: float
    principal_variation: list[str]


class MoveRequest(_Request):
    """A move to play: `agent` or `game` says by which rules."""

    agent: Name | None = None
    game: Name | None = None
    position: PositionText
    move: Annotated[str, Field(max_length=100)]


class MoveAnswer(BaseModel):
    """The position after a move."""

    position: str
    legal_moves: list[str]
    result: int | None = Field(description="1 where X has won, -1 where O has, 0 for a draw")


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
        """Lists the agents: the shipped ones, and the agents of the folder of runs."""
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
        found = (await site.searches.search(player, position.state)).found
        return _answer(rules, found)

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


def _answer(rules: Rules, found: PositionSearch) -> SearchAnswer:
    rows: dict[Any, Any] = {row["move"]: row for row in found.rows()}
    visited = {move: row for move, row in rows.items() if row.get("visits")}
    return SearchAnswer(
        action=found.game.format_action(found.action),
        policy={move: row["policy"] for move, row in rows.items()},
        visits={move: row["visits"] for move, row in visited.items()},
        q={move: row["q_value"] for move, row in visited.items()},
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
