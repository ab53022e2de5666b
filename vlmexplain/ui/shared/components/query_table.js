// One page of the list of queries.
// data: { columns: [{key, title, numeric}], rows: [{query, cells: [{text, undefined, bar}]}], sort, up, chosen, page, pages, total, shown }
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const act = (kind, value) => setTriggerValue("act", { kind, value, at: performance.now() });

  const head = el("tr", {}, data.columns.map((column) => {
    const sorted = data.sort === column.key;
    return el("th", { scope: "col", class: column.numeric ? "r" : null, "aria-sort": sorted ? (data.up ? "ascending" : "descending") : null },
      column.sortable ? el("button", { type: "button", "data-key": `sort-${column.key}`, onclick: () => act("sort", column.key), title: `Sort by ${column.title}` },
        column.title, el("span", { "aria-hidden": "true", class: "arrow" }, sorted ? (data.up ? " ▲" : " ▼") : " ▽")) : column.title);
  }));
  const body = data.rows.map((row) =>
    el("tr", { class: row.query === data.chosen ? "chosen" : null, onclick: () => act("query", row.query) },
      row.cells.map((cell, i) => i === 0
        ? el("th", { scope: "row" }, el("button", { type: "button", class: "caption", "data-key": `query-${row.query}`, "aria-current": row.query === data.chosen ? "true" : null }, cell.text))
        : el("td", { class: `r${cell.undefined ? " undefined" : ""}`, title: cell.title ?? null }, cell.text))));

  const turn = (label, text, page, allowed, key) => el("button", { type: "button", class: "turn", "aria-label": label, "data-key": key, disabled: !allowed, onclick: () => act("page", page) }, text);
  const foot = el("div", { class: "foot" },
    el("span", {}, data.shown),
    el("span", { class: "turns" },
      turn("First page", "«", 0, data.page > 0, "first"),
      turn("Previous page", "‹", data.page - 1, data.page > 0, "back"),
      el("span", { class: "where" }, data.pages ? `page ${(data.page + 1).toLocaleString("en")} of ${data.pages.toLocaleString("en")}` : ""),
      turn("Next page", "›", data.page + 1, data.page + 1 < data.pages, "on"),
      turn("Last page", "»", data.pages - 1, data.page + 1 < data.pages, "last")));

  repaint(parentElement, "queries", [
    el("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "List of queries" },
      el("table", {}, el("thead", {}, head), el("tbody", {}, body))),
    body.length ? null : el("p", { class: "none" }, "No query fits the filter."),
    foot,
  ]);
}
