// Experiments written as text: read, refused, made into cells.
#pragma once

#include <string>
#include <vector>

#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/cell_factory.h"

namespace harness {

/// The experiment of this text, as if it stood in exp/test.toml.
inline ExperimentSpec parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_experiment("exp/test.toml", text, overrides);
}

/// A [[sweep]] of `key` over `values`, an array.
inline std::string sweep(const std::string& key, const std::string& values) {
  return "[[sweep]]\nkey = \"" + key + "\"\nvalues = " + values + "\n";
}

/// Every cell of the experiment in order.
inline std::vector<PreparedCell> prepare_all(const ExperimentSpec& spec, const std::string& build = "b") {
  CellFactory factory(spec, build);
  std::vector<PreparedCell> cells;
  for (const Cell& cell : factory.cells()) cells.push_back(factory.prepare(cell));
  return cells;
}

/// The line that refuses this text when it is read.
inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return refusal_of([&] { parse(text, overrides); });
}

/// The line that refuses this text when it is read or when its cells are prepared.
inline std::string error_of_cells(const std::string& text) {
  return refusal_of([&] { prepare_all(parse(text)); });
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace harness
