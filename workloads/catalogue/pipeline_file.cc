#include "workloads/catalogue/pipeline_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/core/input_file.h"
#include "harness/core/task_spec.h"
#include "harness/files/file_bytes.h"
#include "harness/files/table_reader.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {
namespace {

/// Returns the numbers of `key`, called `what` in messages, one for each sub in the order of the key `subs`;
/// stores that order in `order`.
std::vector<double> read_weights(const TableReader& fields, const Module& module, const char* key,
                                 const std::string& what, double least, double most,
                                 std::vector<std::string>& order) {
  const std::vector<double> weights = fields.numbers(key, least, most);
  const std::size_t subs = module.subs.size();
  order = fields.has("subs") ? fields.texts("subs") : std::vector<std::string>{};
  if (order.size() != subs) {
    throw input_error(fields.place(key),
                      what + " for subs that name " + std::to_string(order.size()) + " of the " +
                          std::to_string(subs) + " modules after '" + module.name + "'",
                      "subs that name each of them once");
  }
  if (subs > 0 && weights.size() != subs) {
    throw input_error(fields.place(key), std::to_string(weights.size()) + " " + what,
                      std::to_string(subs) + ", one for each of subs");
  }
  return weights;
}

/// Reads the keys `branches`, `branch_weights` and `branch_probabilities` of one module.
void read_branches(const TableReader& fields, Pipeline& pipeline) {
  const std::string branches = fields.text_or("branches", "all");
  if (branches != "all" && branches != "one" && branches != "each")
    throw input_error(fields.place("branches"), "'" + branches + "'", "'all', 'one' or 'each'");
  const auto refuse = [&](const char* key, const char* what, const char* of) {
    if (branches == of || !fields.has(key)) return;
    throw input_error(fields.place(key), std::string(what) + " with branches = '" + branches + "'",
                      std::string("branches = '") + of + "', or no " + what);
  };
  refuse("branch_weights", "weights", "one");
  refuse("branch_probabilities", "probabilities", "each");
  if (branches == "all") return;
  const std::string name = fields.text("name");
  const Module& module = *std::find_if(pipeline.modules.begin(), pipeline.modules.end(),
                                       [&](const Module& each) { return each.name == name; });
  constexpr double kMin = 1e-6;
  constexpr double kMax = 1e6;
  std::vector<std::string> order;
  std::vector<double> weights;
  std::string wrong;
  if (branches == "each") {
    weights = read_weights(fields, module, "branch_probabilities", "probabilities", kMin, 1, order);
    wrong = choose_each(pipeline, name, order, weights);
  } else {
    if (fields.has("branch_weights"))
      weights = read_weights(fields, module, "branch_weights", "weights", kMin, kMax, order);
    wrong = choose_one(pipeline, name, order, weights);
  }
  if (wrong.empty()) return;
  const std::string least = branches == "one" ? "two modules or more" : "a module or more";
  throw input_error(fields.place("branches"), wrong,
                    "'" + branches + "' with " + least + " after it, and at most " +
                        std::to_string(kMaxRoutes) + " routes");
}

constexpr double kMaxBytes = 32 << 20;

/// Reads the input of a visit: so many bytes, or an image of so many pixels.
void read_input(const TableReader& fields, Module& module) {
  if (fields.has("input_bytes"))
    module.input_bytes = static_cast<std::uint32_t>(fields.number("input_bytes", 0, kMaxBytes) + 0.5);
  if (!fields.has("input_size")) return;
  const std::vector<double> size = fields.numbers("input_size", 1, 4096);
  const double bytes = size.size() == 2 ? 3 * size[0] * size[1] : 0;
  const bool whole = size.size() == 2 && std::floor(size[0]) == size[0] && std::floor(size[1]) == size[1];
  if (!whole || bytes > kMaxBytes || (module.input_bytes > 0 && module.input_bytes != bytes)) {
    throw input_error(fields.place("input_size"), "another size",
                      "[height, width] in whole pixels of 3 bytes, at most 32 MiB, the same as input_bytes "
                      "where both stand");
  }
  module.input_height = static_cast<int>(size[0]);
  module.input_width = static_cast<int>(size[1]);
  module.input_bytes = static_cast<std::uint32_t>(bytes);
}

/// Reads the path of a model's file, which lies beside the pipeline's own file unless the path is absolute.
/// Only a device needs the file to exist.
void read_model_file(const TableReader& fields, const std::string& pipeline_file, Module& module) {
  if (!fields.has("file")) return;
  const std::string file = fields.text("file");
  if (file.empty() || module.input_height == 0)
    throw input_error(fields.place("file"), file.empty() ? "no name" : "a model without input_size",
                      "a TorchScript file, and the size of the images that it takes");
  module.file = (std::filesystem::path(pipeline_file).parent_path() / file).string();
  std::error_code error;
  if (std::filesystem::exists(module.file, error) || error)
    const InputFile opened(module.file, "a TorchScript file", fields.place("file"));
}

/// Reads a variant of a task, without the task's own keys but with the number of its `subs`.
Module read_variant(const TableReader& fields, std::size_t subs) {
  fields.require_known({"model", "accuracy", "accuracy_source", "fan_out", "source"});
  Module variant;
  variant.place = fields.place("model");
  variant.model = fields.text("model");
  variant.source = fields.text_or("source", "");
  variant.accuracy = fields.number("accuracy", 1e-6, 1e6);
  variant.accuracy_source = fields.text_or("accuracy_source", "");
  if (fields.has("fan_out")) variant.fan_out = fields.numbers("fan_out", 0, 100);
  if (variant.fan_out.size() != subs)
    throw input_error(fields.place("fan_out"), std::to_string(variant.fan_out.size()) + " numbers",
                      std::to_string(subs) + ", one for each of the task's subs");
  return variant;
}

TaskSpec read_task(const TableReader& fields) {
  fields.require_known({"name", "subs", "input_bytes", "input_size", "variant"});
  TaskSpec task;
  task.name = fields.text("name");
  if (fields.has("subs")) task.subs = fields.texts("subs");
  Module input;
  read_input(fields, input);
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
  const std::string spread = top.text_or("fan_out_spread", "poisson");
  if (spread != "poisson" && spread != "rounded")
    throw input_error(top.place("fan_out_spread"), "'" + spread + "'", "'poisson' or 'rounded'");
  pipeline.fixed_fan_out = spread == "rounded";
  std::vector<TaskSpec> tasks;
  for (const TableReader& fields : top.some_tables("task")) tasks.push_back(read_task(fields));
  if (const std::string wrong = link_tasks(pipeline, tasks); !wrong.empty())
    throw input_error({file, 0, "task"}, wrong, "a task tree (subs by name), each with its variants");
}

void read_modules(const TableReader& top, const std::string& file, Pipeline& pipeline) {
  std::vector<std::vector<std::string>> pres;
  std::vector<std::vector<std::string>> subs;
  const std::vector<TableReader> tables = top.some_tables("module");
  for (const TableReader& fields : tables) {
    fields.require_known({"name", "model", "source", "pres", "subs", "branches", "branch_weights",
                          "branch_probabilities", "input_bytes", "input_size", "file"});
    Module module;
    module.name = fields.text("name");
    module.place = fields.place("name");
    module.model = fields.text("model");
    module.source = fields.text_or("source", "");
    read_input(fields, module);
    read_model_file(fields, file, module);
    pipeline.modules.push_back(std::move(module));
    pres.push_back(fields.has("pres") ? fields.texts("pres") : std::vector<std::string>{});
    subs.push_back(fields.has("subs") ? fields.texts("subs") : std::vector<std::string>{});
  }
  if (const std::string wrong = link_modules(pipeline, pres, subs); !wrong.empty()) {
    throw input_error(
        {file, 0, "module"}, wrong,
        "a directed acyclic graph with one entry, or with independent = true several (pres, subs by name)");
  }
  for (const TableReader& fields : tables) read_branches(fields, pipeline);
}

}  // namespace

Pipeline parse_pipeline(const std::string& file, std::string_view text) {
  const TomlValue document = parse_toml(file, text);
  const TableReader top(file, document);
  const bool has_tasks = top.has("task");
  if (has_tasks) {
    top.require_known({"description", "slo_ms", "fan_out_spread", "task"});
  } else {
    top.require_known({"description", "slo_ms", "independent", "module", "task"});
  }
  Pipeline pipeline;
  pipeline.name = stem_of(file);
  pipeline.description = top.text_or("description", "");
  pipeline.slo_ns = ms_to_ns(top.number("slo_ms", 1e-3, 1e9));
  pipeline.independent = top.flag_or("independent", false);
  if (has_tasks) {
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
