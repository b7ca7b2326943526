"use strict";
// The page: sections of the chosen file, and addresses of cells.

const PAGE = { file: null, headline: null, cell: null };

function lead(file) {
  const failed = file.count - file.okCells().length;
  const claims = file.raw.claims.decided.length;
  return `${plural(file.count, "cell")}, ${plural(file.seriesNames.length, "configuration")} of ${plural(new Set(file.okCells().map((cell) => file.value("system", cell))).size, "system")}`
    + `${failed > 0 ? `, ${failed} skipped or invalid` : ""}${claims > 0 ? `, ${plural(claims, "claim")} decided` : ""}; experiment ${file.raw.attributes.experiment || file.raw.name}`;
}

function sectionsOf(file) {
  const changes = REPORT.comparisons.map((each) => new Changes(each).element);
  PAGE.headline = new Headline(file);
  PAGE.cell = new CellSection();
  const some = file.okCells().length > 0;
  const curves = some ? new Curves(file, "load", "Goodput and SLO attainment", ["goodput_rps", "slo_attainment"], seriesChoice(file, () => drawPlots())).element : null;
  const money = ["cost_usd_per_h", "usd_per_million_in_time"].filter((name) => file.knows(name));
  const cost = money.length > 0 ? new Curves(file, "cost", "Cost", money, null).element : null;
  return [PAGE.headline.element, ...changes, curves, PAGE.cell.element, some ? new Drops(file).element : null, cost, failedSection(file),
    robustSection(file), claimsSection(file, PAGE.headline), settingsSection(file), provenanceSection(file)].filter(Boolean);
}

function showFile(place) {
  const file = FILES[place];
  PAGE.file = file;
  fill(document.getElementById("title"), file.raw.label);
  fill(document.getElementById("lead"), lead(file));
  fill(document.getElementById("notes"), file.raw.length_notes.map((note) => h("p", { class: "between" }, note)));
  const sections = sectionsOf(file);
  fill(document.getElementById("main"), sections);
  fill(document.getElementById("sections"), sections.map((each) => h("a", { href: "#" + each.id }, each.querySelector("h2").textContent)));
  const chooser = FILES.length > 1 ? select("File", FILES.map((each, at) => [at, shown(each.raw.label)]), place, (at) => {
    history.replaceState(null, "", "#");
    showFile(Number(at));
  }) : null;
  fill(document.getElementById("chooser"), chooser);
  const first = file.okCells()[0] ?? 0;
  if (file.count > 0) PAGE.cell.show(file, first);
  drawn(drawPlots());
}

/** Says when plots stand, to programs that look at the page. */
async function drawn(work) {
  document.documentElement.dataset.drawn = "no";
  await work;
  document.documentElement.dataset.drawn = "yes";
}

/** #cell-F-N leads to cell N of file F. */
function follow() {
  const found = /^#cell-(\d+)-(\d+)$/.exec(location.hash);
  fill(document.getElementById("lost"));
  if (!found) return;
  const file = FILES[Number(found[1])];
  const cell = file && file.places.get(Number(found[2]));
  if (cell === undefined) {
    fill(document.getElementById("lost"), file ? `There is no cell ${found[2]} in ${file.raw.label}.` : `There is no file ${found[1]} in this report.`);
    document.getElementById("lost").scrollIntoView();
    return;
  }
  if (PAGE.file !== file) showFile(file.place);
  PAGE.cell.show(file, cell);
  drawn(drawPlots([...PLOTS].filter((plot) => !plot.box.isConnected || PAGE.cell.element.contains(plot.box))));
  const heading = document.getElementById(location.hash.slice(1));
  heading.scrollIntoView();
  heading.focus({ preventScroll: true });
}

window.addEventListener("hashchange", follow);
showFile(0);
follow();
document.documentElement.dataset.ready = "yes";
