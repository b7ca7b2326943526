#include "harness/record/hdf5/stored_window.h"

#include <cstddef>

namespace harness {

std::vector<StoredWindow> stored_windows(const RunRecord& record) {
  std::vector<StoredWindow> rows;
  for (const WindowCounts& counts : record.windows) {
    rows.push_back({static_cast<TimeNs>(rows.size()) * record.window_ns, counts});
  }
  return rows;
}

std::vector<StoredModuleWindow> stored_module_windows(const RunRecord& record) {
  std::vector<StoredModuleWindow> rows;
  const std::size_t modules = record.modules.size();
  for (std::size_t i = 0; i < record.module_windows.size(); ++i) {
    rows.push_back({static_cast<TimeNs>(i / modules) * record.window_ns,
                    static_cast<std::uint16_t>(i % modules), record.module_windows[i]});
  }
  return rows;
}

std::vector<StoredSample> stored_samples(const RunRecord& record) {
  std::vector<StoredSample> rows;
  for (const std::int64_t waiting : record.queue_samples)
    rows.push_back({queue_sample_ns(record, rows.size()), waiting});
  return rows;
}

}  // namespace harness
