#include "harness/cli/commands.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "harness/experiment/storing/cell_store.h"

namespace harness {

void add_collect_command(CLI::App& app, int& exit_code) {
  static_cast<void>(exit_code);
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("collect", "Assemble the finished cells of an unfinished run");
  command->footer(
      "Cells that were being run when the run was stopped are not in it; running the experiment again "
      "finishes\n"
      "them.\n"
      "Example:\n"
      "  harness collect results-out/twelve.cells\n"
      "Exit codes: 0 assembled; 2 no such folder, or no finished cell; 3 the environment failed.");
  command->add_option("folder", *folder, "the folder STEM.cells; STEM.h5 is written beside it")
      ->required()
      ->type_name("STEM.cells");
  command->callback([folder] {
    const std::size_t cells = collect_cells(*folder, build_provenance());
    std::printf("%zu finished cells collected from %s\n", cells, folder->c_str());
  });
}

}  // namespace harness
