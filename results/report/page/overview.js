"use strict";
// What all cells say: the table, goodput over load, drops, cost.

const TABLE_METRICS = ["goodput_rps", "slo_attainment", "drop_rate", "invalid_rate", "latency_ms_p50", "latency_ms_p99", "bound_share",
  "accuracy", "cost_usd_per_h"];

function metricsOf(file) {
  return TABLE_METRICS.filter((name) => file.knows(name));
}

/** The table of configurations or of cells; `state.cells`, where it is set, are the only ones that it shows. */
class Headline {
  constructor(file) {
    this.file = file;
    this.ofCells = false;
    this.only = null; // {places, words}
    this.place = h("div");
    this.chip = h("div", { class: "row" });
    this.buttons = [["configurations", false], ["cells", true]].map(([label, ofCells]) =>
      h("button", { type: "button", onclick: () => this.show(ofCells, null) }, label));
    this.element = section("headline", "Results",
      h("p", {}, "A configuration is a system with its variant and parameters; its numbers are means over the seeds ± half of the 95 % "
        + "confidence interval (Student's t). A cell is one run of it. Press a heading to sort; a cell's number leads to the cell."),
      h("div", { class: "row", role: "group", "aria-label": "Rows" }, "Rows:", this.buttons), this.chip, this.place);
    this.draw();
  }

  show(ofCells, only) {
    this.ofCells = ofCells;
    this.only = only;
    this.draw();
  }

  draw() {
    this.buttons[0].setAttribute("aria-pressed", String(!this.ofCells));
    this.buttons[1].setAttribute("aria-pressed", String(this.ofCells));
    const chip = this.only ? [h("span", {}, `Only ${this.only.words} (${plural(this.only.places.size, "cell")})`),
      h("button", { type: "button", onclick: () => this.show(this.ofCells, null) }, "show all")] : [];
    fill(this.chip, chip);
    this.chip.hidden = !this.only;
    const table = this.ofCells ? this.cells() : this.configurations();
    const definitions = metricsOf(this.file).map((name) => DEFINITIONS[name]).filter(Boolean);
    fill(this.place, table.element, definitions.length > 0 ? h("p", { class: "note" }, definitions.join(" ")) : null);
  }

  /** Returns columns for the start of the measured part and the trend of the queue, each where it says something; cellsOf(row) are the cells of a row. */
  lengths(cellsOf) {
    const file = this.file;
    const cells = file.okCells();
    const start = { key: "measured_from_s", label: "counted from (s)", title: "Requests sent before it are not counted.", number: true, value: (row) => file.start(cellsOf(row)[0]) };
    const trend = { key: "queue_trend", label: "queue", title: DEFINITIONS.queue_trend, value: (row) => trendText(file, cellsOf(row)) };
    return [...(cells.some((cell) => file.start(cell) > 0) ? [start] : []), ...(tellsTrend(file, cells) ? [trend] : [])];
  }

  common() {
    const words = (key) => (row) => row[key];
    return [
      { key: "series", label: "system", value: words("series"), kind: "long" },
      { key: "workload", label: "workload", value: words("workload"), kind: "long" },
    ];
  }

  configurations() {
    const file = this.file;
    const groups = groupBy(file.okCells(), (cell) => file.series[cell] + "\u0000" + file.workloads[cell]);
    const rows = [...groups.values()].map((cells) => ({ series: file.series[cells[0]], workload: file.workloads[cells[0]], cells,
      metrics: new Map(metricsOf(file).map((name) => [name, spread(cells.map((cell) => inUnit(name, file.value(name, cell))))])) }));
    const metrics = metricsOf(file).map((name) => ({ key: name, label: METRICS[name], title: DEFINITIONS[name], number: true, value: (row) => row.metrics.get(name).mean,
      cell: (row) => withHalf(row.metrics.get(name), row.cells.length) }));
    const cells = { key: "cells", label: "cells", value: (row) => row.cells.length,
      cell: (row) => h("button", { type: "button", "aria-label": `cells of ${shown(row.series)}, ${shown(row.workload)}`,
        onclick: () => this.show(true, { places: new Set(row.cells), words: `${row.series}, ${row.workload}` }) }, plural(row.cells.length, "cell")) };
    return new Table([cells, ...this.common(), ...this.lengths((row) => row.cells), ...metrics], rows, { caption: "Configurations", filter: "Filter", sort: null });
  }

