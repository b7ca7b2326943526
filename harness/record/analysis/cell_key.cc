#include "harness/record/analysis/cell_key.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>

namespace harness {
namespace {

constexpr const char* kAnswersKey = "workload.answers";

auto compared(const CellKey& key) {
  return std::tie(key.system, key.variant, key.pipeline, key.trace, key.load, key.slo_ms, key.seed,
                  key.runtime, key.parameters);
}

}  // namespace

bool CellKey::operator==(const CellKey& other) const { return compared(*this) == compared(other); }
bool CellKey::operator<(const CellKey& other) const { return compared(*this) < compared(other); }

std::string CellKey::series_and_runtime() const {
  return runtime.empty() || runtime == "simulated" ? series : series + " " + runtime;
}

std::string CellKey::workload_and_seed() const { return workload + " seed " + std::to_string(seed); }

CellKey key_of(const CellIdentity& cell, double slo_ms) {
  const double load = std::isnan(cell.load) ? 0 : cell.load;  // as in files of older versions
  CellKey key{cell.system,  cell.variant, cell.pipeline, cell.trace,   load, slo_ms, cell.seed,
              cell.runtime, "",           cell.series,   cell.workload};
  auto parameters = parameters_of(cell);
  const auto names_answers = [](const auto& parameter) { return parameter.first == kAnswersKey; };
  if (cell.answers == "partial" && std::none_of(parameters.begin(), parameters.end(), names_answers))
    parameters.emplace_back(kAnswersKey, cell.answers);
  std::sort(parameters.begin(), parameters.end());
  for (const auto& [name, value] : parameters)
    key.parameters += (key.parameters.empty() ? "" : " ") + name + "=" + value;
  return key;
}

CellKey without(CellKey key, const std::string& parameter) {
  CellIdentity cell;
  cell.parameters = key.parameters;
  key.parameters.clear();
  for (const auto& [name, value] : parameters_of(cell)) {
    const std::string text = name + "=" + value;
    if (parameter.ends_with('.') ? name.starts_with(parameter) : name == parameter) {
      const std::size_t at = (key.workload + " ").find(" " + text + " ");
      if (at != std::string::npos) key.workload.erase(at, text.size() + 1);
    } else {
      key.parameters += (key.parameters.empty() ? "" : " ") + text;
    }
  }
  return key;
}

}  // namespace harness
