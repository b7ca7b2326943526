#include "workloads/catalogue/pipeline_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/core/input_file.h"
#include "harness/core/task_spec.h"
#include "harness/files/file_bytes.h"
#include "harness/files/table_reader.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/catalogue/pipeline_table.h"

namespace harness {
namespace {

/// Throws InputError unless `weights`, called `what` in messages, has a number for each sub in the order of
/// the key `subs`.
void check_weights(const TableReader& fields, const ModuleTable& table, std::size_t subs, const char* key,
                   const std::string& what, const std::vector<double>& weights) {
  if (table.subs.size() != subs) {
    throw input_error(fields.place(key),
                      what + " for subs that name " + std::to_string(table.subs.size()) + " of the " +
                          std::to_string(subs) + " modules after '" + table.name + "'",
                      "subs that name each of them once");
  }
  if (subs > 0 && weights.size() != subs) {
    throw input_error(fields.place(key), std::to_string(weights.size()) + " " + what,
                      std::to_string(subs) + ", one for each of subs");
  }
}

/// Applies the keys `branches`, `branch_weights` and `branch_probabilities` of one module.
void apply_branches(const TableReader& fields, const ModuleTable& table, Pipeline& pipeline) {
  const std::string branches = kBranchNames[static_cast<std::size_t>(table.branches)];
  const auto refuse = [&](const char* key, const char* what, const char* of) {
    if (branches == of || !fields.has(key)) return;
    throw input_error(fields.place(key), std::string(what) + " with branches = '" + branches + "'",
                      std::string("branches = '") + of + "', or no " + what);
  };
  refuse("branch_weights", "weights", "one");
  refuse("branch_probabilities", "probabilities", "each");
  if (table.branches == Branches::kAll) return;
  const std::size_t subs =
      std::find_if(pipeline.modules.begin(), pipeline.modules.end(), [&](const Module& each) {
        return each.name == table.name;
      })->subs.size();
  std::string wrong;
  if (table.branches == Branches::kEach) {
    check_weights(fields, table, subs, "branch_probabilities", "probabilities", table.probabilities);
    wrong = choose_each(pipeline, table.name, table.subs, table.probabilities);
  } else {
    const bool weighted = fields.has("branch_weights");
    if (weighted) check_weights(fields, table, subs, "branch_weights", "weights", table.weights);
    wrong =
        choose_one(pipeline, table.name, weighted ? table.subs : std::vector<std::string>{}, table.weights);
  }
  if (wrong.empty()) return;
  const std::string least = table.branches == Branches::kOne ? "two modules or more" : "a module or more";
  throw input_error(fields.place("branches"), wrong,
                    "'" + branches + "' with " + least + " after it, and at most " +
                        std::to_string(kMaxRoutes) + " routes");
}

/// Stores the input of a visit: so many bytes, or an image of so many pixels.
void apply_input(const TableReader& fields, const InputTable& input, Module& module) {
  module.input_bytes = static_cast<std::uint32_t>(input.bytes + 0.5);
  if (!fields.has("input_size")) return;
  const std::vector<double>& size = input.size;
  const double bytes = size.size() == 2 ? 3 * size[0] * size[1] : 0;
  const bool whole = size.size() == 2 && std::floor(size[0]) == size[0] && std::floor(size[1]) == size[1];
  if (!whole || bytes > kMaxInputBytes || (module.input_bytes > 0 && module.input_bytes != bytes)) {
    throw input_error(fields.place("input_size"), "another size",
                      "[height, width] in whole pixels of 3 bytes, at most 32 MiB, the same as input_bytes "
                      "where both stand");
  }
  module.input_height = static_cast<int>(size[0]);
  module.input_width = static_cast<int>(size[1]);
  module.input_bytes = static_cast<std::uint32_t>(bytes);
}

/// Stores the path of a model's file, which lies beside the pipeline's own file unless the path is absolute.
/// Only a device needs the file to exist.
void apply_model_file(const TableReader& fields, const std::string& file, Module& module) {
  if (file.empty()) return;
  if (module.input_height == 0)
    throw input_error(fields.place("file"), "a model without input_size",
                      "a TorchScript file, and the size of the images that it takes");
  module.file = (std::filesystem::path(fields.file()).parent_path() / file).string();
  std::error_code error;
  if (std::filesystem::exists(module.file, error) || error)
    const InputFile opened(module.file, "a TorchScript file", fields.place("file"));
}

/// Reads a variant of a task, without the task's own keys but with the number of its `subs`.
Module read_variant(const TableReader& fields, std::size_t subs) {
  const auto table = fields.read_as<VariantTable>();
  Module variant;
  variant.place = fields.place("model");
  variant.model = table.model;
  variant.source = table.source;
  variant.accuracy = table.accuracy;
  variant.accuracy_source = table.accuracy_source;
  variant.fan_out = table.fan_out;
  if (variant.fan_out.size() != subs)
    throw input_error(fields.place("fan_out"), std::to_string(variant.fan_out.size()) + " numbers",
                      std::to_string(subs) + ", one for each of the task's subs");
  return variant;
}

TaskSpec read_task(const TableReader& fields) {
  const auto table = fields.read_as<TaskTable>();
  TaskSpec task;
  task.name = table.name;
  task.subs = table.subs;
  Module input;
  apply_input(fields, table.input, input);
  double best = 0;
  for (const TableReader& each : fields.some_tables("variant")) {
    Module variant = read_variant(each, task.subs.size());
    variant.input_bytes = input.input_bytes;
    variant.input_height = input.input_height;
    variant.input_width = input.input_width;
    best = std::max(best, variant.accuracy);
    task.variants.push_back(std::move(variant));
  }
  // Relative to the best, as Loki states it (section 6.1), whatever unit the file uses.
  for (Module& variant : task.variants) variant.accuracy /= best;
  return task;
}

void read_tasks(const TableReader& top, const std::string& file, Pipeline& pipeline) {
  std::vector<TaskSpec> tasks;
  for (const TableReader& fields : top.some_tables("task")) tasks.push_back(read_task(fields));
  if (const std::string wrong = link_tasks(pipeline, tasks); !wrong.empty())
    throw input_error({file, 0, "task"}, wrong, "a task tree (subs by name), each with its variants");
}

void read_modules(const TableReader& top, const std::string& file, Pipeline& pipeline) {
  std::vector<std::vector<std::string>> pres;
  std::vector<std::vector<std::string>> subs;
  std::vector<ModuleTable> tables;
  const std::vector<TableReader> readers = top.some_tables("module");
  for (const TableReader& fields : readers) {
    const ModuleTable& table = tables.emplace_back(fields.read_as<ModuleTable>());
    Module module;
    module.name = table.name;
    module.place = fields.place("name");
    module.model = table.model;
    module.source = table.source;
    apply_input(fields, table.input, module);
    apply_model_file(fields, table.file, module);
    pipeline.modules.push_back(std::move(module));
    pres.push_back(table.pres);
    subs.push_back(table.subs);
  }
  if (const std::string wrong = link_modules(pipeline, pres, subs); !wrong.empty()) {
    throw input_error(
        {file, 0, "module"}, wrong,
        "a directed acyclic graph with one entry, or with independent = true several (pres, subs by name)");
  }
  for (std::size_t i = 0; i < tables.size(); ++i) apply_branches(readers[i], tables[i], pipeline);
}

}  // namespace

Pipeline parse_pipeline(const std::string& file, std::string_view text) {
  const TomlValue document = parse_toml(file, text);
  const TableReader top(file, document);
  PipelineTable table;
  table.has_tasks = top.has("task");
  ParamList list;
  table.list(list);
  top.read(list);
  Pipeline pipeline;
  pipeline.name = stem_of(file);
  pipeline.description = table.description;
  pipeline.slo_ns = table.slo_ns;
  pipeline.independent = table.independent;
  pipeline.fixed_fan_out = table.fixed_fan_out;
  if (table.has_tasks) {
    read_tasks(top, file, pipeline);
  } else {
    read_modules(top, file, pipeline);
  }
  return pipeline;
}

Pipeline load_pipeline(const std::string& name_or_path, const InputPlace& named_at) {
  const std::string path = path_in("pipelines", "pipeline", name_or_path);
  return parse_pipeline(path, read_file(path, kLargestText, named_at));
}

std::vector<std::string> pipeline_names() { return names_in("pipelines", ".toml"); }

}  // namespace harness
