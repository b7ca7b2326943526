"use strict";
// The plots of a cell.

function timeRows(section) {
  const { start, window, parts } = courseOf(section.file, section.cell);
  const lines = Object.keys(parts).filter((name) => name !== "unfinished" || parts[name].some((value) => value > 0));
  const rows = [];
  parts.sent.forEach((_, at) => lines.forEach((what) => rows.push({ t: start + (at + 0.5) * window, what, rate: parts[what][at] / window })));
  return { rows, lines };
}

/** The part of the run that the strip has chosen. */
function zoomed(x, span) {
  const end = (at, otherwise) => ({ expr: `isArray(brush.t) ? brush.t[${at}] : ${otherwise}` });
  return { ...x, scale: { domainMin: end(0, span[0]), domainMax: end(1, span[1]), nice: false, zero: false } };
}

/** Of the rows {t, ...} those of the part that the strip has chosen, and those of a window before and after. */
function ofZoom(window) {
  return { filter: `!isArray(brush.t) || (datum.t >= brush.t[0] - ${window} && datum.t <= brush.t[1] + ${window})` };
}

/** Values between two gaps: no line leads to them. */
function alone(rows) {
  const none = (row) => !row || row.value === null;
  return [...groupBy(rows, (row) => row.what).values()].flatMap((own) => own.filter((row, at) => row.value !== undefined && !none(row) && none(own[at - 1]) && none(own[at + 1])));
}

/** A panel of lines over time: rows {t, what, VALUE}; all its values at the pointer in one tooltip. */
function timePanel(rows, lines, colours, words, width, height, area) {
  const x = zoomed(quantity("t", null), words.span);
  const scale = { domain: lines, range: lines.map((_, at) => colours[at % colours.length]) };
  const dashes = { domain: lines, range: lines.map((what, at) => DASHES[(words.place ? words.place(what) : at) % 8]) };
  const legend = { title: null, orient: "top", columns: Math.max(2, Math.floor(width / 190)), ...LINE_SAMPLES };
  const y = quantity(words.field, words.title, { scale: { zero: true, nice: true } });
  const layers = [];
  if (words.capacity) layers.push({ data: { values: [{ y: words.capacity }] }, mark: { type: "rule", color: "currentColor", strokeDash: [3, 3] },
    encoding: { y: quantity("y", words.title), tooltip: [{ field: "y", type: "quantitative", title: "capacity of the first plan (requests/s)", format: FORMAT }] } },
  { data: { values: [{ y: words.capacity }] }, mark: { type: "text", text: "capacity of the first plan", align: "right", baseline: "bottom", dx: -2, dy: -2, color: "currentColor", fontSize: 11, x: "width" },
    encoding: { y: quantity("y", words.title) } });
  if (area) layers.push({ transform: [{ filter: { field: "what", equal: area } }], mark: { type: "area", color: "#8a8f98", opacity: 0.18, clip: true, interpolate: "step" }, encoding: { x, y } });
  layers.push({ mark: { type: "line", clip: true, strokeWidth: 1.5 },
    encoding: { x, y, color: { field: "what", type: "nominal", scale, legend }, strokeDash: { field: "what", type: "nominal", scale: dashes, legend } } });
  const points = alone(rows).map((row) => ({ ...row, colour: colours[lines.indexOf(row.what) % colours.length] }));
  if (points.length > 0) layers.push({ data: { values: points }, transform: [ofZoom(words.window)], mark: { type: "point", filled: true, size: 14, opacity: 1, clip: true },
    encoding: { x, y, color: { field: "colour", type: "nominal", scale: null } } });
  // Without a format, Vega-Lite does not find a text in the nearest point's row.
  layers.push({
    data: { values: told(rows, lines, words.field) }, transform: [ofZoom(words.window)],
    mark: { type: "rule", color: "currentColor", clip: true, strokeWidth: 1 },
    encoding: {
      x, opacity: { condition: { param: words.hover, empty: false, value: 0.7 }, value: 0 },
      tooltip: [{ field: "t", type: "quantitative", title: "at (s)", format: ",.4~r" }, ...lines.map((what, at) => ({ field: "told" + at, type: "nominal", title: what, format: "", formatType: "toString" }))],
    },
    params: [{ name: words.hover, select: { type: "point", fields: ["t"], nearest: true, on: "pointermove", clear: "pointerout" } }],
  });
  return { width, height, data: { values: rows }, transform: [ofZoom(words.window)], layer: layers };
}

