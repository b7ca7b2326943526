"use strict";
// Plots by Vega-Lite. Nothing is told by colour alone: series also have dashes and shapes, and a table has the numbers.

const DASHES = [[1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [14, 4], [4, 4], [1, 3], [10, 3, 2, 3, 2, 3]];
const SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left"];
// Okabe and Ito.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c7a00", "#767676"];
const OUTCOMES = { sent: "#8a8f98", "in time": "#0072b2", late: "#e69f00", dropped: "#d55e00", unfinished: "#cc79a7" };
const CONFIG = {
  customFormatTypes: true,
  background: "transparent",
  font: "system-ui, 'DejaVu Sans', sans-serif",
  view: { stroke: null },
  axis: { labelColor: "currentColor", titleColor: "currentColor", tickColor: "#8a8f98", domainColor: "#8a8f98", gridColor: "#8a8f98",
    gridOpacity: 0.25, labelFontSize: 11, titleFontSize: 12, titleFontWeight: "normal", labelLimit: 240 },
  legend: { labelColor: "currentColor", titleColor: "currentColor", labelFontSize: 11, labelLimit: 220, symbolSize: 70, symbolStrokeWidth: 2 },
  title: { color: "currentColor", fontSize: 12, fontWeight: "normal", anchor: "start" },
};

const PLOTS = new Set();

/** A plot that is made for the width that it has: make(width) returns a specification, or a text where there is nothing to plot. */
class Plot {
  constructor(description, make) {
    this.make = make;
    this.box = h("div", { class: "plot", role: "group", "aria-label": description });
    this.turn = 0;
    this.view = null;
    PLOTS.add(this);
  }

  async draw() {
    const turn = ++this.turn;
    if (!this.box.isConnected) return;
    const width = Math.max(240, Math.floor(this.box.clientWidth));
    const made = typeof vegaEmbed === "undefined" ? "No plot: the page was made without the Python package vl-convert-python."
      : this.make(width);
    this.forget();
    if (typeof made === "string") {
      fill(this.box, h("p", { class: "note" }, made));
      return;
    }
    const place = h("div");
    const options = { renderer: "svg", actions: false, config: CONFIG, tooltip: { theme: "custom" } };
    const result = await vegaEmbed(place, made, options);
    if (turn !== this.turn) {
      result.finalize();
      return;
    }
    this.result = result;
    this.drawnWidth = width;
    this.box.replaceChildren(place);
    if (this.onview) this.onview(result.view);
  }

  forget() {
    if (this.result) this.result.finalize();
    this.result = null;
  }
}

/** Draws the plots that stand in the page, one after the other; those that left it are forgotten. */
async function drawPlots(some) {
  for (const plot of some || [...PLOTS]) {
    if (!plot.box.isConnected) {
      plot.forget();
      PLOTS.delete(plot);
    } else {
      await plot.draw();
    }
  }
}

let resizing = null;
window.addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => drawPlots([...PLOTS].filter((plot) => Math.abs(plot.box.clientWidth - (plot.drawnWidth || 0)) > 8)), 250);
});

// Of legends of lines: long enough to show the dashes.
const LINE_SAMPLES = { symbolType: "stroke", symbolSize: 900 };

/** Colour, dash and shape of the series, each the same in all plots of the file. */
function looks(file, series, samples, width) {
  const place = (name) => (file.seriesNames.includes(name) ? file.seriesNames : series).indexOf(name);
  const legend = { title: null, orient: "bottom", columns: Math.max(1, Math.floor((width || 500) / 230)), ...samples };
  return {
    color: { field: "s", type: "nominal", scale: { domain: series, range: series.map((name) => file.colour(name)) }, legend },
    strokeDash: { field: "s", type: "nominal", scale: { domain: series, range: series.map((name) => DASHES[place(name) % 8]) }, legend },
    shape: { field: "s", type: "nominal", scale: { domain: series, range: series.map((name) => SHAPES[place(name) % 8]) }, legend },
  };
}

const FORMAT = ",.4~r";

function quantity(field, title, more) {
  return { field, type: "quantitative", title, ...more };
}

