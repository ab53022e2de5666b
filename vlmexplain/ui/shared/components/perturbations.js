// Every perturbation of a caption on a line of similarities, for two images and one or two models.
// data: { models: [{name, ticks, panels: [{title, at, value}], rank}], groups: [{key, title, hint, rows}], not_applicable, chosen }
const SHAPES = {
  same: () => el("circle", { cx: 7, cy: 7, r: 5 }),
  drop: () => el("path", { d: "M1.5 2.5 L12.5 2.5 L7 12.5 Z" }),
  unknown: () => el("rect", { x: 2.5, y: 2.5, width: 9, height: 9 }),
};

function mark(expects) {
  return el("svg", { viewBox: "0 0 14 14", class: `mark ${expects}`, "aria-hidden": "true" }, SHAPES[expects]());
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const pick = (key) => setTriggerValue("act", { kind: "pick", value: key === data.chosen ? "" : key, at: performance.now() });
  const n = data.models.length;
  const columns = `minmax(170px, ${n > 1 ? 220 : 300}px) ${data.models.map(() => "minmax(90px, 1fr) minmax(90px, 1fr) 66px").join(" ")}`;
  const anyVerified = data.groups.some((g) => g.rows.some((r) => r.verified));
  const anyCut = data.groups.some((g) => g.rows.some((r) => r.not_seen.some((text) => text?.startsWith("✂"))));

  repaint(parentElement, `perturbations models-${n}`, [
    legend(anyVerified, anyCut, data.groups.some((g) => g.rows.some((r) => r.inside))),
    data.groups.map((group) => el("section", { class: `group ${group.key}`, "aria-label": group.title, style: `--columns:${columns}` },
      el("div", { class: "group-head" }, el("h3", {}, mark(group.key), ` ${group.title}`), el("p", {}, group.hint)),
      head(data.models),
      group.rows.map((row) => line(row, data, pick)),
      group.more_past_cut ? el("p", { class: "more" },
        `✂ ${group.more_past_cut.toLocaleString("en")} more changes lie past the cut and are not listed: the model never sees them.`) : null)),
    data.not_applicable.length ? el("div", { class: "none" }, el("h3", {}, "Not applicable here"),
      el("ul", {}, data.not_applicable.map((rule) => el("li", {}, el("b", {}, rule.title), `: ${rule.because}`)))) : null,
  ].flat());
}

function legend(anyVerified, anyCut, anyInside) {
  const item = (glyph, text) => el("li", {}, glyph, ` ${text}`);
  return el("ul", { class: "legend", "aria-label": "How to read the chart" },
    item(el("span", { class: "line-sample", "aria-hidden": "true" }), "the caption itself"),
    anyInside ? item(el("span", { class: "line-sample dotted", "aria-hidden": "true" }), "its paraphrase, which a flip inside it is compared with") : null,
    item(mark("same"), "paraphrase"),
    item(mark("drop"), "flip: made false"),
    item(mark("unknown"), "no expectation"),
    item(el("b", { class: "bad" }, "▲"), "a flip that the model prefers to the caption"),
    item(el("b", {}, "="), "tie, within 1e-6"),
    anyVerified ? item(el("b", { class: "good" }, "✓"), "known to be false of the image, by its annotations") : null,
    anyCut ? item(el("b", {}, "✂"), "past the context length: the model never sees the change") : null);
}

function head(models) {
  return el("div", { class: "row head" }, el("div", { class: "corner" }),
    models.map((model) => [
      model.panels.map((panel) => el("div", { class: "cell" },
        el("div", { class: "panel-title" }, models.length > 1 ? el("small", {}, model.name) : null,
          el("b", {}, panel.title), el("span", {}, panel.value)),
        el("div", { class: "axis", "aria-hidden": "true" }, model.ticks.map((tick) =>
          el("span", { style: `left:${tick.at}%` }, tick.text))),
        el("div", { class: "axis-title", "aria-hidden": "true" }, "similarity (cosine)"))),
      model.panels.length < 2 ? el("div", { class: "cell" }) : null,
      el("div", { class: "rank head-rank" }, el("small", {}, "rank of the"), el("small", {}, "ground truth"), el("b", {}, model.rank.split(" of ")[0])),
    ]));
}

function line(row, data, pick) {
  const chosen = row.key === data.chosen;
  const chip = el("button", {
    type: "button", class: `chip${row.drawn ? "" : " offered"}`, "data-key": row.key, "aria-pressed": String(chosen), title: `${row.text}\n${row.note}`,
    "aria-label": label(row, data), onclick: () => pick(row.key),
  }, mark(row.expects), el("span", { class: "what" }, el("small", {}, row.rule), el("span", { class: "change" }, row.change, row.which ? el("small", {}, ` ${row.which}`) : null)),
  row.verified ? el("b", { class: "good", title: "known to be false of the image, by its annotations" }, "✓") : null);
  const more = chosen ? el("p", { class: "chosen-text" }, `“${row.text}” `, el("a", { href: "#retrieves" }, "What it retrieves ↓")) : null;
  return el("div", { class: `row line${chosen ? " chosen" : ""}` }, chip,
    data.models.map((model, m) => [
      row.not_seen[m]
        ? el("div", { class: "cell not-seen" }, row.not_seen[m])
        : model.panels.map((panel, side) => cell(row, row.cells[m][side], panel, model)),
      !row.not_seen[m] && model.panels.length < 2 ? el("div", { class: "cell" }) : null,
      el("div", { class: `rank ${row.ranks[m].change}` }, el("small", { class: "rank-name" }, data.models.length > 1 ? `${model.name}: rank ` : "rank of the ground truth "),
        row.ranks[m].change === "better" ? "▲ " : row.ranks[m].change === "worse" ? "▼ " : "", row.ranks[m].text),
    ]), more);
}

function cell(row, own, panel, model) {
  if (own.at === null) return el("div", { class: "cell not-seen" }, "no similarity");
  const left = Math.min(own.at, own.base);
  const width = Math.abs(own.at - own.base);
  return el("div", { class: "cell" },
    el("div", { class: "track" },
      model.ticks.map((tick) => el("i", { class: "grid", style: `left:${tick.at}%` })),
      panel.at === null ? null : el("i", { class: "origin", style: `left:${panel.at}%` }),
      row.inside ? el("i", { class: "base", style: `left:${own.base}%` }) : null,
      el("i", { class: `reach ${row.expects}${own.preferred ? " preferred" : ""}`, style: `left:${left}%;width:${width}%` }),
      el("span", { class: "dot", style: `left:${own.at}%` }, mark(row.expects))),
    el("div", { class: `shift${own.preferred ? " bad" : ""}` }, own.preferred ? "▲ " : "", own.shift));
}

function label(row, data) {
  const parts = data.models.map((model, m) => row.not_seen[m] ?? model.panels.map((panel, side) =>
    `${panel.title} ${row.cells[m][side].value}, shift ${row.cells[m][side].shift}${row.cells[m][side].preferred ? ", preferred to the caption" : ""}`).join("; "));
  const which = row.which ? ` (${row.which})` : "";
  return `${row.rule}: ${row.change}${which}: ${row.text.replace(/\.$/, "")}. ${parts.join(". ")}${row.verified ? ". Known to be false of the image" : ""}. Rank ${row.ranks.map((r) => r.text).join(", ")}`;
}