  cells() {
    const file = this.file;
    const rows = file.all().map((cell) => ({ cell, series: file.series[cell] || file.value("system", cell), workload: file.workloads[cell] }));
    const metrics = metricsOf(file).map((name) => ({ key: name, label: METRICS[name], title: DEFINITIONS[name], number: true,
      value: (row) => (file.ok(row.cell) ? inUnit(name, file.value(name, row.cell)) : null) }));
    const columns = [
      { key: "cell", label: "cell", number: true, value: (row) => file.names[row.cell], cell: (row) => h("a", { href: file.link(row.cell) }, file.names[row.cell]) },
      ...this.common(),
      { key: "seed", label: "seed", number: true, value: (row) => file.value("seed", row.cell) },
      { key: "status", label: "status", value: (row) => file.value("status", row.cell) },
      ...this.lengths((row) => [row.cell]),
      ...metrics,
    ];
    return new Table(columns, rows, { caption: "Cells", filter: "Filter", keep: this.only ? (row) => this.only.places.has(row.cell) : null });
  }
}

/** Check boxes for the series of all plots. */
function seriesChoice(file, changed) {
  const boxes = file.seriesNames.map((name) => {
    const box = h("input", { type: "checkbox", checked: file.shown(name), onchange: () => {
      if (box.checked) file.hidden.delete(name);
      else file.hidden.add(name);
      changed();
    } });
    return h("label", {}, box, h("span", { class: "swatch", style: `background:${file.colour(name)}` }), name);
  });
  return h("fieldset", {}, h("legend", {}, "Series in the plots"), h("div", { class: "row" }, boxes));
}

/** Means over the seeds of the metric for each series and place on the axis (or none) of a panel. */
function curveRows(file, metric, axis, panel) {
  const cells = file.okCells().filter((cell) => axis.panel[cell] === panel && (!axis.x || axis.x[cell] !== null) && file.shown(file.series[cell]));
  const groups = groupBy(cells, (cell) => axis.series[cell] + "\u0000" + (axis.x ? axis.x[cell] : ""));
  const rows = [];
  for (const own of groups.values()) {
    const found = spread(own.map((cell) => inUnit(metric, file.value(metric, cell))));
    if (found.mean === null) continue;
    const bound = spread(own.map((cell) => boundOf(file, metric, cell))).mean;
    const most = SHARES.has(metric) ? Math.max(100, found.mean) : Infinity;
    const ends = found.half === null ? {} : { lo: Math.max(0, found.mean - found.half), hi: Math.min(most, found.mean + found.half) };
    rows.push({ s: shown(axis.series[own[0]]), x: axis.x ? axis.x[own[0]] : null, y: found.mean, n: found.n, b: bound, open: own.some((cell) => file.growing(cell)), ...ends });
  }
  return rows;
}

/** The highest bound of the series at each place. */
function boundRows(rows) {
  const found = [];
  for (const [x, own] of groupBy(rows, (row) => row.x)) {
    const bounds = own.map((row) => row.b).filter((bound) => bound !== null);
    if (bounds.length > 0) found.push({ x, y: Math.max(...bounds) });
  }
  return found;
}

/** Goodput and SLO attainment (or another metric) against the load, or what else the experiment sweeps. */
class Curves {
  constructor(file, id, title, metrics, chooser) {
    this.file = file;
    const none = { label: "", x: null, panel: file.workloads, series: file.series };
    this.axes = file.raw.axes.map((axis) => ({ label: axis.label, x: expand(axis.x), panel: expand(axis.panel), series: expand(axis.series) }));
    this.axes.push(none);
    this.axis = this.axes[0];
    this.metrics = metrics;
    this.choices = h("div", { class: "row" });
    this.plots = this.metrics.map((_, at) => new Plot("Means over the seeds", (width) => this.spec(at, width)));
    this.note = h("p", { class: "note" });
    this.element = section(id, this.axis.x ? `${title} over ${this.axis.label.split(" (")[0]}` : title,
      this.choices, chooser, h("div", { class: "plots" }, this.plots.map((plot) => plot.box)), this.note);
    this.choose();
  }

