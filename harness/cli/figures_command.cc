#include "harness/cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/python_script.h"
#include "harness/core/input_error.h"
#include "harness/files/file_bytes.h"
#include "harness/record/hdf5/cv_table.h"
#include "harness/record/hdf5/fit_tables.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

struct FiguresOptions {
  std::string results;
  std::string folder;
  int limit = 12;
  std::vector<std::string> only;
  std::string style;
  std::string font;
  std::vector<std::string> rename;
  bool no_caption = false;
  bool list = false;
};

void require_something_to_draw(const std::string& path) {
  if (path.ends_with(".csv") || path.ends_with(".txt")) {
    const std::string text = read_file(path);
    const auto is_text = [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r'; };
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_text))
      throw input_error({path, 0, ""}, "no text",
                        "a table of harness trace cv --csv or list variants, or exit-points.txt");
    return;
  }
  require_own_objects(path);
  if (is_cv_table(path) || is_fit(path)) return;
  const std::vector<SummaryRow> rows = read_summary(path);
  if (std::none_of(rows.begin(), rows.end(), [](const SummaryRow& row) { return row.status == "ok"; })) {
    throw input_error({path, 0, "summary"}, "no cell with results to draw", "at least one that is ok");
  }
}

int draw(FiguresOptions options) {
  if (options.results.empty())
    throw InputError("harness figures: no results file; allowed: RESULTS.h5, or --list");
  require_something_to_draw(options.results);
  if (options.folder.empty()) {
    const std::filesystem::path results(options.results);
    options.folder = (results.parent_path() / (results.stem().string() + "-figures")).string();
  }
  std::vector<std::string> words = {options.results, "-o", options.folder, "--limit",
                                    std::to_string(options.limit)};
  for (const std::string& name : options.only) words.push_back("--only=" + name);
  if (!options.style.empty()) words.push_back("--style=" + options.style);
  if (!options.font.empty()) words.push_back("--font=" + options.font);
  for (const std::string& names : options.rename) words.push_back("--rename=" + names);
  if (options.no_caption) words.push_back("--no-caption");
  return run_python_script("results/figures/draw.py", std::move(words),
                           "the figures could not be drawn (see above)");
}

/// Adds the options for the look of all figures and for their names of systems. draw.py knows which values
/// there are.
void add_look(CLI::App& command, FiguresOptions& options) {
  command
      .add_option("--style", options.style, "for a paper: pages as wide as its column, text of at least 7 pt")
      ->type_name("{acm-1col,acm-2col,usenix,slides}");
  command.add_flag("--no-caption", options.no_caption,
                   "write captions beside the figures (STEM.txt), not into them");
  command.add_option("--font", options.font, "font of all text, one that matplotlib finds")
      ->type_name("NAME");
  command
      .add_option("--rename", options.rename,
                  "call a system, or SYSTEM/VARIANT, by another name in the figures; repeatable")
      ->type_name("A=B")
      ->allow_extra_args(false);
}

}  // namespace

void add_figures_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<FiguresOptions>();
  CLI::App* command = app.add_subcommand("figures", "Draw the figures of a results file as PDF and PNG");
  command->footer(
      "Examples:\n"
      "  harness figures quickstart.h5\n"
      "  harness figures quickstart.h5 -o figures --limit 2\n"
      "  harness figures overall.h5 --only pard/fig8 --only pard/fig11\n"
      "  harness figures mine.h5 --style acm-1col --no-caption --font \"Linux Libertine O\" --rename "
      "mine=Ours\n"
      "  harness figures cv.h5\n"
      "  harness figures variants.csv\n\n"
      "Draws the figures that the experiment names (figures = [\"pard/fig8\", ...]), without such a list "
      "the\n"
      "general ones. --list shows the names. A figure whose data the file lacks is left out, with a line "
      "that\n"
      "says why.");
  command
      ->add_option("results", options->results,
                   "results file, or table of harness trace cv (HDF5; CSV too), of list variants (CSV), or "
                   "exit-points.txt")
      ->type_name("RESULTS.h5");
  command
      ->add_option("-o,--output", options->folder,
                   "folder for the figures (default: RESULTS-figures beside the file)")
      ->type_name("DIR");
  command
      ->add_option(
          "--limit", options->limit,
          "workloads (pipeline, trace, load) that get figures of their own, the first ones of the file")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command
      ->add_option(
          "--only", options->only,
          "draw this figure, whatever the experiment names; repeatable; 'general': the figures of every file")
      ->type_name("NAME")
      ->allow_extra_args(false);
  add_look(*command, *options);
  command->add_flag("--list", options->list, "print the names of the figures and what they show");
  command->callback([options, &exit_code] {
    if (options->list)
      print_figure_names();
    else
      exit_code = draw(*options);
  });
}

}  // namespace harness
