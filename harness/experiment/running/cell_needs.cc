#include "harness/experiment/running/cell_needs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>

#include "harness/core/cell_failed.h"
#include "harness/core/input_error.h"
#include "harness/experiment/running/short_text.h"
#include "harness/machine/machine_files.h"
#include "harness/machine/process_memory.h"
#include "harness/machine/steady_clock.h"
#include "harness/record/run/module_window.h"
#include "harness/record/run/request_row.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/visit_row.h"
#include "harness/record/run/window_counts.h"

namespace harness {
namespace {

// Measured with the pipelines of the catalogue.
constexpr double kBytesInFlight = 250;  // bytes of a request, with its visits
constexpr double kBytesPerRow = 7;      // bytes of a request or a visit on disk, compressed
constexpr double kBytesPerState = 80;   // bytes of what one module publishes once
constexpr double kBytesOfReplay = 24;   // bytes of a visit, in memory
constexpr double kCopies = 2;           // number of copies of a table that is being written

struct Part {
  double bytes = 0;
  const char* key = "";
};

}  // namespace

CellNeeds needs_of(const PreparedCell& prepared, const ExperimentSpec& spec) {
  const auto modules = static_cast<double>(prepared.module_names.size());
  const double requests = prepared.expected_requests;
  const double visits = requests * prepared.visits_per_request;
  const double windows = prepared.duration_s / ns_to_s(RunRecord().window_ns);
  const double periods = prepared.duration_s * 1000 / prepared.settings.serving.state_period_ms;
  const std::uint32_t cell = prepared.cell.index;
  const double kept = spec.rows.has(cell) && is_live(prepared)
                          ? requests * sizeof(RequestRow) + visits * sizeof(VisitRow)
                          : 0;
  const std::array<Part, 5> parts = {
      Part{windows * (sizeof(WindowCounts) + modules * sizeof(ModuleWindow)) * kCopies,
           "workload.duration_s"},
      Part{std::min(requests, prepared.offered_rps * ns_to_s(prepared.slo_ns)) * kBytesInFlight,
           spec.workload.rates_rps.empty() ? "workload.loads" : "workload.rates_rps"},
      Part{kept, "record.rows"},
      Part{spec.states.has(cell) ? periods * modules * kBytesPerState * kCopies : 0, "record.states"},
      Part{spec.replay.has(cell) ? visits * kBytesOfReplay : 0, "record.replay"},
  };
  CellNeeds needs;
  for (const Part& part : parts) needs.memory_bytes += part.bytes;
  needs.key = std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
                return a.bytes < b.bytes;
              })->key;
  if (spec.rows.has(cell)) needs.row_bytes = (requests + visits) * kBytesPerRow;
  return needs;
}

void ExperimentNeeds::note(const PreparedCell& prepared, const ExperimentSpec& spec) {
  needs_.push_back(prepared.why.empty() ? needs_of(prepared, spec) : CellNeeds());
}

void ExperimentNeeds::check_memory(const ExperimentSpec& spec, std::size_t cells, int ranks_here) {
  constexpr double kShare = 0.6;
  memory_bytes_ = std::numeric_limits<double>::infinity();
  if (const std::optional<double> available = available_memory(MachineFiles()))
    memory_bytes_ = kShare * (*available / std::max(1, ranks_here) + resident_memory());
  const auto takes_less = [](const CellNeeds& a, const CellNeeds& b) {
    return a.memory_bytes < b.memory_bytes;
  };
  const auto end = needs_.begin() + static_cast<std::ptrdiff_t>(cells);
  const auto most = std::max_element(needs_.begin(), end, takes_less);
  if (most == end || most->memory_bytes <= memory_bytes_) return;
  throw input_error(
      place_of(spec, most->key),
      "cell " + std::to_string(most - needs_.begin()) + ", which takes about " +
          short_bytes(most->memory_bytes) + " of memory",
      "at most " + short_bytes(memory_bytes_) + ", three fifths of what there is here for each rank");
}

double ExperimentNeeds::row_bytes(std::size_t cells) const {
  double bytes = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) bytes += needs_[cell].row_bytes;
  return bytes;
}

void ExperimentNeeds::check_disk(const ExperimentSpec& spec, const std::string& folder, std::size_t cells,
                                 const std::function<bool(std::size_t)>& has) const {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(folder, error);
  while (place.has_relative_path() && !std::filesystem::exists(place, error)) place = place.parent_path();
  const std::filesystem::space_info space = std::filesystem::space(place, error);
  if (error || space.capacity == 0) return;  // no disk: /proc
  double bytes = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) bytes += needs_[cell].row_bytes * (has(cell) ? 1 : 2);
  const auto free = static_cast<double>(space.available);
  constexpr double kSurely = 0.7;  // rows of requests that are dropped early are fewer
  if (kSurely * bytes <= free) return;
  throw input_error(
      place_of(spec, "record.rows"), "rows of about " + short_bytes(bytes) + " with all cells' files",
      "at most " + short_bytes(free) + ", what is free in " + folder + "; record.rows = false keeps none");
}

void MemoryWatch::look() {
  constexpr TimeNs kBetweenNs = 50 * kNsPerMs;
  const TimeNs now_ns = steady_ns();
  if (now_ns < next_ns_) return;
  next_ns_ = now_ns + kBetweenNs;
  const double bytes = resident_memory();
  if (bytes <= limit_bytes_) return;
  throw CellFailed("it has taken " + short_bytes(bytes) +
                   " of memory, more than three fifths of what there is here for a rank");
}

}  // namespace harness