  panels() {
    return [...new Set(this.file.okCells().filter((cell) => !this.axis.x || this.axis.x[cell] !== null).map((cell) => this.axis.panel[cell]))];
  }

  choose() {
    const redraw = () => drawPlots(this.plots);
    this.panel = this.panels()[0];
    const known = Object.keys(METRICS).filter((name) => this.file.knows(name));
    const axes = this.axes.map((axis, at) => [at, axis.label || "none: a row for each series"]);
    fill(this.choices,
      axes.length > 1 ? select("Axis", axes, this.axes.indexOf(this.axis), (at) => { this.axis = this.axes[at]; this.choose(); redraw(); }) : null,
      select("Workload", this.panels().map((name, at) => [at, shown(name)]), 0, (at) => { this.panel = this.panels()[at]; redraw(); }),
      this.metrics.map((metric, at) => select(at === 0 ? "Left" : "Right", known.map((name) => [name, METRICS[name]]), metric,
        (name) => { this.metrics[at] = name; redraw(); })));
    const bounded = this.metrics.some((metric) => metric === "goodput_rps" || metric === "slo_attainment");
    const mark = this.axis.x ? "dotted line" : "upright mark";
    fill(this.note, `Means over the seeds with 95 % intervals (Student's t; none of one seed).`,
      bounded ? ` The ${mark} is the upper bound that no policy can exceed with the plan's workers and largest batches`
        + (this.axis.x ? "; where the series' plans differ, the highest." : ".") : "",
      this.file.okCells().some((cell) => this.file.growing(cell)) ? " Open marks: in some of the cells there the queue still grew." : "", " Point at a mark for its numbers.");
  }

  spec(at, width) {
    const metric = this.metrics[at];
    const rows = curveRows(this.file, metric, this.axis, this.panel);
    if (rows.length === 0) return "No cell with this metric and a series that is chosen above.";
    const words = { x: shown(this.axis.label), y: METRICS[metric], share: metric === "slo_attainment" };
    const spec = this.axis.x ? curveSpec(this.file, rows, boundRows(rows), words, width) : dotSpec(rows, this.file, words, width);
    return { title: shown(this.panel), ...spec };
  }
}

/** Where visits were dropped and why, of a workload: means over the seeds. */
class Drops {
  constructor(file) {
    this.file = file;
    this.workloads = [...new Set(file.okCells().map((cell) => file.workloads[cell]))];
    this.workload = this.workloads[0];
    this.by = "module";
    this.plot = new Plot("Dropped visits of each series", (width) => this.spec(width));
    this.table = h("div");
    this.element = section("drops", "Drops by module and reason",
      h("div", { class: "row" },
        select("Workload", this.workloads.map((name, at) => [at, shown(name)]), 0, (at) => { this.workload = this.workloads[at]; this.draw(); }),
        select("Parts", [["module", "modules"], ["reason", "reasons"]], "module", (by) => { this.by = by; this.draw(); })),
      this.plot.box,
      h("p", { class: "note" }, "Visits dropped at a module, as a share of the requests sent. Late requests are not among them."),
      this.table);
    this.fillTable();
  }

  draw() {
    this.fillTable();
    drawPlots([this.plot]);
  }

