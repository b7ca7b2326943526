#include "harness/experiment/reading/robustness.h"

#include <algorithm>

#include "harness/experiment/reading/experiment_spec.h"
#include "harness/experiment/reading/setting_reader.h"

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

void Robustness::list(ParamList& params) {
  params
      .other("over", "a table of the keys of a [[setting]], each with a value or a list of them",
             "values that `harness robust` tries, before its standard ones and in place of the values of "
             "the same key")
      .by_default("{}");
  params.flag("standard", standard, "whether it tries its standard values too");
  params.text("metric", metric, "a metric that is better higher or lower", "by which it orders the systems");
  params.number("margin", margin, 0, 1, "a difference within this share of the larger mean is a tie");
  params.integer("seeds", seeds, 2, 1000, "an experiment with fewer seeds gets the seeds 1 to this");
  params.integer("cells", cells, 1, 1'000'000,
                 "its budget: values beyond it are left out, the last of the list first");
  params
      .texts(kLeftOutKey, left_out, "a list of texts",
             "in results of `harness robust`: what it has not tried, and why")
      .by_default("[]");
}

void read_robustness(const TableReader& document, ExperimentSpec& spec) {
  if (!document.has(kRobustnessKey)) return;
  const TableReader table = document.table(kRobustnessKey);
  Robustness& read = spec.robustness;
  read = table.read_as<Robustness>();
  if (table.has("over")) collect(table.table("over"), "", read.over);
  for (const Assignment& one : read.over) {
    if (section_of(one.key) == kWorkload)
      throw input_error(one.place, one.key, "keys of other tables: keys of [workload] are axes already");
    check_assignment(spec, one);
  }
  check_metric(table.place("metric"), read.metric);
}

}  // namespace harness
