#include "harness/experiment/recorded_cell.h"

namespace harness {

std::string cell_place(std::uint32_t index) { return "cells/" + std::to_string(index); }

RecordedCell::RecordedCell(const std::string& path, std::uint32_t index, const std::string& toml,
                           const std::string& folder, std::optional<Runtime> runtime)
    : spec_(parse_experiment(path + " " + cell_place(index), toml, {})) {
  spec_.folder = folder;
  spec_.folder_note = " (--folder says where relative paths start)";
  if (runtime) spec_.runtimes = {*runtime};
  factory_.emplace(spec_, "");
  if (toml.find(factory_->checksums(cell())) == std::string::npos)
    throw input_error({path, 0, cell_place(index)}, "another pipeline or other profiles than those here now",
                      "a run on the pipeline and profiles as they are");
}

}  // namespace harness
