#include "harness/cli/commands.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/launch.h"
#include "harness/cli/printing.h"
#include "harness/cli/terminal.h"
#include "harness/core/exit_codes.h"
#include "harness/core/wording.h"
#include "harness/doctor/experiment_layout.h"
#include "harness/doctor/host_checks.h"
#include "harness/doctor/launch.h"
#include "harness/doctor/server_checks.h"
#include "harness/doctor/survey_checks.h"
#include "harness/doctor/survey_ranks.h"
#include "harness/experiment/cells/device_need.h"
#include "harness/experiment/cells/rank_machine.h"
#include "harness/live/transport/mpi_transport.h"
#include "harness/live/transport/transport.h"
#include "harness/machine/cpu_facts.h"
#include "harness/machine/machine_checks.h"
#include "harness/machine/overshoot.h"
#include "harness/machine/pinned_thread.h"
#include "harness/machine/remove_mpi_leftovers.h"
#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/mpi_launch.h"
#include "harness/ranks/on_all_ranks.h"
#include "harness/ranks/rank_report.h"

namespace harness {
namespace {

struct DoctorOptions {
  std::string file;
  std::string folder = "results-out";
  std::vector<std::string> overrides;
  bool clean = false;
};

constexpr int kSleeps = 200;

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

/// True if the program ends with 0; its output is thrown away.
bool succeeds(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  for (const int file : {1, 2}) ::posix_spawn_file_actions_addopen(&quiet, file, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &quiet, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&quiet);
  if (error != 0) return false;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Check check_python() {
  const std::string python = variable("HARNESS_PYTHON", HARNESS_PYTHON);
  if (succeeds({python, "-c", "import h5py, numpy, matplotlib"}))
    return {CheckLevel::kOk, "figures", python + " has h5py, numpy and matplotlib", ""};
  return {CheckLevel::kWarn, "figures", python + " is missing or lacks h5py, numpy or matplotlib",
          "harness figures and recorded traces need them: ci/setup, or set HARNESS_PYTHON"};
}

/// Returns the stolen share of a busy quarter of a second.
std::optional<double> measure_stolen_time() {
  const CpuClocks before = read_cpu_clocks();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(250);
  while (std::chrono::steady_clock::now() < end) {
  }
  return share_stolen(before, read_cpu_clocks());
}

/// Returns the checks of this host; they are made on each host.
std::vector<Check> look_at_host(const MachineFiles& files, int ranks_here, int ranks) {
  // The load comes first, so that it does not include the work done here.
  Check load = check_load(files);
  return {std::move(load),
          check_stolen_time(measure_stolen_time()),
          check_clock_source(files),
          check_frequency(files),
          check_sleeps(measure_slack(kSleeps, kNsPerMs)),
          check_own_socket(),
          check_open_files(files, ranks),
          check_locked_memory(files),
          check_shared_memory(files, ranks_here)};
}

int print(const std::vector<Check>& checks) {
  int warnings = 0;
  int failures = 0;
  for (const Check& check : checks) {
    print_verdicts(text_of(check) + "\n");
    if (check.level == CheckLevel::kWarn) ++warnings;
    if (check.level == CheckLevel::kFail) ++failures;
  }
  print_formatted("%d failed, %d warned, %d well\n", failures, warnings,
                  static_cast<int>(checks.size()) - failures - warnings);
  return failures > 0 ? kVerdictAgainst : kAllWell;
}

/// Gathers the ranks' machines at rank 0, which alone knows the needs; nothing if nothing is needed.
std::vector<RankMachine> gather_needed(CellDistribution& cells,
                                       std::span<const ExperimentLayout::Devices> devices) {
  if (cells.share(devices.empty() ? 0 : 1) == 0) return {};
  const bool gpus = std::any_of(devices.begin(), devices.end(), [](const ExperimentLayout::Devices& one) {
    return asks_for_gpus(one.needs);
  });
  return gather_machines(cells, cells.share(gpus ? 1 : 0) != 0);
}

int clean() {
  const std::vector<std::string> removed = remove_mpi_leftovers(usual_mpi_folders());
  for (const std::string& path : removed) print_formatted("removed %s\n", path.c_str());
  std::printf("%s of killed MPI jobs removed\n", counted(removed.size(), "leftover").c_str());
  return kAllWell;
}

int examine(const DoctorOptions& options) {
  CellDistribution cells;
  ExperimentLayout experiment;
  on_all_ranks(cells, options.file, [&](RankReport&) {
    if (cells.rank() == 0 && !options.file.empty()) experiment = read_layout(options.file, options.overrides);
  });
  const std::vector<RankMachine> machines = gather_needed(cells, experiment.devices);
  const MachineFiles files;
  const int ranks = cells.ranks();
  const std::unique_ptr<Transport> transport = make_mpi_transport();
  const std::vector<RankFacts> facts =
      survey_ranks(*transport, files, [&](int ranks_here) { return look_at_host(files, ranks_here, ranks); });
  if (facts.empty()) return kAllWell;
  Launch launch = launch_of_this_process();
  launch.library = mpi_library();
  std::vector<Check> checks = {check_launch(launch, facts)};
  const auto append = [&](std::vector<Check> more) {
    std::move(more.begin(), more.end(), std::back_inserter(checks));
  };
  append(check_silent(facts));
  if (!options.file.empty()) append(check_layout(experiment, ranks, allowed_cores()));
  append(check_devices(experiment, machines));
  if (experiment.on_servers > 0) append(check_servers(options.file, options.overrides));
  append(check_hosts(facts));
  if (ranks > 1) append({check_wakes(facts), check_links(facts), check_clocks(facts)});
  append({check_output_folder(options.folder),
          check_file_locking(options.folder, variable("HDF5_USE_FILE_LOCKING", "")), check_python()});
  return print(checks);
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "Check this machine and this job's MPI ranks, and suggest fixes");
  command->footer(
      "Examples:\n"
      "  harness doctor\n"
      "  harness doctor -n 9 experiments/fidelity.toml    as mpirun -n 9 harness doctor ... does\n"
      "  harness doctor --clean       after jobs of MPI that were killed\n\n"
      "One line for each finding: ok, warn (it works, with times that scatter more) or fail, what was "
      "found,\n"
      "what to do. Ends with 1 when something failed. docs/cluster.md explains the lines.");
  command->add_option("file", options->file, "experiment or suite whose layout is to fit the ranks")
      ->type_name("FILE.toml");
  command->add_option("-o,--output", options->folder, "folder that results will go to (default: results-out)")
      ->type_name("DIR");
  command->add_option("--set", options->overrides, "set a key of the experiment; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag(
      "--clean", options->clean,
      "only remove shared memory and session folders that killed MPI jobs of this user left here");
  add_ranks_option(*command);
  command->callback([&exit_code, options, command] {
    launch_if_asked(*command, true);
    try {
      exit_code = options->clean ? clean() : examine(*options);
    } catch (const RankStopped&) {
      exit_code = kAllWell;  // rank 0 says what is wrong
    }
  });
}

}  // namespace harness
