"use strict";
// The data of the page, and the sums over it.

const REPORT = JSON.parse(document.getElementById("data").textContent);

/** A stored column as a list (columns.py: column). */
function expand(stored) {
  const value = (one) => (one === "inf" ? Infinity : one);
  if (Array.isArray(stored)) return stored.map(value);
  if ("all" in stored) return new Array(stored.count).fill(value(stored.all));
  return stored.at.map((place) => value(stored.of[place]));
}

/** Counts as a list; -n stands for n zeros. */
function counts(packed, length) {
  const values = [];
  for (const each of packed || []) {
    if (each < 0) for (let i = 0; i < -each; ++i) values.push(0);
    else values.push(each);
  }
  while (values.length < (length || 0)) values.push(0);
  return values;
}

/** One results file: its columns by name, its cells by place (0 is the first row of the summary). */
class ResultsFile {
  constructor(raw, place) {
    this.raw = raw;
    this.place = place;
    this.columns = new Map();
    this.names = expand(raw.summary.cell);
    this.count = this.names.length;
    this.series = expand(raw.series);
    this.workloads = expand(raw.workload);
    this.seriesNames = [...new Set(this.series.filter((name, cell) => this.ok(cell)))];
    this.hidden = new Set();
    this.places = new Map(this.names.map((name, cell) => [name, cell]));
  }
  has(column) {
    return column in this.raw.summary;
  }
  column(name) {
    if (!this.columns.has(name)) {
      this.columns.set(name, this.has(name) ? expand(this.raw.summary[name]) : new Array(this.names.length).fill(null));
    }
    return this.columns.get(name);
  }
  value(name, cell) {
    return this.column(name)[cell];
  }
  ok(cell) {
    return this.value("status", cell) === "ok";
  }
  view(cell) {
    return this.raw.cells[cell];
  }
  all() {
    return [...this.names.keys()];
  }
  okCells() {
    return this.all().filter((cell) => this.ok(cell));
  }
  /** Some cell has a value there. */
  knows(column) {
    return this.okCells().some((cell) => this.value(column, cell) !== null);
  }
  colour(series) {
    return (this.raw.looks[series] || ["#767676"])[0];
  }
  shown(series) {
    return !this.hidden.has(series);
  }
  /** Requests sent before it, in s, are not counted. */
  start(cell) {
    return this.value("measured_from_s", cell) || 0;
  }
  growing(cell) {
    return this.value("queue_trend", cell) === "growing";
  }
  title(cell) {
    return `${this.series[cell] || this.value("system", cell)}, ${this.workloads[cell]}, seed ${this.value("seed", cell)}`;
  }
  link(cell) {
    return `#cell-${this.place}-${this.names[cell]}`;
  }
}

const FILES = REPORT.files.map((raw, place) => new ResultsFile(raw, place));
const METRICS = {
  goodput_rps: "goodput (requests/s)",
  slo_attainment: "SLO attainment (%)",
  drop_rate: "missed: dropped or late (%)",
  invalid_rate: "invalid rate (%)",
  latency_ms_mean: "mean latency (ms)",
  latency_ms_p50: "p50 latency (ms)",
  latency_ms_p90: "p90 latency (ms)",
  latency_ms_p99: "p99 latency (ms)",
  bound_share: "share of the bound (%)",
  accuracy: "accuracy (%)",
  cost_usd_per_h: "cost ($/h)",
  usd_per_million_in_time: "cost of 1 M requests in time ($)",
  gpu_hours: "GPU time (h)",
  gpu_utilisation: "GPU utilisation (%)",
  workers_mean: "mean number of workers",
  queue_mean: "mean queue of a module",
};
const DEFINITIONS = {
  drop_rate: "Missed: dropped or late requests / sent ones (drop_rate of the file).",
  invalid_rate: "Invalid rate: GPU time spent on requests that were not completed in time / all GPU time.",
  queue_trend: "Whether the queue still grew while the run was measured: then its numbers depend on the length of the run. Unclear: the run is too short to tell, or its load varies too much (queue_trend of the file).",
};
const SHARES = new Set(FILES.flatMap((file) => file.raw.shares));

/** In the unit of METRICS: shares in per cent. */
function inUnit(metric, value) {
  return value === null || value === undefined ? null : SHARES.has(metric) ? 100 * value : value;
}

/** Mean of what has a value, and half of the width of its 95 % interval (Student's t); no interval of one value. */
function spread(values) {
  const own = values.filter((value) => value !== null && value !== undefined);
  if (own.length === 0) return { n: 0, mean: null, half: null };
  const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
  if (own.length < 2) return { n: 1, mean, half: null };
  const squares = own.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const t = REPORT.t95[Math.min(own.length - 1, REPORT.t95.length) - 1];
  const half = t * Math.sqrt(squares / (own.length - 1) / own.length);
  return { n: own.length, mean, half: Number.isFinite(half) ? half : null };
}

/** Returns the trend of the cells' queues; where they differ, how many cells have each. */
function trendText(file, cells) {
  const found = [...groupBy(cells.map((cell) => file.value("queue_trend", cell)).filter(Boolean), (trend) => trend)];
  return found.length === 1 ? found[0][0] : found.map(([trend, own]) => `${own.length} ${trend}`).join(", ");
}

/** Returns whether some cell's queue grew, or may have grown. */
function tellsTrend(file, cells) {
  return cells.some((cell) => ["growing", "unclear"].includes(file.value("queue_trend", cell)));
}

function groupBy(items, key) {
  const groups = new Map();
  for (const item of items) {
    const own = key(item);
    if (!groups.has(own)) groups.set(own, []);
    groups.get(own).push(item);
  }
  return groups;
}

/** What the upper bound allows of the metric in that cell, in the metric's unit; null where there is no such bound. */
function boundOf(file, metric, cell) {
  const bound = file.value("fluid_bound_rps", cell);
  const offered = file.value("offered_rps", cell);
  if (bound === null) return null;
  if (metric === "goodput_rps") return bound;
  return metric === "slo_attainment" && offered ? Math.min(100, (100 * bound) / offered) : null;
}
