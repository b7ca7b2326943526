#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/terminal.h"
#include "harness/core/build_info.h"
#include "harness/core/environment_error.h"
#include "harness/core/exit_codes.h"
#include "harness/core/input_error.h"
#include "harness/core/printable.h"
#include "harness/core/wording.h"
#include "harness/ranks/mpi_launch.h"

namespace harness {
namespace {

/// The least number of files that a process must be able to open. A simulated cell opens some 20 at once;
/// libraries of devices and of MPI open some more.
constexpr rlim_t kMinDescriptors = 64;

constexpr std::size_t kLongestMessage = 5000;
constexpr std::size_t kLongestUsage = 500;  // for a message about the command line

/// Prints the message as one line of printable characters, whatever it repeats; under mpirun one rank speaks
/// for all. Returns `code`.
int fail(int code, const std::string& message) {
  if (launched_rank() == 0) {
    std::string line = message.substr(0, message.find_last_not_of('\n') + 1);
    for (char& c : line) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    const char* name = has_colours(STDERR_FILENO) ? "\033[31mharness:\033[0m" : "harness:";
    std::fprintf(stderr, "%s %s\n", name, printable(line, kLongestMessage).c_str());
  }
  return code;
}

std::string version() {
  return version_text() + "\ncommit " + kGitCommit + (kGitDirty ? " with local changes" : "");
}

/// Throws InputError for a first word that is neither a command nor a file, such as a mistyped command.
void check_command(const CLI::App& app, const std::string& word) {
  std::error_code error;
  if (word.empty() || word[0] == '-' || word.find_first_of("./") != std::string::npos ||
      std::filesystem::exists(word, error))
    return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (std::find(known.begin(), known.end(), word) != known.end()) return;
  const std::string near = nearest_name(word, known);
  throw input_error({"", 0, "command line"},
                    "unknown command '" + word + "'" + (near.empty() ? "" : ", did you mean '" + near + "'?"),
                    "an experiment FILE.toml, or one of " + join_names(known));
}

/// Throws InputError for an empty argument, which comes from a script's variable that is not set: as a folder
/// it would be the root folder.
void check_arguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool is_option = argument.starts_with("-") && argument.ends_with("=");
    if (!argument.empty() && !is_option) continue;
    const std::string option = is_option ? std::string(argument) : (i > 1 ? argv[i - 1] : "first argument");
    throw input_error({"", 0, "command line"}, "an empty value at " + option, "a value, or no such argument");
  }
}

void add_commands(CLI::App& app, int& exit_code) {
  add_run_command(app, exit_code);
  add_show_command(app, exit_code);
  add_figures_command(app, exit_code);
  add_report_command(app, exit_code);
  add_trend_command(app, exit_code);
  add_claims_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_diff_command(app, exit_code);
  add_fit_command(app, exit_code);
  add_robust_command(app, exit_code);
  add_replay_command(app, exit_code);
  add_explain_command(app, exit_code);
  add_timeline_command(app, exit_code);
  add_trace_command(app, exit_code);
  add_profile_command(app, exit_code);
  add_list_command(app, exit_code);
  add_check_command(app, exit_code);
  add_new_command(app, exit_code);
  add_collect_command(app, exit_code);
  add_watch_command(app, exit_code);
  add_doctor_command(app, exit_code);
  add_completion_commands(app, exit_code);
}

