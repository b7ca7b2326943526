#include "harness/experiment/reading/robustness.h"

#include <algorithm>

#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/plain_keys.h"
#include "harness/experiment/reading/setting_reader.h"
#include "harness/record/run/summary_row.h"

namespace harness {
namespace {

/// Adds each value below the table, and each element of a list. A key may be written in quotes ("a.b") or
/// dotted (a.b, which makes nested tables, as --over does); the dotted one replaces the other.
void collect(const TableReader& table, const std::string& prefix, std::vector<Assignment>& found) {
  for (const bool tables : {false, true}) {
    for (const TomlEntry& entry : table.entries()) {
      if (std::holds_alternative<TomlTable>(entry.value.data) != tables) continue;
      const std::string key = prefix.empty() ? entry.key : prefix + "." + entry.key;
      if (tables) {
        collect(table.table(entry.key), key, found);
        continue;
      }
      std::vector<Assignment> own;
      for (ParamValue& value : table.value_axis(entry.key))
        own.push_back({key, std::move(value), table.place(entry.key)});
      std::erase_if(found, [&](const Assignment& one) { return !own.empty() && one.key == own.front().key; });
      found.insert(found.end(), own.begin(), own.end());
    }
  }
}

void check_metric(const InputPlace& place, const std::string& name) {
  std::vector<std::string> known;
  for (const Metric& metric : metrics()) {
    if (metric.better != Better::kNeither) known.emplace_back(metric.name);
  }
  if (std::find(known.begin(), known.end(), name) == known.end()) throw_unknown(place, "metric", name, known);
}

}  // namespace

void read_robustness(const TableReader& document, ExperimentSpec& spec) {
  if (!document.has(kRobustnessKey)) return;
  const TableReader table = document.table(kRobustnessKey);
  table.require_known(plain_keys_of(kRobustnessKey));
  Robustness& read = spec.robustness;
  if (table.has("over")) collect(table.table("over"), "", read.over);
  for (const Assignment& one : read.over) {
    if (section_of(one.key) == kWorkload)
      throw input_error(one.place, one.key, "keys of other tables: keys of [workload] are axes already");
    check_assignment(spec, one);
  }
  read.standard = table.flag_or("standard", read.standard);
  read.metric = table.text_or("metric", read.metric);
  check_metric(table.place("metric"), read.metric);
  read.margin = table.number_or("margin", 0, 1, read.margin);
  if (table.has("seeds")) read.seeds = table.integer("seeds", 2, 1000);
  if (table.has("cells")) read.cells = table.integer("cells", 1, 1'000'000);
  if (table.has(kLeftOutKey)) table.texts(kLeftOutKey);
}

}  // namespace harness
