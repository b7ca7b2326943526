#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "harness/cli/commands.h"
#include "harness/cli/printing.h"
#include "harness/cli/terminal.h"
#include "harness/core/exit_codes.h"
#include "harness/core/input_error.h"
#include "harness/core/printable.h"
#include "harness/core/wording.h"
#include "harness/experiment/running/run_status.h"
#include "harness/experiment/running/short_text.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStatus = "status.json";
constexpr auto kBetweenLooks = std::chrono::seconds(1);

struct WatchOptions {
  std::string folder = "results-out";
  bool once = false;
};

/// The files of a run: its folder STEM.cells, and STEM.h5 beside it.
struct WatchedRun {
  fs::path cells;
  fs::path results;
};

WatchedRun run_at(const fs::path& cells) { return {cells, fs::path(cells).replace_extension(".h5")}; }

/// Returns the run in a folder for results that was heard of last, by the time of its files: its folder or
/// its results file, which end in `ending` (.cells or .h5).
std::optional<WatchedRun> latest_run(const fs::path& folder, const std::string& ending) {
  std::optional<WatchedRun> latest;
  fs::file_time_type heard;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ending) continue;
    const bool is_folder = ending == ".cells";
    const fs::file_time_type at =
        fs::last_write_time(is_folder ? entry.path() / kStatus : entry.path(), error);
    if (error || (latest && at <= heard)) continue;
    latest = run_at(fs::path(entry.path()).replace_extension(".cells"));
    heard = at;
  }
  return latest;
}

WatchedRun find_run(const std::string& folder) {
  fs::path path(folder);
  if (path.filename().empty()) path = path.parent_path();
  if (path.extension() == ".cells") return run_at(path);
  for (const char* ending : {".cells", ".h5"}) {
    if (const std::optional<WatchedRun> run = latest_run(path, ending)) return *run;
  }
  throw input_error({folder, 0, ""}, "no run", "a folder with STEM.cells of a run, or STEM.cells itself");
}

std::string cells_text(std::uint64_t done, std::uint64_t total, std::uint64_t failed) {
  return std::to_string(done) + " of " + counted(total, "cell") +
         (failed > 0 ? ", " + std::to_string(failed) + " skipped or invalid" : "");
}

/// The line that is shown of a run, and the exit code if it is the last.
struct Sight {
  std::string text;
  int exit_code = kAllWell;
  bool is_last = true;
};

Sight see_results(const WatchedRun& run) {
  std::error_code error;
  if (!fs::exists(run.results, error))
    throw input_error({run.cells.string(), 0, ""}, "no such folder",
                      "STEM.cells of a run, or with STEM.h5 beside it");
  const std::vector<SummaryRow> rows = read_summary(run.results.string());
  const auto failed =
      std::count_if(rows.begin(), rows.end(), [](const SummaryRow& row) { return row.status != "ok"; });
  const std::uint64_t all = read_provenance(run.results.string()).experiment_cells;
  return {run.results.string() + (all > rows.size() ? ": a part, " : ": complete, ") +
              cells_text(rows.size(), std::max<std::uint64_t>(all, rows.size()),
                         static_cast<std::uint64_t>(failed)),
          failed > 0 ? kVerdictAgainst : kAllWell};
}

Sight see_status(const RunStatus& status) {
  Sight sight;
  sight.text = status.experiment + ": " + cells_text(status.done, status.total, status.failed);
  if (status.state != "running" || is_dead(status)) {
    sight.text += status.state != "running" ? ", stopped after " : ", dead after ";
    sight.text += short_time(status.elapsed_s) + " (process " + std::to_string(status.pid) + " on " +
                  status.host + "); the same command finishes the rest";
    sight.exit_code = kEnvironment;
    return sight;
  }
  sight.is_last = false;
  sight.exit_code = status.failed > 0 ? kVerdictAgainst : kAllWell;
  sight.text += ", " + short_time(status.elapsed_s) + " gone";
  if (status.done == status.total) sight.text += ", results are being put together";
  constexpr double kLong = 60;
  if (silent_s(status) > kLong) sight.text += ", silent for " + short_time(silent_s(status));
  if (status.eta_s >= 0) sight.text += ", " + short_time(status.eta_s) + " left";
  if (status.running > 0) sight.text += ", " + std::to_string(status.running) + " running";
  if (!status.cell.empty())
    sight.text += "; " + status.cell + " " + formatted("%.0f %%", status.cell_share * 100);
  return sight;
}

Sight see(const WatchedRun& run) {
  std::error_code error;
  const std::string path = (run.cells / kStatus).string();
  if (!fs::exists(run.cells, error)) return see_results(run);
  try {
    return see_status(read_status(path));
  } catch (const InputError&) {
    // The run was completed since the folder was looked at: the file goes before the folder.
    std::this_thread::sleep_for(kBetweenLooks);
    if (!fs::exists(run.cells, error)) return see_results(run);
    throw;
  }
}

int watch(const WatchOptions& options) {
  const WatchedRun run = find_run(options.folder);
  const std::size_t width = terminal_width();
  const bool redraws = width > 0 && !options.once;
  for (;;) {
    const Sight sight = see(run);
    const bool is_last = sight.is_last || !redraws;
    const std::string line =
        is_last ? sight.text : printable(sight.text, width - std::min<std::size_t>(width, 4));
    write_text((redraws ? "\r\033[K" : "") + printable(line) + (is_last ? "\n" : ""));
    if (is_last) return sight.exit_code;
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

}  // namespace

void add_watch_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<WatchOptions>();
  CLI::App* command = app.add_subcommand("watch", "Show how far a run is that was started elsewhere");
  command->footer(
      "On a terminal a line that is drawn again each second until the run ends; elsewhere one line. Of a\n"
      "folder for results the run that was heard of last is shown.\n"
      "Examples:\n"
      "  harness watch\n"
      "  harness watch results-out/twelve.cells --once\n"
      "Exit codes: 0 complete, or running well; 1 cells were skipped or are invalid; 2 no such run; 3 the "
      "run\n"
      "was stopped or is dead: its process is gone or, on another host, has been silent for an hour.");
  command
      ->add_option("folder", options->folder,
                   "STEM.cells, or the folder that it lies in (default: results-out)")
      ->type_name("STEM.cells");
  command->add_flag("--once", options->once, "one line, on a terminal too");
  command->callback([options, &exit_code] { exit_code = watch(*options); });
}

}  // namespace harness
