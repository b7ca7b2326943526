#include "harness/experiment/storing/recorded_cell.h"

#include "harness/core/input_error.h"
#include "harness/engine/dispatch/initial_plan.h"

namespace harness {

RecordedCell::RecordedCell(const std::string& path, std::uint32_t index, const std::string& toml,
                           const std::string& folder, std::optional<Runtime> runtime)
    : spec_(parse_recorded_cell(path + " " + cell_place(index), toml)) {
  spec_.folder = folder;
  spec_.folder_note = " (--folder says where relative paths start)";
  if (runtime) spec_.runtimes = {*runtime};
  factory_.emplace(spec_, "");
  if (toml.find(factory_->checksums(cell())) == std::string::npos)
    throw input_error({path, 0, cell_place(index)}, "another pipeline or other profiles than those here now",
                      "a run on the pipeline and profiles as they are");
}

RunSpec RecordedCell::make_world() {
  RunSpec run = factory_->make_world(cell());
  if (run.devices.size() > 1) settle_devices(run, prepare().plan);
  return run;
}

}  // namespace harness
