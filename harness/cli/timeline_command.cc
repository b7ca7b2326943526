#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/printing.h"
#include "harness/core/printable.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/storing/recorded_cell.h"
#include "harness/record/hdf5/cell_replay.h"
#include "harness/views/chosen_cell.h"
#include "harness/views/timeline.h"

namespace harness {
namespace {

struct TimelineOptions {
  std::string results;
  std::optional<std::uint32_t> cell;
  std::string from;
  std::string to;
  std::string output;
  std::string folder = ".";
  std::vector<std::string> libraries;
};

TimeSpan span_of(const TimelineOptions& options) {
  TimeSpan span;
  if (!options.from.empty()) span.from_ns = time_of_run("--from", options.from);
  if (!options.to.empty()) span.to_ns = time_of_run("--to", options.to);
  if (span.from_ns >= span.to_ns)
    throw input_error({"", 0, "--to"}, "'" + options.to + "'", "a time after --from");
  return span;
}

/// Returns the pipeline, which tells where branches of requests join. Returns nothing for task trees and
/// single modules, and, with a line on standard error, if the pipeline is not known any more.
std::optional<Pipeline> pipeline_of(const TimelineOptions& options, const CellContents& cell) {
  const bool is_tree = !cell.summary.cell.answers.empty();
  if (is_tree || cell.module_names.size() < 2) return std::nullopt;
  std::string why;
  try {
    RecordedCell recorded(options.results, cell.summary.cell.index, cell.summary.cell.effective_toml,
                          options.folder);
    Pipeline pipeline = recorded.make_world().pipeline;
    if (pipeline.modules.size() == cell.module_names.size() && !pipeline.has_tasks()) return pipeline;
    why = "its modules are others here";
  } catch (const InputError& error) {
    why = error.what();
  }
  std::fprintf(
      stderr,
      "harness timeline: the pipeline is not known (%s): where branches join, only the arrow from the "
      "last one is drawn\n",
      printable(why).c_str());
  return std::nullopt;
}

std::vector<PreemptedBatch> preempted_of(const TimelineOptions& options, const CellContents& cell) {
  std::uint64_t preempted = 0;
  for (const ModuleTotals& module : cell.record.modules) preempted += module.preempted;
  if (preempted == 0) return {};
  std::vector<PreemptedBatch> batches =
      preempted_batches(read_cell_replay(options.results, cell.summary.cell.index).logs);
  if (batches.size() < preempted)
    std::fprintf(
        stderr, "harness timeline: %llu of %llu preempted batches shown: [record] replay = true keeps them\n",
        static_cast<unsigned long long>(batches.size()), static_cast<unsigned long long>(preempted));
  return batches;
}

void timeline(const TimelineOptions& options) {
  const TimeSpan span = span_of(options);
  for (const std::string& library : options.libraries) load_system_library(library, {"", 0, "--library"});
  const CellContents cell = cell_with_rows(options.results, chosen_cell(options.results, options.cell));
  const std::optional<Pipeline> pipeline = pipeline_of(options, cell);
  const TimelineCounts counts = write_timeline(
      options.output, {cell, span, pipeline ? &*pipeline : nullptr, preempted_of(options, cell)});
  print_text(options.output + ": " + std::to_string(counts.batches) + " batches of " +
             std::to_string(counts.visits) + " visits, " + std::to_string(counts.preempted) + " preempted, " +
             std::to_string(counts.drops) + " drops, " + std::to_string(counts.late) + " late requests, " +
             std::to_string(counts.bytes) + " bytes; open it at https://ui.perfetto.dev\n");
}

}  // namespace

void add_timeline_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  const auto options = std::make_shared<TimelineOptions>();
  CLI::App* command = app.add_subcommand("timeline", "Write a cell's rows as a trace for Perfetto's page");
  command->footer(
      "The trace has a track for each worker with its batches, and for each module its waiting visits, drops "
      "and\n"
      "plans; arrows lead from batch to batch of a request. Open it at https://ui.perfetto.dev (Open trace "
      "file):\n"
      "it stays in the browser (docs/commands.md, Timelines).\n"
      "Examples:\n"
      "  harness timeline results-out/quickstart.h5 --cell 3 -o t.pftrace\n"
      "  harness timeline results-out/quickstart.h5 --cell 3 --from 30s --to 40s -o t.pftrace");
  command->add_option("results", options->results, "results file (HDF5)")
      ->required()
      ->type_name("RESULTS.h5");
  command->add_option("--cell", options->cell, "the cell's number, as in harness show; default: the only one")
      ->type_name("N");
  command->add_option("--from", options->from, "leave out what ended before this time of the run")
      ->type_name("TIME");
  command->add_option("--to", options->to, "leave out what began at this time or later")->type_name("TIME");
  command->add_option("-o,--output", options->output, "the trace")->required()->type_name("FILE.pftrace");
  add_run_again_options(*command, options->folder, options->libraries);
  command->callback([options] { timeline(*options); });
}

}  // namespace harness
