// The commands of `harness`. Each of the functions adds one to `app`. The command prints to standard output,
// throws InputError for errors in its arguments and files and EnvironmentError for other failures, and sets
// `exit_code`, which outlives the parse, if it is not 0.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace harness {

/// `harness FILE.toml` runs an experiment: the arguments of the top level.
void add_run_command(CLI::App& app, int& exit_code);
/// `harness show RESULTS.h5` prints a row per cell, or with --paired a comparison paired by seed.
void add_show_command(CLI::App& app, int& exit_code);
/// `harness figures RESULTS.h5` draws the figures of an experiment with results/figures/draw.py; 2: a name
/// (of a figure, a style, a font, a system) is unknown or nothing could be drawn (the script has said so).
/// The environment variable HARNESS_PYTHON overrides the interpreter (with h5py and matplotlib) that the
/// build found, and HARNESS_HOME the folder that holds results/, with figures/ and harness_results/
/// (home_folder()).
void add_figures_command(CLI::App& app, int& exit_code);
/// `harness report RESULTS.h5 ...` writes one page for a browser with results/report/report.py, by the same
/// interpreter; 3: the page cannot be written (the script has said so).
void add_report_command(CLI::App& app, int& exit_code);
/// `harness trend RESULTS.h5 ...` shows the course of metrics over past results, with
/// results/report/trend.py; 3: the package ruptures is missing, or the page cannot be written (the script has
/// said so).
void add_trend_command(CLI::App& app, int& exit_code);
/// `harness claims [RESULTS.h5 ...]` prints what the results say about the papers' claims; 1: a claim came
/// out worse than the claims file expects (with --strict: some claim is not reproduced).
void add_claims_command(CLI::App& app, int& exit_code);
/// `harness compare BASE.h5 NEW.h5` prints what became worse, and `harness compare --fidelity RESULTS.h5` how
/// true the simulation is; 1: a metric is a regression, or a fidelity is beyond its tolerance. For cells that
/// cannot be compared it throws after the report of the rest.
void add_compare_command(CLI::App& app, int& exit_code);
/// `harness diff BASE.h5 NEW.h5` prints which settings differ, and what moved beyond the noise of the seeds.
void add_diff_command(CLI::App& app, int& exit_code);
/// `harness fit FILE.toml` searches the parameters that a paper leaves open (harness/fit).
void add_fit_command(CLI::App& app, int& exit_code);
/// `harness robust FILE.toml` runs an experiment under other shared settings and says which orders hold.
void add_robust_command(CLI::App& app, int& exit_code);
/// Adds the option --library of commands that repeat a system's decisions: the libraries from which systems
/// may come.
CLI::Option* add_library_option(CLI::App& command, std::vector<std::string>& libraries);
/// Adds that option and the one for the folder of the experiment.
std::array<CLI::Option*, 2> add_run_again_options(CLI::App& command, std::string& folder,
                                                  std::vector<std::string>& libraries);
/// `harness timeline RESULTS.h5 --cell N -o FILE` writes the cell as a trace for Perfetto's page.
void add_timeline_command(CLI::App& app, int& exit_code);
/// `harness replay RESULTS.h5` repeats the decisions of recorded runs; 1: something differs.
void add_replay_command(CLI::App& app, int& exit_code);
/// `harness explain RESULTS.h5` prints the life of a request, or the batches that ran and the requests that
/// waited at a moment.
void add_explain_command(CLI::App& app, int& exit_code);
/// `harness trace info|make|import|cv`; 1: `trace import` did not find every trace.
void add_trace_command(CLI::App& app, int& exit_code);
/// `harness trace cv`, a command of `trace`, prints how predictable streams and groups of streams are
/// (SHEPHERD, Figures 2 and 5).
void add_trace_cv_command(CLI::App& trace);
/// `harness profile` measures models on a device of this machine and writes their profiles (docs/profile.md),
/// each as soon as it is measured, so that a later failure loses nothing; 1: a model failed and others are in
/// the file. If it throws, nothing was written. Under mpirun rank 0 measures alone.
void add_profile_command(CLI::App& app, int& exit_code);
/// `harness check FILE ...` tells what a file is, and if it is sound, with all that it names; 1: some cells
/// of an experiment cannot run.
void add_check_command(CLI::App& app, int& exit_code);
/// `harness new system|pipeline|profile|experiment NAME` writes a template to start from; nothing is
/// overwritten.
void add_new_command(CLI::App& app, int& exit_code);
/// Prints the same as `harness list figures`.
void print_figure_names();
/// `harness list systems|pipelines|profiles|...` prints a list.
void add_list_command(CLI::App& app, int& exit_code);
/// `harness collect DIR/STEM.cells` writes a results file of the cells that an unfinished run has finished.
void add_collect_command(CLI::App& app, int& exit_code);
/// `harness watch DIR` prints how far a run is; 1: cells were skipped or are invalid, 3: it was stopped or is
/// dead.
void add_watch_command(CLI::App& app, int& exit_code);
/// `harness doctor` tells if this machine, or this job's ranks, can run an experiment, and how well; 1:
/// something will not work. Under mpirun all ranks take part and rank 0 prints.
void add_doctor_command(CLI::App& app, int& exit_code);
/// `harness completion SHELL` prints a script that completes commands, and `harness man -o DIR` writes manual
/// pages: both for the commands that `app` has at this call.
void add_completion_commands(CLI::App& app, int& exit_code);

}  // namespace harness