function tooltips(...fields) {
  return fields.map(([field, title, text]) => ({ field, title, type: text ? "nominal" : "quantitative", ...(text ? {} : { format: FORMAT }) }));
}

/** Returns a layer that makes the marks of the rows with `open` white inside; without such rows it is no layer. */
function openMarks(rows, encoding) {
  const open = rows.filter((row) => row.open);
  return open.length === 0 ? [] : [{ data: { values: open }, mark: { type: "point", shape: "circle", filled: true, size: 22, opacity: 1, color: "var(--back)" }, encoding }];
}

/** Means with their intervals over an axis: rows {s, x, y, lo, hi, n, open}, bounds {x, y}. */
function curveSpec(file, rows, bounds, words, width) {
  const series = [...new Set(rows.map((row) => row.s))];
  const look = looks(file, series, {}, width);
  const x = quantity("x", words.x, { scale: { zero: false, nice: true }, axis: { tickCount: 8 } });
  const scale = { scale: words.share ? { domain: [0, 100] } : { domainMin: 0 } };
  const tip = tooltips(["s", "series", true], ["x", words.x], ["y", words.y], ["lo", "95 % from"], ["hi", "to"], ["n", "seeds"]);
  const layers = [];
  if (bounds.length > 0) {
    const what = { y: quantity("y", words.y, scale), x, tooltip: tooltips(["x", words.x], ["y", "upper bound"]) };
    layers.push({ data: { values: bounds }, mark: { type: "line", stroke: "currentColor", strokeDash: [1, 3], strokeWidth: 1.6, point: false }, encoding: what });
  }
  const spreads = rows.filter((row) => row.lo !== undefined);
  if (spreads.length > 0) layers.push({ data: { values: spreads }, mark: { type: "rule", strokeWidth: 1.5, clip: true },
    encoding: { x, y: quantity("lo", words.y, scale), y2: { field: "hi" }, color: look.color } });
  layers.push({ mark: { type: "line", strokeWidth: 1.8 }, encoding: { x, y: quantity("y", words.y, scale), color: look.color, strokeDash: look.strokeDash } });
  layers.push({ mark: { type: "point", filled: true, size: 60, opacity: 1 },
    encoding: { x, y: quantity("y", words.y, scale), color: look.color, shape: look.shape, tooltip: tip } },
  ...openMarks(rows, { x, y: quantity("y", words.y, scale), tooltip: tip }));
  return { width: width - 4, height: 260, autosize: { type: "fit-x", contains: "padding" }, data: { values: rows }, layer: layers };
}

/** A mark for each series with its interval: where there is no axis. Rows as of curveSpec(), with b, the bound. */
function dotSpec(rows, file, words, width) {
  const series = [...new Set(rows.map((row) => row.s))];
  const look = looks(file, series);
  const y = { field: "s", type: "nominal", sort: series, title: null };
  const scale = { scale: words.share ? { domain: [0, 100] } : { domainMin: 0 } };
  const tip = tooltips(["s", "series", true], ["y", words.y], ["lo", "95 % from"], ["hi", "to"], ["b", "upper bound"], ["n", "seeds"]);
  const colour = { ...look.color, legend: null };
  return {
    width: width - 4, height: 22 * series.length, autosize: { type: "fit-x", contains: "padding" }, data: { values: rows },
    layer: [
      { data: { values: rows.filter((row) => row.b !== null) }, mark: { type: "tick", color: "currentColor", thickness: 2, size: 16 },
        encoding: { y, x: quantity("b", words.y, scale), tooltip: tip } },
      { data: { values: rows.filter((row) => row.lo !== undefined) }, mark: { type: "rule", strokeWidth: 2, clip: true },
        encoding: { y, x: quantity("lo", words.y, scale), x2: { field: "hi" }, color: colour } },
      { mark: { type: "point", filled: true, size: 80, opacity: 1 },
        encoding: { y, x: quantity("y", words.y, scale), color: colour, shape: { ...look.shape, legend: null }, tooltip: tip } },
      ...openMarks(rows, { y, x: quantity("y", words.y, scale), tooltip: tip }),
    ].filter((layer) => !layer.data || layer.data.values.length > 0),
  };
}
