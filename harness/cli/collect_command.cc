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
  command->add_option("folder", *folder, "the folder STEM.cells; STEM.h5 is written beside it")
      ->required()
      ->type_name("STEM.cells");
  command->callback([folder] {
    const std::size_t cells = collect_cells(*folder, build_provenance());
    std::printf("%zu finished cells collected from %s\n", cells, folder->c_str());
  });
}

}  // namespace harness