  rows() {
    const file = this.file;
    const cells = file.okCells().filter((cell) => file.workloads[cell] === this.workload && file.view(cell) && file.view(cell).modules);
    const rows = [];
    for (const [series, own] of groupBy(cells, (cell) => file.series[cell])) {
      const found = new Map();
      own.forEach((cell, at) => {
        const modules = file.view(cell).modules;
        const names = file.raw.module_names[modules.names];
        for (const [module, reason, count] of modules.drops) {
          const key = module + "\u0000" + reason;
          if (!found.has(key)) found.set(key, { s: series, place: module, module: names[module], reason, counts: own.map(() => 0), shares: own.map(() => 0) });
          found.get(key).counts[at] = count;
          found.get(key).shares[at] = (100 * count) / Math.max(1, file.value("sent", cell));
        }
      });
      rows.push(...found.values());
      if (found.size === 0) rows.push({ s: series, place: 0, module: "", reason: "", counts: [0], shares: [0] });
    }
    return rows;
  }

  spec(width) {
    const rows = this.rows().filter((row) => this.file.shown(row.s));
    if (!rows.some((row) => row.module)) return "No visit was dropped on this workload by the series that are chosen above.";
    const values = rows.map((row) => ({ s: shown(row.s), p: shown(row[this.by]), place: row.place, y: spread(row.shares).mean })).filter((row) => row.p || row.y === 0);
    const parts = [...new Set(values.filter((row) => row.p).sort((a, b) => a.place - b.place).map((row) => row.p))];
    return {
      title: shown(this.workload), width: width - 4, height: 22 * new Set(values.map((row) => row.s)).size, autosize: { type: "fit-x", contains: "padding" }, data: { values },
      mark: { type: "bar", stroke: "currentColor", strokeWidth: 0.6 },
      encoding: {
        y: { field: "s", type: "nominal", sort: this.file.seriesNames.map(shown), title: null },
        x: quantity("y", "dropped (% of the requests sent)", { aggregate: "sum", stack: "zero" }),
        color: { field: "p", type: "nominal", scale: { domain: parts, range: parts.map((_, at) => COLOURS[at % COLOURS.length]) }, legend: { title: this.by, orient: "bottom", columns: 4 } },
        order: { field: "place", type: "quantitative" },
        tooltip: [{ field: "s", title: "series" }, { field: "p", title: this.by }, { field: "y", aggregate: "sum", title: "% of sent", format: FORMAT }],
      },
    };
  }

  fillTable() {
    const rows = this.rows().filter((row) => row.module);
    const columns = [
      { key: "s", label: "system", value: (row) => row.s, name: true },
      { key: "module", label: "module", value: (row) => row.module },
      { key: "reason", label: "reason", value: (row) => row.reason },
      { key: "count", label: "visits (mean of the seeds)", number: true, value: (row) => spread(row.counts).mean },
      { key: "share", label: "% of the requests sent", number: true, value: (row) => spread(row.shares).mean, cell: (row) => withHalf(spread(row.shares)) },
    ];
    fill(this.table, rows.length === 0 ? null : h("details", {}, h("summary", {}, "The same as a table"), new Table(columns, rows, { caption: "Drops" }).element));
  }
}

/** Cells without results, and cells that are ok but have something to say. */
function failedSection(file) {
  const failed = file.all().filter((cell) => !file.ok(cell));
  const noted = file.okCells().filter((cell) => file.value("why", cell));
  const row = (cell) => ({ cell, title: file.title(cell) });
  const columns = [
    { key: "cell", label: "cell", number: true, value: (each) => file.names[each.cell], cell: (each) => h("a", { href: file.link(each.cell) }, file.names[each.cell]) },
    { key: "title", label: "of", value: (each) => each.title },
    { key: "status", label: "status", value: (each) => file.value("status", each.cell) },
    { key: "why", label: "why", value: (each) => file.value("why", each.cell) },
  ];
  return section("failed", "Cells skipped or invalid",
    failed.length === 0 ? h("p", {}, "None: all cells ran and their measurements can be trusted.")
      : [h("p", {}, `${plural(failed.length, "cell")} of ${file.count}; no mean, and no plot of several cells, contains them.`),
        new Table(columns, failed.map(row), { caption: "Cells skipped or invalid", short: true }).element],
    noted.length === 0 ? null : [h("h3", {}, "Cells that are ok, with a note"), new Table(columns, noted.map(row), { caption: "Notes" }).element]);
}