/** A row for each time with the values of all lines as texts: told0, told1... */
function told(rows, lines, field) {
  const place = new Map(lines.map((what, at) => [what, "told" + at]));
  return [...groupBy(rows, (row) => row.t)].map(([t, own]) => ({ t, ...Object.fromEntries(own.map((row) => [place.get(row.what), row[field] === null ? "none" : number(row[field])])) }));
}

/** Rows {t, what, value} of values by module and window, from `start` on; `valueOf` makes null of what is none. */
function moduleRows(packed, window, names, valueOf, start = 0) {
  const rows = [];
  packed.forEach((own, module) => counts(own).forEach((value, at) => rows.push({ t: start + (at + 0.5) * window, what: names[module], value: valueOf(value) })));
  return rows;
}

const MAX_MODULES = 8;

/** Those of the modules with most of the values, in the pipeline's order; the rest has nothing, or little. */
function largest(rows, names) {
  const totals = new Map([...groupBy(rows, (row) => row.what)].map(([what, own]) => [what, own.reduce((sum, row) => sum + row.value, 0)]));
  const most = [...totals].filter(([, total]) => total > 0).sort((a, b) => b[1] - a[1]).slice(0, MAX_MODULES).map(([what]) => what);
  return names.filter((name) => most.includes(name));
}

function timeSpec(section, width) {
  const file = section.file;
  const view = file.view(section.cell);
  const inner = width - 90;
  const span = section.span();
  const { rows, lines } = timeRows(section);
  const panels = [timePanel(rows, lines, lines.map((what) => OUTCOMES[what]), { field: "rate", title: "requests/s", hover: "hover_requests", span, window: courseOf(file, section.cell).window, capacity: file.value("capacity_rps", section.cell) }, inner, 210, "sent")];
  if (view.latencies) {
    const [p50, p99] = ["p50_ms", "p99_ms"].map((name) => expand(view.latencies[name]));
    const values = [];
    p50.forEach((value, at) => {
      const t = span[0] + (at + 0.5) * view.latencies.window_s;
      values.push({ t, what: "p50 latency", value }, { t, what: "p99 latency", value: p99[at] });
    });
    if (values.some((row) => row.value !== null)) panels.push(timePanel(values, ["p50 latency", "p99 latency"], COLOURS, { field: "value", title: "latency (ms)", hover: "hover_latency", span, window: view.latencies.window_s }, inner, 110, null));
  }
  if (view.module_course) {
    const names = file.raw.module_names[view.modules.names].map(shown);
    const window = view.module_course.window_s;
    const waits = (packed) => moduleRows(packed, window, names, (value) => (value === 0 ? null : (value - 1) / 10), span[0]);
    const dropped = moduleRows(view.module_course.dropped, window, names, (value) => value / window, span[0]);
    const panel = (values, title, hover, height) => {
      const lines = largest(values, names);
      const colours = lines.map((name) => COLOURS[names.indexOf(name) % COLOURS.length]);
      const kept = values.filter((row) => lines.includes(row.what));
      if (lines.length > 0) panels.push(timePanel(kept, lines, colours, { field: "value", title, hover, span, window, place: (what) => names.indexOf(what) }, inner, height, null));
    };
    panel(waits(view.module_course.queueing), "queueing (ms)", "hover_queueing", 110);
    panel(waits(view.module_course.wait), "batch wait (ms)", "hover_wait", 110);
    panel(dropped, "dropped/s", "hover_drops", 90);
  }
  const brush = { name: "brush", select: { type: "interval", encodings: ["x"] }, ...(section.range ? { value: { x: section.range } } : {}) };
  const strip = {
    width: inner, height: 40, data: { values: rows.filter((row) => row.what === "sent") },
    mark: { type: "area", color: "#8a8f98", opacity: 0.5 }, params: [brush],
    encoding: { x: quantity("t", "sent at (s): drag here to zoom", { scale: { domain: span, nice: false } }), y: quantity("rate", null, { axis: null }) },
  };
  return { padding: { left: 5, top: 5, bottom: 5, right: 18 }, vconcat: [...panels, strip], spacing: 6, resolve: { scale: { color: "independent", strokeDash: "independent" } } };
}

const MAX_BESIDE = 8;

