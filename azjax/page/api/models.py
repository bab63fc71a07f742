"""What programs send and receive. Positions and moves are in the games' own notation."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from azjax.page.analysis.players import MAX_SIMULATIONS
from azjax.page.analysis.rules import LONGEST_POSITION

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
    """A search. `policy`, `visits` and `q` are by move; values are those of the player to move."""

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
