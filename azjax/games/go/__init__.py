"""Go: the rules, chains of stones, and superko."""

from azjax.games.go.rules import Go
