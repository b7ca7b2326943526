"use strict";
// What changed between the first file and another, as `harness diff` says.

class Changes {
  constructor(comparison) {
    this.comparison = comparison;
    this.base = FILES[0];
    this.now = FILES[comparison.now];
    const report = comparison.report || { pairs: [], changes: [] };
    this.all = report.pairs.map(([base, now]) => [this.base.places.get(base), this.now.places.get(now)]);
    this.pairs = this.all.filter(([base, now]) => this.base.ok(base) && this.now.ok(now));
    this.changes = report.changes;
    this.metrics = [...new Set(report.changes.map((change) => change.metric))];
    this.metric = this.metrics[0];
    this.place = h("div");
    this.plot = new Plot("Each cell in both files", (width) => this.spec(width));
    this.element = section(`changes-${comparison.now}`, `What changed: ${this.base.raw.label} to ${this.now.raw.label}`, this.what(), this.body());
  }

  what() {
    const report = this.comparison.report;
    const lines = [];
    const list = (title, texts) => {
      if (!texts || texts.length === 0) return;
      const items = h("ul", {}, texts.map((text) => h("li", {}, text)));
      lines.push(h("h3", {}, title), texts.length > 8 ? h("details", {}, h("summary", {}, plural(texts.length, "line")), items) : items);
    };
    if (report) {
      lines.push(h("p", {}, `${plural(report.cells, "pair")} of cells`,
        report.simulated > 0 ? `; of ${report.simulated} simulated ones ${report.same_fingerprint} decided everything alike (same fingerprint).` : "."));
      list("Settings that differ", report.settings);
      list("Ran in one of the files alone", report.status);
      list("Without a value now", report.without_value);
      list("Not comparable", report.not_comparable);
    } else if (this.comparison.said) {
      lines.push(h("p", { class: "bad" }, this.comparison.said));
    }
    const differing = ["git_commit", "versions", "machine"].filter((name) => this.base.raw.attributes[name] !== this.now.raw.attributes[name]);
    if (differing.length > 0) lines.push(h("h3", {}, "Provenance that differs"), facts(differing.map((name) => [name, `${this.base.raw.attributes[name]} | ${this.now.raw.attributes[name]}`])));
    return lines;
  }

  body() {
    if (this.pairs.length === 0) {
      const found = this.all.length;
      return h("p", {}, found > 0 ? `${plural(found, "pair")}, none ran in both.` : "No cell is in both files, so that nothing can be compared cell by cell.");
    }
    this.fillTables();
    return [h("div", { class: "row" }, select("Metric", this.metrics.map((name) => [name, METRICS[name]]), this.metric, (name) => {
      this.metric = name;
      this.fillTables();
      drawPlots([this.plot]);
    })), this.plot.box, this.place];
  }

  rows() {
    return this.pairs.map(([base, now]) => {
      const before = inUnit(this.metric, this.base.value(this.metric, base));
      const after = inUnit(this.metric, this.now.value(this.metric, now));
      return { base, now, before, after, change: before === null || after === null ? null : after - before, s: this.base.series[base], workload: this.base.workloads[base] };
    });
  }

  fillTables() {
    const rows = this.rows();
    const inUnits = (value) => inUnit(this.metric, value);
    const groups = this.changes.filter((change) => change.metric === this.metric).map((change) => ({ s: change.system, workload: change.workload, moved: change.movement,
      runs: change.runs, before: inUnits(change.base), after: inUnits(change.now), change: { mean: inUnits(change.difference), half: inUnits(change.difference_95) } }));
    const configurations = new Table([
      { key: "s", label: "system", value: (row) => row.s, kind: "long" },
      { key: "workload", label: "workload", value: (row) => row.workload, kind: "long" },
      { key: "before", label: this.base.raw.label, number: true, value: (row) => row.before },
      { key: "after", label: this.now.raw.label, number: true, value: (row) => row.after },
      { key: "change", label: "change, run by run", number: true, value: (row) => row.change.mean, cell: (row) => withHalf(row.change) },
      { key: "runs", label: "runs", number: true, value: (row) => row.runs },
      { key: "moved", label: "moved", value: (row) => row.moved, name: true },
    ], groups, { caption: "Changes by configuration", filter: "Filter" });
    const link = (file, cell) => h("a", { href: file.link(cell) }, `cell ${file.names[cell]}`);
    const cells = new Table([
      { key: "s", label: "system", value: (row) => row.s, kind: "long" },
      { key: "workload", label: "workload", value: (row) => row.workload, kind: "long" },
      { key: "seed", label: "seed", number: true, value: (row) => this.base.value("seed", row.base) },
      { key: "before", label: this.base.raw.label, number: true, value: (row) => row.before },
      { key: "after", label: this.now.raw.label, number: true, value: (row) => row.after },
      { key: "change", label: "change", number: true, value: (row) => row.change },
      { key: "cells", label: "cells", value: (row) => row.base, name: true, cell: (row) => h("span", {}, link(this.base, row.base), " | ", link(this.now, row.now)) },
    ], rows, { caption: "Changes pair by pair", filter: "Filter" });
    fill(this.place, h("p", { class: "note" }, "Noise: the 95 % interval of the mean of the runs' changes holds 0, or a latency histogram cannot tell it from 0. Of one run noise is not known. So says harness diff."),
      configurations.element, h("h3", {}, "Pairs of cells"), cells.element);
  }

  spec(width) {
    const rows = this.rows().filter((row) => row.change !== null).map((row) => ({ s: shown(row.s), before: row.before, after: row.after, change: row.change, title: shown(this.base.title(row.base)) }));
    if (rows.length === 0) return "No pair has this metric.";
    const series = [...new Set(rows.map((row) => row.s))];
    const look = looks(this.base, series);
    const ends = [Math.min(...rows.map((row) => Math.min(row.before, row.after))), Math.max(...rows.map((row) => Math.max(row.before, row.after)))];
    const scale = { domain: ends[0] === ends[1] ? [ends[0] - 1, ends[1] + 1] : ends, nice: true };
    const side = Math.min(420, width - 80);
    const x = quantity("before", `${METRICS[this.metric]}: ${shown(this.base.raw.label)}`, { scale });
    const y = quantity("after", shown(this.now.raw.label), { scale });
    return {
      width: side, height: Math.min(side, 320),
      layer: [
        { data: { values: ends.map((end) => ({ before: end, after: end })) }, mark: { type: "line", color: "currentColor", strokeDash: [3, 3], strokeWidth: 1 },
          encoding: { x, y } },
        { data: { values: rows }, mark: { type: "point", size: 60, strokeWidth: 1.8 },
          encoding: { x, y, color: look.color, shape: look.shape,
            tooltip: tooltips(["title", "cell", true], ["before", "before"], ["after", "after"], ["change", "change"]) } },
      ],
    };
  }
}
