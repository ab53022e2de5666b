// Captions that were found, each with its picture and what can be done with them.
// data: { rows: [{query, image, text, src, current, beside}] }
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const act = (kind, value) => setTriggerValue("act", { kind, value, at: performance.now() });
  const button = (text, label, key, disabled, onclick) => el("button", { type: "button", "data-key": key, "aria-label": label, disabled, onclick }, text);
  repaint(parentElement, "chooser", data.rows.length
    ? data.rows.map((row) => el("div", { class: `row${row.current ? " current" : ""}` },
        el("img", { src: row.src, alt: "", loading: "lazy" }),
        el("div", { class: "text" }, row.text),
        el("div", { class: "do" },
          button(row.current ? "this query" : "Take as the query", `Take as the query: ${row.text}`, `q${row.query}`, row.current, () => act("query", row.query)),
          button("Its image, my caption", `Keep my caption, with the image of: ${row.text}`, `i${row.query}`, row.beside, () => act("image", row.image)),
          button("Compare with its image", `Compare with the image of: ${row.text}`, `o${row.query}`, row.beside, () => act("other", row.image)))))
    : [el("p", {}, "No caption holds this.")]);
}
