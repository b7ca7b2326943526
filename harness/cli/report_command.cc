#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.h"
#include "harness/cli/python_script.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

struct ReportOptions {
  std::vector<std::string> results;
  std::string output;
};

int write_report(const ReportOptions& options) {
  for (const std::string& path : options.results) {
    require_own_objects(path);
    read_summary(path);  // refuses what is no sound results file
  }
  std::string output = options.output;
  if (output.empty())
    output = std::filesystem::path(options.results.front()).replace_extension(".html").string();
  std::error_code error;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  std::vector<std::string> words = {"--harness=" + program, "--output=" + output, "--"};
  words.insert(words.end(), options.results.begin(), options.results.end());
  return run_python_script("results/report/report.py", std::move(words),
                           "the report could not be written (see above)");
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* command =
      app.add_subcommand("report", "Write a page for a browser: tables, plots and claims of results");
  command->footer(
      "Examples:\n"
      "  harness report results-out/overall.h5\n"
      "  harness report before.h5 after.h5 -o changes.html\n\n"
      "One file that works without a network: results by configuration and cell, goodput and SLO attainment\n"
      "over load, each cell over time, drops, latencies, plans, cost, claims, settings. Further files are\n"
      "compared with the first, paired by seed. Plots need the Python package vl-convert-python (ci/setup\n"
      "installs it); without it the page has the tables alone. Exit codes: 0; 2 a file is no results file, "
      "or\n"
      "the page would replace one; 3 the page cannot be written.");
  command->add_option("results", options->results, "results files (HDF5)")
      ->type_name("RESULTS.h5")
      ->required();
  command
      ->add_option("-o,--output", options->output, "the page (default: RESULTS.html beside the first file)")
      ->type_name("FILE.html");
  command->callback([options, &exit_code] { exit_code = write_report(*options); });
}

}  // namespace harness
