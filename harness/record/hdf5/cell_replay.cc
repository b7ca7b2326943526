#include "harness/record/hdf5/cell_replay.h"

#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/results_format.h"
#include "harness/record/hdf5/results_reader.h"
#include "harness/record/hdf5/stored_replay.h"

namespace harness {

CellReplay read_cell_replay(const std::string& path, std::uint32_t index) {
  const ResultsReader file(path);
  return file.read([&] {
    const Hdf5Handle group = open_group(file.root(), cell_group_name(index));
    return CellReplay{read_text_attribute(group.get(), "effective_toml"), read_replay(group.get())};
  });
}

}  // namespace harness
