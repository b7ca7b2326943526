"use strict";
// One cell: its course over time, drops, latencies and plan, and the commands that look into it.

function courseOf(file, cell) {
  const course = file.view(cell).course;
  const sent = counts(file.raw.sent[course.sent]);
  const [late, dropped, unfinished] = ["late", "dropped", "unfinished"].map((name) => counts(course[name], sent.length));
  const inTime = sent.map((value, at) => value - late[at] - dropped[at] - unfinished[at]);
  return { start: file.start(cell), window: course.window_s, parts: { sent, "in time": inTime, late, dropped, unfinished } };
}

/** Cells of the same workload and seed, this one first. */
function besides(file, cell) {
  const same = (other) => file.workloads[other] === file.workloads[cell] && file.value("seed", other) === file.value("seed", cell);
  return [cell, ...file.okCells().filter((other) => other !== cell && same(other) && file.shown(file.series[other]))];
}

/** As one word of a shell. */
function quoted(text) {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

class CellSection {
  constructor() {
    this.picker = h("div", { class: "row" });
    this.body = h("div");
    this.element = section("cell", "A cell over time", this.picker, this.body);
    this.cell = null;
  }

  show(file, cell) {
    this.file = file;
    this.cell = cell;
    this.range = null;
    const choices = file.all().map((each) => [each, `${file.names[each]}: ${shown(file.title(each))}`]);
    fill(this.picker, select("Cell", choices, cell, (each) => { location.hash = file.link(Number(each)); }));
    const heading = h("h3", { id: `cell-${file.place}-${file.names[cell]}`, tabindex: "-1" }, `Cell ${file.names[cell]}: ${file.title(cell)}`);
    const view = file.view(cell);
    if (!view) {
      fill(this.body, heading, h("p", {}, `This cell is ${file.value("status", cell)}: ${file.value("why", cell) || "no reason was given"}. There is nothing to plot.`));
      return;
    }
    fill(this.body, heading, this.facts(), this.commands(), this.course(), this.modules(), this.distribution(), this.plan(), this.settings());
  }

  facts() {
    const file = this.file;
    const value = (name) => file.value(name, this.cell);
    const shownMetrics = ["goodput_rps", "slo_attainment", "drop_rate", "invalid_rate", "latency_ms_p50", "latency_ms_p99", "bound_share", "accuracy", "cost_usd_per_h"];
    const pairs = [["sent", number(value("sent"))], ["in time", number(value("in_time"))], ["late", number(value("late"))],
      ["dropped", number(value("dropped"))], ["unfinished", number(value("unfinished"))],
      ...shownMetrics.filter((name) => value(name) !== null).map((name) => [METRICS[name], number(inUnit(name, value(name))), DEFINITIONS[name]])];
    if (file.start(this.cell) > 0) pairs.push(["counted from", `${number(file.start(this.cell))} s`, "Requests sent before it are not counted."]);
    if (tellsTrend(file, [this.cell])) pairs.push(["queue", value("queue_trend"), DEFINITIONS.queue_trend]);
    const state = file.ok(this.cell) ? null : h("p", { class: "bad" }, `${value("status")}: ${value("why")}`);
    return [state, h("div", { class: "facts" }, pairs.map(([name, text, title]) => h("span", { title }, name + " ", h("b", {}, text))))];
  }

  lacks(name) {
    return this.file.view(this.cell).lacks.includes(name);
  }

  commands() {
    const place = h("div");
    this.drawCommands = () => {
      const where = `${this.file.raw.quoted} --cell ${this.file.names[this.cell]}`;
      const modules = this.file.view(this.cell).modules;
      const drops = modules ? [...modules.drops].sort((a, b) => b[2] - a[2]) : [];
      const range = this.range && this.range.map((at) => Number(at.toFixed(3)));
      if (this.lacks("requests") || this.lacks("visits")) {
        fill(place, h("p", { class: "note" }, "harness explain and harness timeline need the cell's rows, which this file lacks. This runs the cells again, into a new folder DIR, and keeps the rows of this one:"),
          command(`${this.file.raw.rerun} --set 'record.rows=[${this.file.names[this.cell]}]'`));
        return;
      }
      const part = range ? ` --from ${range[0]} --to ${range[1]}` : "";
      const lines = [`harness explain ${where} --worst 5${part}`];
      if (drops.length > 0) lines.push(`harness explain ${where} --dropped-by ${quoted(drops[0][1])}${part}`);
      if (range) lines.push(`harness explain ${where} --at ${Number(((this.range[0] + this.range[1]) / 2).toFixed(3))}s`);
      lines.push(`harness timeline ${where}${part} -o cell-${this.file.names[this.cell]}.pftrace`);
      fill(place, lines.map(command));
    };
    this.drawCommands();
    return h("div", {}, h("h3", {}, "From here to a request"), place);
  }

  course() {
    const view = this.file.view(this.cell);
    if (!view.course) return [h("h3", {}, "Over time"), h("p", { class: "note" }, "This report has no course over time of this cell: see what was left out, under Provenance.")];
    const [start, end] = this.span();
    const inputs = ["from", "to"].map((label, at) => h("input", { type: "number", min: start, max: end, step: "any", "aria-label": `${label} (s)`, onchange: () => this.zoom(inputs.map((input) => Number(input.value))) }));
    this.inputs = inputs;
    this.wrong = h("span", { class: "bad", role: "status" });
    const plot = new Plot("Requests over time: sent, in time, late, dropped", (width) => timeSpec(this, width));
    plot.onview = (made) => made.addSignalListener("brush", (_, { t }) => this.setRange(t && t[1] > t[0] ? [t[0], t[1]] : null));
    this.plot = plot;
    this.others = new Plot("SLO attainment over time of the series on this workload and seed", (width) => attainmentSpec(this, width));
    this.setRange(null);
    const latencies = view.latencies ? null : h("p", { class: "note" }, this.lacks("requests") ? `Latency over time needs the requests' rows: ${REPORT.how_to_record.requests}.` : "Latency over time was left out of this report: see Provenance.");
    const many = view.modules && view.modules.arrived.length > MAX_MODULES;
    const modules = view.module_course ? many && h("p", { class: "note" }, `Of the modules at most the ${MAX_MODULES} with the longest waits, and with the most drops, are drawn.`) : h("p", { class: "note" }, "Waits and drops by module over time were left out of this report: see Provenance.");
    return h("div", {}, h("h3", {}, "Over time"),
      h("p", { class: "note" }, `Requests by the second in which they were sent, in steps of ${number(view.course.window_s)} s. Queueing: from a visit's arrival to its joining a batch; batch wait: from then to the batch's start; means over the visits that started, a gap where none did. Drag over the lowest strip, or type, to zoom.`),
      h("div", { class: "row" }, h("label", {}, "From (s)", inputs[0]), h("label", {}, "to (s)", inputs[1]),
        h("button", { type: "button", onclick: () => this.zoom(null) }, "whole run"), this.wrong),
      plot.box, latencies, modules, h("h3", {}, "Beside the others on this workload and seed"), this.others.box);
  }

  /** From when to when the run counts, in s. */
  span() {
    const { start, window, parts } = courseOf(this.file, this.cell);
    return [start, start + window * parts.sent.length];
  }

  setRange(range) {
    this.range = range;
    fill(this.wrong);
    const own = range || this.span();
    this.inputs.forEach((input, at) => { input.value = Number(own[at].toFixed(2)); });
    this.drawCommands();
  }

  zoom(range) {
    const [start, end] = this.span();
    const own = range && [Math.max(start, range[0]), Math.min(end, range[1])];
    if (range && !(range[0] < range[1])) {
      fill(this.wrong, "from must be below to");
      return;
    }
    if (own && own[0] >= own[1]) {
      fill(this.wrong, own[0] >= end ? `from must be below ${number(end)}, the end of the run` : `to must be above ${number(start)}, from where on requests are counted`);
      return;
    }
    this.setRange(own);
    drawPlots([this.plot]);
  }

  modules() {
    const view = this.file.view(this.cell);
    if (!view.modules) return null;
    const names = this.file.raw.module_names[view.modules.names];
    const drops = (at) => view.modules.drops.filter(([module]) => module === at);
    const rows = names.map((name, at) => ({ name, at }));
    const of = (key) => (row) => view.modules[key][row.at];
    const columns = [
      { key: "name", label: "module", value: (row) => row.name, name: true },
      ...["arrived", "done", "cancelled", "batches"].map((key) => ({ key, label: key, number: true, value: of(key) })),
      { key: "queueing_ms", label: "queueing (ms)", number: true, value: of("queueing_ms") },
      { key: "wait_ms", label: "batch wait (ms)", number: true, value: of("wait_ms") },
      { key: "exec_ms", label: "execution (ms)", number: true, value: of("exec_ms") },
      { key: "dropped", label: "dropped", number: true, value: (row) => drops(row.at).reduce((sum, own) => sum + own[2], 0) },
      { key: "why", label: "by reason", value: (row) => drops(row.at).map(([, reason, count]) => `${reason} ${number(count)}`).join(", ") || "-" },
    ];
    return h("div", {}, h("h3", {}, "Modules and drops"), new Table(columns, rows, { caption: "Modules", short: true }).element);
  }

  distribution() {
    const view = this.file.view(this.cell);
    const plot = new Plot("Distribution of the latencies", (width) => cdfSpec(this, width));
    const some = view.cdf && view.cdf.us.length < view.cdf.buckets ? ` Of the ${view.cdf.buckets} buckets of the file ${view.cdf.us.length} are here, each exact.` : "";
    return h("div", {}, h("h3", {}, "Latency"), plot.box,
      h("p", { class: "note" }, "Share of the completed requests, in time and late, with at most that latency, from the file's histogram; the latest that the axis shows is where all "
        + `but 0.1 % of this cell's are done. Upright line: the SLO.${some} Latency quantiles are upper ends of the histogram's buckets: never below the exact value, and above it by less than 1/128 of it, or by less than 32 ns below 4 us.`));
  }

  plan() {
    const view = this.file.view(this.cell);
    const names = view.modules ? this.file.raw.module_names[view.modules.names] : [];
    return ["plans", "groups"].filter((name) => view[name]).map((name) => planTable(name, view[name], names, this));
  }

  settings() {
    const differing = Object.entries(this.file.raw.settings.differing).map(([key, column]) => [key, expand(column)[this.cell]]).filter(([, value]) => value !== null);
    if (differing.length === 0) return null;
    return h("details", {}, h("summary", {}, "Settings of this cell that are not those of all cells"), facts(differing));
  }
}

/** The first plan, its changes, and workers over time where they change. */
function planTable(name, plan, names, owner) {
  const columns = Object.fromEntries(Object.entries(plan.rows).map(([key, column]) => [key, expand(column)]));
  const keys = Object.keys(columns).sort((a, b) => Number(a === "rate_rps") - Number(b === "rate_rps")).filter((key) => !(key === "device" && columns[key].every((value) => value === "")) && columns[key].some((value) => value !== null)
    && !(key === "cores" && columns[key].every((value) => value === 0)));
  const label = { at_s: "from (s)", rate_rps: "requests/s (workers x batch / execution)", module: "module", max_batch: "largest batch", exec_ms: "execution (ms)", usd_per_h: "$/h", cycle_ms: "duty cycle (ms)" };
  const rows = columns.at_s.map((_, at) => at);
  const shownAs = (key, at) => (key === "module" ? names[columns[key][at]] ?? columns[key][at] : columns[key][at]);
  const table = (own, caption) => new Table(keys.map((key) => ({ key, label: label[key] || key, number: !["module", "device"].includes(key), value: (at) => shownAs(key, at), title: key === "rate_rps" ? "What the module's workers carry in batches of that size" : null })),
    own, { caption, short: own.length < 12 }).element;
  const first = rows.filter((at) => columns.at_s[at] <= 0);
  const changes = rows.filter((at) => columns.at_s[at] > 0);
  const what = name === "plans" ? "Plan" : "Groups of workers that serve several modules";
  const left = plan.left > 0 ? h("p", { class: "note" }, `${plural(plan.left, "later change")} left out of this report.`) : null;
  const plot = name === "plans" && changes.length > 0 ? new Plot("Workers of each module over time", (width) => workersSpec(columns, names, owner, width)) : null;
  return h("div", {}, h("h3", {}, what + " at the start"), table(first, what),
    changes.length === 0 ? h("p", { class: "note" }, "It did not change.")
      : [plot && plot.box, h("details", {}, h("summary", {}, plural(changes.length, "change") + " during the run"), table(changes, "Changes"))], left);
}
