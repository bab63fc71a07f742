"""The cells of tables, as templates of Vue, which escapes the texts in them."""

LINKED_CELL = """<q-td :props="props">
  <a v-if="props.row.link" :href="props.row.link" class="nicegui-link">{{ props.value }}</a>
  <span v-else>{{ props.value }}</span>
</q-td>"""
WRAPPED_CELL = """<q-td :props="props" class="whitespace-normal">{{ props.value }}</q-td>"""
