"use strict";
// The papers' claims that the file decides.

const VERDICT = { reproduced: ["good", "\u2713"], partly: ["between", "~"], undecided: ["between", "?"], "not reproduced": ["bad", "\u2717"], "not run": ["", "-"] };
const KINDS = ["paper", "reading", "ours"]; // docs/claims.md, Kinds

function verdict(word) {
  const [kind, mark] = VERDICT[word] || ["", ""];
  return h("span", { class: "verdict " + kind }, `${mark} ${word}`);
}

/** Places of the cells of this file that the claim's values rest on. */
function cellsOfClaim(file, claim) {
  const found = new Set();
  const stem = file.raw.name.replace(/\.h5$/, "");
  for (const group of claim.groups) {
    for (const own of group.cells || []) {
      if (own.experiment === stem) own.cells.forEach((name) => file.places.has(name) && found.add(file.places.get(name)));
    }
  }
  return found;
}

function claimsSection(file, headline) {
  const { decided, others, problem } = file.raw.claims;
  const more = others > 0 ? h("p", { class: "note" }, `${plural(others, "further claim")} need results of other experiments too, which are not in this file.`) : null;
  if (decided.length === 0 && !problem && others === 0) return null;
  const toCells = (claim) => {
    const places = cellsOfClaim(file, claim);
    if (places.size === 0) return "-";
    return h("a", { href: "#headline", onclick: () => headline.show(true, { places, words: `cells of the claim ${claim.id}` }) }, plural(places.size, "cell"));
  };
  const columns = [
    { key: "verdict", label: "verdict", value: (claim) => claim.verdict, name: true, cell: (claim) => h("span", {}, verdict(claim.verdict), claim.verdict === "undecided" ? h("div", { class: "soft" }, `${claim.worst} to ${claim.best}`) : null) },
    { key: "kind", label: "kind", value: (claim) => claim.kind + (claim.chosen_after ? ", after" : ""), name: true },
    { key: "statement", label: "claim", value: (claim) => claim.statement, cell: (claim) => h("div", {}, claim.statement, h("div", { class: "soft" }, claim.id)) },
    { key: "paper", label: "paper", value: (claim) => `${claim.paper}, ${claim.section}${claim.figure ? ", " + claim.figure : ""}` },
    { key: "paper_value", label: "paper's figure", value: (claim) => claim.paper_value },
    { key: "expect", label: "expected", value: (claim) => claim.expect, name: true },
    { key: "value", label: "ours", number: true, value: (claim) => claim.value, cell: (claim) => withHalf({ mean: claim.value, half: claim.half_width }) },
    { key: "cells", label: "cells", value: (claim) => cellsOfClaim(file, claim).size, cell: toCells, name: true },
    { key: "why", label: "without a value", value: (claim) => claim.missing.join("; ") },
  ];
  const tally = (claims) => [...groupBy(claims, (claim) => claim.verdict)].map(([word, own]) => `${own.length} ${word}`).join(", ");
  const kinds = [...groupBy(decided, (claim) => claim.kind)].sort(([a], [b]) => KINDS.indexOf(a) - KINDS.indexOf(b));
  const tallies = kinds.map(([kind, own]) => `${own.length} of kind ${kind} (${tally(own)})`).join(", ");
  return section("claims", "The papers' claims",
    problem ? h("p", { class: "bad" }, problem) : null,
    decided.length > 0 ? [h("p", {}, `${plural(decided.length, "claim")} that this file alone judges: ${tallies}. A number of cells leads to the cells that a verdict rests on.`),
      new Table(columns, decided, { caption: "Claims", filter: "Filter" }).element] : null, more);
}
