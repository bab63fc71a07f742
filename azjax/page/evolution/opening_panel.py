"""The policy and the value of the start over the iterations of a run."""

from nicegui import ui

from azjax.page.analysis.rules import Rules
from azjax.page.analysis.search_analysis import summarize
from azjax.page.evolution.charts import opening_value_chart, policy_chart
from azjax.page.evolution.networks import RunNetworks
from azjax.page.evolution.opening import Opening, Source, opening_shares, opening_values
from azjax.page.site import Site
from azjax.runs.storage.restore import spread_evenly
from azjax.support.errors import InputError

_MOST_NETWORKS = 12  # that search the start
_SOURCES: dict[Source, str] = {"search": "after the search", "network": "of the network alone"}


class OpeningPanel:
    """Two charts, which grow as one network after another has searched the start."""

    def __init__(self, site: Site):
        """Builds the panel, which is empty until `search`."""
        self._site = site
        self._rules: Rules | None = None
        self._openings: list[Opening] = []
        self._source: Source = "search"
        ui.toggle(_SOURCES, value=self._source, on_change=lambda event: self._show(event.value))
        with ui.element("div").classes("grid grid-cols-1 lg:grid-cols-2 gap-3 w-full"):
            self._policy = ui.echart({"series": []}).classes("w-full h-72").mark("policy")
            self._value = ui.echart({"series": []}).classes("w-full h-72").mark("opening_value")

    async def search(self, networks: RunNetworks, rules: Rules) -> None:
        """Lets networks that are spread over the run search the start.

        Raises:
          InputError: None of them can be read.
        """
        self._rules, site = rules, self._site
        start = await site.worker.run_rules(rules.start)
        refusal = None
        for iteration in spread_evenly(networks.iterations, _MOST_NETWORKS):
            name = networks.player(iteration)
            try:
                player = await site.players.get(name)
            except InputError as error:  # a run in training has dropped it
                refusal = error
                continue
            analysis = await site.searches.search(player, start.state)
            summary = await site.worker.run_rules(summarize, analysis)
            self._openings.append(Opening(iteration, summary))
            self._show(self._source)
        if refusal and not self._openings:
            raise refusal

    def _show(self, source: Source) -> None:
        self._source = source
        if self._rules is None or not self._openings:
            return
        iterations = [opening.iteration for opening in self._openings]
        shares = opening_shares(self._rules.game, self._openings, source)
        for chart, options in (
            (self._policy, policy_chart(iterations, shares)),
            (self._value, opening_value_chart(iterations, opening_values(self._openings))),
        ):
            chart.options.clear()
            chart.options.update(options)
            chart.update()
