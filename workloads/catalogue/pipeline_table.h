// The tables of a pipeline's file as they are written.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "harness/core/module.h"
#include "harness/core/param_list.h"

namespace harness {

/// The largest input of a visit.
inline constexpr double kMaxInputBytes = 32 << 20;
/// The names of the values of Branches, in their order.
inline constexpr std::array kBranchNames = {"all", "one", "each"};

/// The top level.
struct PipelineTable {
  bool has_tasks = false;  ///< true: a task tree, false: modules
  std::string description;
  TimeNs slo_ns = 0;
  bool independent = false;
  bool fixed_fan_out = false;

  void list(ParamList& params);
};

/// The input of a visit, in two of the keys of a module or task.
struct InputTable {
  double bytes = 0;
  std::vector<double> size;  ///< height and width; empty: no image

  void list(ParamList& params);
};

/// [[module]]
struct ModuleTable {
  std::string name;
  std::string model;
  std::string source;
  std::vector<std::string> pres;
  std::vector<std::string> subs;
  Branches branches = Branches::kAll;
  std::vector<double> weights;
  std::vector<double> probabilities;
  InputTable input;
  std::string file;

  void list(ParamList& params);
};

/// [[task]]
struct TaskTable {
  std::string name;
  std::vector<std::string> subs;
  InputTable input;

  void list(ParamList& params);
};

/// [[task.variant]]
struct VariantTable {
  std::string model;
  double accuracy = 1;
  std::string accuracy_source;
  std::vector<double> fan_out;
  std::string source;

  void list(ParamList& params);
};

}  // namespace harness
