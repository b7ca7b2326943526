"use strict";
// Settings and where the results come from.

function settingsSection(file) {
  const { shared, differing } = file.raw.settings;
  const rows = Object.entries(differing).map(([key, column]) => {
    const values = expand(column);
    const tally = [...groupBy(file.all().filter((cell) => values[cell] !== null), (cell) => values[cell])];
    return { key, values: tally.slice(0, 12).map(([value, cells]) => `${value} (${plural(cells.length, "cell")})`).join(", ") + (tally.length > 12 ? `, and ${tally.length - 12} more` : "") };
  });
  const columns = [{ key: "key", label: "key", value: (row) => row.key, name: true }, { key: "values", label: "values", value: (row) => row.values }];
  return section("settings", "Settings", h("h3", {}, "What differs by cell"),
    rows.length === 0 ? h("p", {}, "Nothing.") : new Table(columns, rows, { caption: "Settings that differ by cell" }).element,
    h("details", {}, h("summary", {}, `What all cells have in common (${plural(Object.keys(shared).length, "key")})`), facts(Object.entries(shared))),
    h("h3", {}, "The experiment"), h("pre", { tabindex: "0", "aria-label": "the experiment's text" }, file.raw.toml || "(no text)"));
}

function provenanceSection(file) {
  const known = { git_dirty: (value) => (value === "1" ? "1: the sources differed from that commit" : value) };
  const pairs = Object.entries(file.raw.attributes).map(([name, value]) => [name, known[name] ? known[name](value) : value]);
  const notes = file.raw.notes;
  return section("provenance", "Provenance",
    facts([["file", file.raw.label], ["size", `${number(file.raw.bytes)} bytes`], ["checksum", file.raw.seal || "none: a file of an older version"], ...pairs]),
    h("h3", {}, "What this page leaves out"),
    notes.length === 0 ? h("p", {}, "Of the file's summary, windows, modules and plans nothing, but of the latency histograms some buckets (each cell says how many).")
      : h("ul", {}, notes.map((note) => h("li", {}, note))),
    h("p", { class: "note" }, "Rows of single requests stay in the file. The plots are drawn by Vega-Lite, which is part of this page; it asks nothing of any network."));
}
