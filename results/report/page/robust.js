"use strict";
// Of results of `harness robust`: which orders hold under all settings, which turn and by what.

const HELD = { turns: ["bad", "\u2717"], "in part": ["between", "~"], undecided: ["between", "?"], ties: ["", "="], holds: ["good", "\u2713"] };

function robustSection(file) {
  const found = file.raw.robust;
  if (!found) return null;
  const own = (pair) => pair.settings[0];
  const means = (one) => `${one.name} (${number(one.first_mean)}, ${number(one.second_mean)})`;
  const order = (pair, word) => ({ above: `${pair.first} above`, below: `${pair.second} above` })[word] || word;
  const others = (pair) => [...groupBy(pair.settings.filter((one) => one.order !== own(pair).order), (one) => one.order)]
    .map(([word, settings]) => `${order(pair, word)}: ${settings.map(means).join(", ")}`);
  const same = (pair) => pair.settings.filter((one) => one.order === own(pair).order).length;
  const columns = [
    { key: "verdict", label: "verdict", value: (pair) => pair.verdict, name: true, cell: (pair) => h("span", { class: "verdict " + HELD[pair.verdict][0] }, `${HELD[pair.verdict][1]} ${pair.verdict}`) },
    { key: "workload", label: "workload", value: (pair) => pair.workload },
    { key: "pair", label: "pair", value: (pair) => `${pair.first}, ${pair.second}`, name: true },
    { key: "own", label: "as written", value: (pair) => order(pair, own(pair).order), cell: (pair) => `${order(pair, own(pair).order)} (${number(own(pair).first_mean)}, ${number(own(pair).second_mean)})` },
    { key: "same", label: "settings alike", number: true, value: same, cell: (pair) => `${same(pair)} of ${pair.settings.length}` },
    { key: "others", label: "otherwise under", value: (pair) => others(pair).join("; "), cell: (pair) => h("div", {}, others(pair).map((text) => h("div", {}, text))) },
  ];
  const tally = [...groupBy(found.pairs, (pair) => pair.verdict)].map(([word, pairs]) => `${pairs.length} ${word}`).join(", ");
  const idle = found.settings.filter((one) => !one.has_effect).map((one) => one.name);
  const notes = [...found.not_tried, ...(idle.length > 0 ? [`no effect on any decision: ${idle.join(", ")}`] : [])];
  return section("robust", "Under other settings",
    h("p", {}, `${found.metric} of ${plural(found.pairs.length, "pair")} of systems under ${plural(found.settings.length, "setting")}, ${plural(found.seeds.length, "seed")}, paired: ${tally}. `
      + `A difference within ${number(100 * found.margin)} % is a tie; the ${number(100 * found.confidence)} % intervals of all settings of a pair hold together. In parentheses: the means of both.`),
    new Table(columns, found.pairs, { caption: "Orders of the systems under other settings", filter: "Filter" }).element,
    notes.length > 0 ? [h("h3", {}, "Not tried, or without effect"), h("ul", {}, notes.map((text) => h("li", {}, text)))] : null);
}
