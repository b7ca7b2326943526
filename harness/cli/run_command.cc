#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "harness/cli/commands.h"
#include "harness/cli/launch.h"
#include "harness/cli/printing.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/experiment/running/driver.h"
#include "harness/experiment/running/experiment_part.h"
#include "harness/experiment/running/run_console.h"
#include "harness/experiment/running/run_options.h"
#include "harness/experiment/storing/build_provenance.h"
#include "harness/experiment/storing/cell_store.h"
#include "harness/experiment/storing/joined_parts.h"

namespace harness {

void add_run_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  app.add_option("file", options->file, "experiment or suite of experiments to run (docs/experiment.md)")
      ->type_name("FILE.toml");
  app.add_option("-o,--output", options->folder, "folder for the results (default: results-out)")
      ->type_name("DIR");
  // One value per --set: without this the option would swallow the file's name.
  app.add_option(
         "--set", options->overrides,
         "set a key of the experiment, of each one of a suite, such as planner.sizing_factor=2; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* dry_run =
      app.add_flag("--dry-run", options->dry_run, "print the cells and their plans; write nothing");
  app.add_flag("--json", options->json, "with --dry-run: as JSON (docs/commands.md)")->needs(dry_run);
  CLI::Option* fresh =
      app.add_flag("--fresh", options->fresh,
                   "start over: earlier results of this experiment stay until new ones take their place");
  app.add_flag("--rerun-failed", options->again, "run cells once more that were skipped or came out invalid")
      ->excludes(fresh);
  app.add_flag("--allow-skipped", options->allow_skipped,
               "exit with 0 although cells were skipped or are invalid");
  const auto progress = std::make_shared<std::string>("text");
  CLI::Option* form = app.add_option("--progress", *progress,
                                     "how far the run is, on standard error: text, json (a line per event, "
                                     "docs/commands.md) or none")
                          ->check(CLI::IsMember({"text", "json", "none"}));
  const auto quiet = std::make_shared<bool>(false);
  app.add_flag("--quiet", *quiet, "--progress none")->excludes(form);
  const auto part = std::make_shared<std::string>();
  app.add_option(
         "--part", *part,
         "run only the K-th of N parts of the cells, in a folder of its own (harness collect joins them)")
      ->type_name("K/N");
  add_ranks_option(app);
  app.parse_complete_callback([&app] {
    if (app.get_subcommands().empty()) return;
    const std::string command = app.get_subcommands().front()->get_name();
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() == 0 || (command == "doctor" && option->check_name("--ranks"))) continue;
      const std::string given = option == app.get_option("file")
                                    ? "the experiment " + option->as<std::string>()
                                    : option->get_name();
      throw input_error({"", 0, "command line"}, given + " beside the command " + command,
                        "an experiment or a command");
    }
  });
  app.final_callback([&app, &exit_code, options, progress, quiet, part] {
    if (!app.get_subcommands().empty()) return;
    if (options->file.empty())
      throw input_error({"", 0, "command line"}, "no experiment file", "harness FILE.toml");
    options->progress = *quiet || *progress == "none" ? ProgressForm::kQuiet
                        : *progress == "json"         ? ProgressForm::kJson
                                                      : ProgressForm::kText;
    if (!part->empty()) options->part = parse_part(*part);
    launch_if_asked(app, options->progress == ProgressForm::kText);
    exit_code = run_experiment(*options);
  });
}

namespace {

/// Returns what is not well: ", 2 skipped or invalid; of the experiment's 18 cells are missing: 0, 5, 7, 10,
/// 12 and 1 more".
std::string joined_text(const JoinedParts& joined) {
  std::string text;
  if (joined.failed > 0) text = ", " + std::to_string(joined.failed) + " skipped or invalid";
  if (joined.missing == 0) return text;
  text += "; of the experiment's " + counted(joined.missing + joined.cells, "cell") + " are missing: ";
  for (std::size_t i = 0; i < joined.absent.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(joined.absent[i]);
  const std::size_t more = joined.missing - joined.absent.size();
  return text + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

}  // namespace

void add_collect_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  const auto sources = std::make_shared<std::vector<std::string>>();
  const auto output = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("collect", "Assemble the finished cells of an unfinished run, or join parts");
  command->footer(
      "Cells that were being run when the run was stopped are not in it; running the experiment again "
      "finishes\n"
      "them. Parts are results of harness E.toml --part K/N; running the experiment without --part in the\n"
      "folder of what they are joined in runs what is missing.\n"
      "Examples:\n"
      "  harness collect results-out/twelve.cells\n"
      "  harness collect parts/*/twelve.h5 -o results-out/twelve.h5\n"
      "Exit codes: 0 assembled; 2 no such folder, no finished cell, or parts that do not belong together;\n"
      "3 the environment failed.");
  command
      ->add_option(
          "sources", *sources,
          "the folder STEM.cells; STEM.h5 is written beside it. Or results of parts of an experiment")
      ->required()
      ->type_name("STEM.cells | PART.h5...");
  command->add_option("-o,--output", *output, "of parts: the results file that they are joined in")
      ->type_name("FILE.h5");
  command->callback([sources, output] {
    const std::string& first = sources->front();
    if (output->empty()) {
      if (sources->size() > 1 || first.ends_with(".h5"))
        throw input_error({"", 0, "command line"}, "parts to be joined without -o",
                          "harness collect PART.h5... -o FILE.h5, or one folder STEM.cells");
      const std::size_t cells = collect_cells(first, build_provenance());
      print_formatted("%s collected from %s\n", counted(cells, "finished cell").c_str(), first.c_str());
    } else {
      for (const std::string& source : *sources) {
        if (std::filesystem::path(source).extension() != ".cells") continue;
        throw input_error({source, 0, ""}, "a folder with -o",
                          "harness collect STEM.cells, which makes STEM.h5 beside it, a part to be joined");
      }
      const JoinedParts joined = collect_parts(*sources, *output);
      print_formatted("%s: %s%s\n", output->c_str(), counted(joined.cells, "cell").c_str(),
                      joined_text(joined).c_str());
    }
  });
}

}  // namespace harness
