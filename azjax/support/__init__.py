"""Helpers that several packages share; they import no other package of azjax."""
