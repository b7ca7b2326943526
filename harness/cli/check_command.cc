#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "harness/claims/claim.h"
#include "harness/cli/commands.h"
#include "harness/cli/printing.h"
#include "harness/cli/profile_report.h"
#include "harness/core/input_error.h"
#include "harness/core/input_file.h"
#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/reading/suite.h"
#include "harness/files/file_bytes.h"
#include "harness/files/text_lines.h"
#include "harness/files/toml_value.h"
#include "harness/record/hdf5/results_file.h"
#include "systems/all_systems.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/trace_files/canonical_trace.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {
namespace {

/// Checks an experiment with all that it names, by preparing each cell, and describes it.
std::string experiment_text(const std::string& path, int& exit_code) {
  const ExperimentSpec spec = load_experiment(path, {});
  CellFactory factory(spec, "");
  std::size_t skipped = 0;
  std::string why;
  double requests = 0;
  for (const Cell& cell : factory.cells()) {
    const PreparedCell prepared = factory.prepare(cell);
    requests += prepared.expected_requests;
    if (prepared.why.empty()) continue;
    if (skipped++ == 0) why = prepared.why;
  }
  std::string text = "experiment " + spec.name + ": " + counted(factory.cells().size(), "cell") + ", about " +
                     text_of(std::round(requests)) + " requests";
  if (skipped > 0) {
    text += "; " + counted(skipped, "cell") + " cannot run, the first: " + why;
    exit_code = 1;
  }
  for (const std::string& remark : factory.remarks()) text += "\n    " + remark;
  return text;
}

std::string suite_text(const std::string& path, int& exit_code) {
  const ExperimentFiles suite = experiment_files(path);
  std::string text = "suite " + suite.name + " of " + counted(suite.files.size(), "experiment");
  for (const std::string& file : suite.files) text += "\n  " + file + ": " + experiment_text(file, exit_code);
  return text;
}

std::string claims_text(const std::string& path, const std::string& bytes) {
  Vocabulary vocabulary;
  for (const SystemEntry& entry : all_systems()) vocabulary.systems.emplace_back(entry.name);
  return "claims file: " + counted(parse_claims_file(path, bytes, vocabulary).size(), "claim");
}

std::string pipeline_text(const std::string& path) {
  const Pipeline pipeline = load_pipeline(path);
  return "pipeline: " + counted(pipeline.modules.size(), "module") + ", SLO " +
         text_of(ns_to_ms(pipeline.slo_ns)) + " ms";
}

std::string toml_text(const std::string& path, const std::string& bytes, int& exit_code) {
  const TomlValue document = parse_toml(path, bytes);
  const auto& table = std::get<TomlTable>(document.data);
  const auto has = [&](const char* key) { return member_of(table, key) != nullptr; };
  if (has("suite")) return suite_text(path, exit_code);
  if (has("workload")) return experiment_text(path, exit_code);
  if (has("module") || has("task")) return pipeline_text(path);
  if (has("profile") || has("shared") || has("delay") || has("base")) return text_of_set(load_profiles(path));
  if (has("claim")) return claims_text(path, bytes);
  throw input_error({path, 0, ""}, "TOML of no kind that is known",
                    "[workload] (an experiment), suite, [[module]] or [[task]] (a pipeline), [[profile]] or "
                    "base (profiles), [[claim]]");
}

/// Describes a library with the systems that it brings, and their parameters.
std::string library_text(const std::string& path) {
  const LoadedLibrary& library = load_system_library(path, {"", 0, ""});
  std::string text = "library of " + counted(library.systems.size(), "system") + ", compiled with headers " +
                     sdk_version() + ", SHA-256 " + library.checksum;
  for (const SystemEntry& entry : library.systems) {
    text += std::string("\n    ") + entry.name + ": " + entry.summary;
    ParamList params;
    const std::unique_ptr<System> system = entry.make();
    system->list(params);
    for (const Param& param : params.params())
      text += "\n        " + param.name + " = " + text_of(param.get()) + ": " + param.doc + " (" +
              param.allowed + ")";
  }
  return text;
}

std::string text_of_trace(const std::string& path) {
  TraceSpec spec;
  spec.shape = "file";
  spec.file = path;
  return "trace: " + described(*recorded_trace(spec));
}

/// Returns the first bytes, which tell what the file is.
std::string head_of(const std::string& path) {
  InputFile file(path);
  std::string bytes(4096, '\0');
  std::size_t size = 0;
  while (const std::size_t count = file.read(bytes.data() + size, bytes.size() - size)) size += count;
  bytes.resize(size);
  return bytes;
}

std::string text_of_file(const std::string& path, int& exit_code) {
  if (is_canonical_trace(path)) return text_of_trace(path);
  const std::string bytes = head_of(path);
  if (is_results_file(bytes)) {
    const std::vector<SummaryRow> rows = read_summary(path);
    const auto ok =
        std::count_if(rows.begin(), rows.end(), [](const SummaryRow& row) { return row.status == "ok"; });
    return "results: " + counted(rows.size(), "cell") + ", " + std::to_string(ok) + " ok";
  }
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return library_text(path);
  if (path.ends_with(".toml")) return toml_text(path, read_file(path), exit_code);
  constexpr std::size_t kHead = 1024;  // for the head of a Nexus profile: names of the model and the device
  if (path.ends_with(".txt") && bytes.substr(0, kHead).find("\nForward latency\n") != std::string::npos)
    return text_of_set(load_profiles(path));
  return text_of_trace(path);
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  const auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command =
      app.add_subcommand("check", "Tell what a file is, and whether it is sound, without running it");
  command->footer(
      "An experiment or a suite with all that it names, a pipeline, profiles, a claims file, results, a "
      "trace,\n"
      "or a shared library of systems, which is loaded (systems/README.md).\n"
      "Example:\n"
      "  harness check mine.toml gateway.csv build/mine.so\n"
      "Exit codes: 0 all are sound; 1 some cells of an experiment cannot run; 2 one is not sound.");
  command->add_option("files", *files, "what to look at")->required()->type_name("FILE ...");
  command->callback([files, &exit_code] {
    for (const std::string& path : *files) print_text(path + ": " + text_of_file(path, exit_code) + "\n");
  });
}

}  // namespace harness