int run(int argc, char** argv) {
  int exit_code = 0;
  CLI::App app("Compares serving systems for inference pipelines on the same workloads", "harness");
  app.footer(
      "Examples:\n"
      "  harness experiments/quickstart.toml                  run it; results-out/quickstart.h5\n"
      "  harness experiments/quickstart.toml --dry-run        the cells and their plans\n"
      "  harness experiments/quickstart.toml -o out --set workload.loads=[0.8,1.2] --set "
      "serving.commit=late\n"
      "  harness -n 8 experiments/pard/overall.toml           the cells spread over 8 MPI ranks\n"
      "  harness SUITE.toml                                   each experiment of suite = [\"a.toml\", ...]\n"
      "  harness doctor -n 9 E.toml                           checks machine and ranks for it\n"
      "  harness new experiment mine                          mine.toml, an experiment to start from\n"
      "  harness show results-out/quickstart.h5               a row per cell\n"
      "  harness figures results-out/quickstart.h5 -o figures\n"
      "  harness report results-out/quickstart.h5             a page with tables and plots, for a browser\n"
      "  harness robust experiments/quickstart.toml           which orders hold under other shared settings\n"
      "  harness claims                                       which of the papers' claims hold\n"
      "  harness fit experiments/pard/best-fit.toml           which open choices agree best with a paper's "
      "claims\n"
      "  harness compare base.h5 results-out/quickstart.h5    finds regressions\n"
      "  harness diff base.h5 results-out/quickstart.h5       which settings differ, and what moved\n"
      "  harness replay results-out/quickstart.h5             verifies recorded decisions\n"
      "  harness explain results-out/quickstart.h5 --cell 4 --worst 5    why requests were late or dropped\n"
      "  harness timeline results-out/quickstart.h5 --cell 3 -o t.pftrace    a run to look into\n"
      "  harness profile --pipeline tm -o tm.toml             measures models here, for `profiles = ...`\n"
      "  harness profile --profiles tm.toml --goodput 250 -o tm.toml    what one GPU serves within 250 ms\n"
      "  harness experiments/shepherd/two-streams.toml        streams of requests to independent models\n"
      "  harness trace cv maf-bursty --rate 6000              how much such streams vary\n"
      "Exit codes: 0 well; 1 a check failed: skipped or invalid cells, worse claims, or regressions; 2 bad "
      "input; 3 the "
      "environment failed or interrupted.");
  app.set_version_flag("--version", version());
  app.require_subcommand(0, 1);
  add_commands(app, exit_code);
  check_arguments(argc, argv);
  if (argc > 1) check_command(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    if (launched_rank() == 0) app.exit(success);
  } catch (const CLI::ParseError& error) {
    std::string command = "harness";
    for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      command += " " + at->get_name();
    }
    return fail(kBadInput, printable(error.what(), kLongestUsage) + " (see " + command + " --help)");
  }
  return exit_code;
}

/// Opens /dev/null for standard files that are closed: otherwise the next files that are opened would take
/// their place, and get what is printed.
void open_standard_files() {
  int opened = 0;
  do {
    opened = ::open("/dev/null", O_RDWR);
  } while (opened >= 0 && opened <= STDERR_FILENO);
  if (opened >= 0) ::close(opened);
  if (::fcntl(STDERR_FILENO, F_GETFD) < 0) throw EnvironmentError("/dev/null: cannot be opened");
}

/// True if messages were lost because nobody reads standard error any more; a loss for another reason does
/// not count.
bool has_lost_its_reader() {
  pollfd error{STDERR_FILENO, POLLOUT, 0};
  return std::ferror(stderr) != 0 && ::poll(&error, 1, 0) == 1 && (error.revents & POLLERR) != 0;
}

/// Throws EnvironmentError if a process may open too few files: they would be missing in the middle of a run,
/// or in a library that does not say so.
void check_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kMinDescriptors) return;
  throw EnvironmentError("a process may open only " + std::to_string(limit.rlim_cur) +
                         " files here; at least " + std::to_string(kMinDescriptors) +
                         " are needed (ulimit -n " + std::to_string(kMinDescriptors) + ")");
}

int run_program(int argc, char** argv) {
  // A write beyond a file-size limit, or to a pipe that nobody reads, fails instead of killing.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    open_standard_files();
    check_descriptors();
    const int exit_code = run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      return fail(kEnvironment, "standard output: cannot be written");
    return has_lost_its_reader() ? kEnvironment : exit_code;
  } catch (const InputError& error) {
    return fail(kBadInput, error.what());
  } catch (const EnvironmentError& error) {
    return fail(kEnvironment, error.what());
  } catch (const std::exception& error) {
    return fail(kEnvironment, reason_of(error));
  }
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) { return harness::run_program(argc, argv); }