/** SLO attainment of each series over time. */
function attainmentSpec(section, width) {
  const file = section.file;
  const cells = besides(file, section.cell).filter((cell) => file.view(cell) && file.view(cell).course).slice(0, MAX_BESIDE);
  if (cells.length < 2) return "No other series that is chosen above ran this workload with this seed.";
  const rows = [];
  for (const cell of cells) {
    const { start, window, parts } = courseOf(file, cell);
    const step = Math.max(1, Math.ceil(parts.sent.length / 150));
    for (let at = 0; at < parts.sent.length; at += step) {
      const sum = (name) => parts[name].slice(at, at + step).reduce((all, value) => all + value, 0);
      if (sum("sent") > 0) rows.push({ s: shown(file.series[cell]), x: start + (at + step / 2) * window, y: (100 * sum("in time")) / sum("sent") });
    }
  }
  const series = cells.map((cell) => shown(file.series[cell]));
  const look = looks(file, series, LINE_SAMPLES, width);
  return {
    width: width - 4, height: 180, autosize: { type: "fit-x", contains: "padding" }, data: { values: rows },
    mark: { type: "line", strokeWidth: 1.6 },
    encoding: { x: quantity("x", "sent at (s)", { scale: { domainMin: section.span()[0], nice: false } }), y: quantity("y", "SLO attainment (%)", { scale: { domain: [0, 100] } }), color: look.color, strokeDash: look.strokeDash,
      tooltip: tooltips(["s", "series", true], ["x", "at (s)"], ["y", "%"]) },
  };
}

function cdfSpec(section, width) {
  const file = section.file;
  const own = file.view(section.cell).cdf;
  if (!own) return "No request was completed, or the file has no histogram of the latencies.";
  const last = own.count[own.count.length - 1];
  const most = (1.05 * own.us[own.count.findIndex((count) => count >= 0.999 * last)]) / 1000;
  const slo = file.value("slo_ms", section.cell);
  const cells = besides(file, section.cell).filter((cell) => file.view(cell) && file.view(cell).cdf).slice(0, MAX_BESIDE);
  const rows = [];
  for (const cell of cells) {
    const { us, count } = file.view(cell).cdf;
    us.forEach((value, at) => rows.push({ s: shown(file.series[cell]), x: value / 1000, y: (100 * count[at]) / count[count.length - 1] }));
  }
  const look = looks(file, cells.map((cell) => shown(file.series[cell])), LINE_SAMPLES, width);
  const x = quantity("x", "latency (ms)", { scale: { domain: [0, Math.max(most, 1.1 * slo)], nice: false } });
  return {
    width: width - 4, height: 240, autosize: { type: "fit-x", contains: "padding" },
    layer: [
      { data: { values: rows }, mark: { type: "line", interpolate: "step-after", clip: true, strokeWidth: 1.7 },
        encoding: { x, y: quantity("y", "completed requests (%)", { scale: { domain: [0, 100] } }), color: look.color, strokeDash: look.strokeDash,
          tooltip: tooltips(["s", "series", true], ["x", "ms"], ["y", "%"]) } },
      { data: { values: [{ x: slo }] }, mark: { type: "rule", color: "currentColor", strokeDash: [3, 3] }, encoding: { x, tooltip: tooltips(["x", "SLO (ms)"]) } },
    ],
  };
}

/** Workers of each module over time, by the plan's rows. */
function workersSpec(columns, names, section, width) {
  const end = section.file.view(section.cell).course ? section.span()[1] : section.file.value("duration_s", section.cell);
  const rows = columns.at_s.map((at, place) => ({ t: at, what: shown(names[columns.module[place]] ?? columns.module[place]), value: columns.workers[place] }));
  const last = new Map(rows.map((row) => [row.what, row.value]));
  last.forEach((value, what) => rows.push({ t: end, what, value }));
  const lines = [...last.keys()];
  const legend = { title: null, orient: "bottom", columns: Math.max(2, Math.floor(width / 190)), ...LINE_SAMPLES };
  return {
    width: width - 4, height: 150, autosize: { type: "fit-x", contains: "padding" }, data: { values: rows }, mark: { type: "line", interpolate: "step-after", clip: true, strokeWidth: 1.6 },
    encoding: { x: quantity("t", "time (s)", { scale: { domain: [0, end], nice: false } }), y: quantity("value", "workers"),
      color: { field: "what", type: "nominal", scale: { domain: lines, range: lines.map((_, at) => COLOURS[at % 8]) }, legend },
      strokeDash: { field: "what", type: "nominal", scale: { domain: lines, range: lines.map((_, at) => DASHES[at % 8]) }, legend },
      tooltip: tooltips(["what", "module", true], ["t", "from (s)"], ["value", "workers"]) },
  };
}
