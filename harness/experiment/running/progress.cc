#include "harness/experiment/running/progress.h"

#include <algorithm>
#include <cmath>

#include "harness/core/wording.h"
#include "harness/experiment/running/cell_title.h"
#include "harness/experiment/running/short_text.h"

namespace harness {
namespace {

constexpr auto kBetweenLines = std::chrono::milliseconds(100);
// Least times between updates of the status file: while a cell runs, and when one has begun or ended.
constexpr std::chrono::milliseconds kBetweenNotes(1000);
constexpr std::chrono::milliseconds kBetweenCells(100);

}  // namespace

Progress::Progress(CellDistribution& ranks, const Work& work, const RunConsole& console, StatusFile* status)
    : ranks_(ranks),
      work_(work),
      console_(console),
      status_(status),
      failed_before_(status == nullptr ? 0 : status->status.failed) {}

Progress::~Progress() {
  if (ranks_.rank() == 0) console_.clear();
}

double Progress::elapsed_s() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

std::size_t Progress::finished_cells() {
  return work_.finished_cells + static_cast<std::size_t>(ranks_.counts().cells);
}

double Progress::left_s(double running) {
  if (work_.live) return std::fmax(0, work_.amount - done_s_ - running);
  const double done = static_cast<double>(ranks_.counts().requests) + running;
  if (done <= 0) return -1;
  return elapsed_s() * std::fmax(0, work_.amount - done) / done;
}

void Progress::begin(const CellIdentity& cell, double slo_ms, double duration_s) {
  name_ = cell_title(cell, slo_ms);
  loading_.clear();
  duration_s_ = duration_s;
  cell_began_ = Clock::now();
  shown_ = {};
  if (work_.live) note_status(0, left_s(0), kBetweenCells);
}

void Progress::note_status(double share, double left_s, std::chrono::milliseconds at_least) {
  if (status_ == nullptr) return;
  RunStatus& status = status_->status;
  const CellDistribution::Counts counts = ranks_.counts();
  const std::size_t done = work_.finished_cells + static_cast<std::size_t>(counts.cells);
  const std::size_t at_once = work_.live ? 1 : static_cast<std::size_t>(ranks_.ranks());
  status.total = work_.earlier_cells + work_.cells;
  status.done = work_.earlier_cells + done;
  status.failed = failed_before_ + static_cast<std::uint64_t>(counts.failed);
  status.running = std::min(at_once, work_.cells - std::min(work_.cells, done));
  status.eta_s = left_s < 0 ? kNoValue : left_s;
  status.cell = name_;
  status.cell_share = share;
  status_->update(at_least);
}

void Progress::end() {
  name_.clear();
  note_status(0, left_s(0), std::chrono::milliseconds(0));
}

bool Progress::is_due(Clock::time_point at) {
  const bool shows = console_.is_terminal() && at - shown_ >= kBetweenLines;
  if (ranks_.rank() != 0 || (!shows && at - noted_ < kBetweenNotes)) return false;
  noted_ = at;
  return true;
}

void Progress::update(TimeNs now, std::uint64_t sent) {
  const Clock::time_point at = Clock::now();
  if (!is_due(at)) return;
  const double seconds = std::chrono::duration<double>(at - cell_began_).count();
  const double share = duration_s_ > 0 ? std::fmin(1, ns_to_s(now) / duration_s_) : 1;
  const double left = left_s(work_.live ? share * duration_s_ : static_cast<double>(sent));
  if (!work_.live) note_status(share, left, kBetweenNotes);  // a slow disk would hold up the load
  if (!console_.is_terminal()) return;
  shown_ = at;
  const std::string how_far =
      work_.live ? ", " + short_time(ns_to_s(now)) + " of " + short_time(duration_s_) + ", " +
                       short_count(static_cast<double>(sent)) + " requests"
                 : formatted(", %.0f %%, ", share * 100) +
                       short_count(static_cast<double>(sent) / std::fmax(seconds, 1e-3)) + "/s";
  console_.show("cell " + std::to_string(finished_cells() + 1) + " of " + std::to_string(work_.cells) + ": " +
                name_ + how_far + (left < 0 ? "" : ", " + short_time(left) + " left"));
}

void Progress::wait() {
  const Clock::time_point at = Clock::now();
  if (!is_due(at)) return;
  name_.clear();
  const double left = left_s(0);
  note_status(0, left, kBetweenNotes);
  if (!console_.is_terminal()) return;
  shown_ = at;
  console_.show(std::to_string(finished_cells()) + " of " + counted(work_.cells, "cell") +
                " finished, other ranks run the last" + (left < 0 ? "" : ", " + short_time(left) + " left"));
}

void Progress::show_event(const SummaryRow& row, std::size_t done, double left_s) const {
  JsonObject object;
  add_names(object, row.cell, row.slo_ms);
  object.add("status", row.status);
  object.add("why", row.why);
  object.add("sent", row.sent);
  for (const char* metric : {"goodput_rps", "drop_rate", "invalid_rate"}) object.add(metric, row[metric]);
  object.add("cell_s", std::chrono::duration<double>(Clock::now() - cell_began_).count());
  object.add("done", work_.earlier_cells + done);
  object.add("total", work_.earlier_cells + work_.cells);
  object.add("elapsed_s", elapsed_s());
  object.add("eta_s", left_s < 0 ? kNoValue : left_s);
  console_.event("cell", object);
}

void Progress::finish(const SummaryRow& row) {
  done_s_ += duration_s_;
  const std::size_t done = finished_cells();
  const double left = left_s(0);
  if (status_ != nullptr) {
    status_->status.last_cell = name_;
    note_status(1, left, kBetweenCells);
  }
  if (console_.form() == ProgressForm::kQuiet) return;
  if (console_.form() == ProgressForm::kJson) return show_event(row, done, left);
  std::string line = "[" + std::to_string(done) + "/" + std::to_string(work_.cells) + "] " +
                     cell_title(row.cell, row.slo_ms) + ": ";
  if (row.status != "ok") {
    line += row.status + ": " + row.why;
  } else {
    line += short_count(static_cast<double>(row.sent)) + " requests";
    if (!work_.live) line += " at " + short_count(row["sim_requests_per_s"]) + "/s";
    line += formatted(", goodput %.1f/s", row["goodput_rps"]) +
            formatted(", dropped or late %.1f %%", row["drop_rate"] * 100);
    if (row.queue_trend == "growing") line += ", the queue still grew";
    if (work_.live) line += formatted(", schedule lag p99 %.0f us", row["schedule_lag_us_p99"]);
    if (!loading_.empty()) line += ", " + loading_;
  }
  if (left > 0 && done < work_.cells) line += ", " + short_time(left) + " left";
  if (work_.live && row.status == "ok" && !row.why.empty()) line += "; " + row.why;
  if (!console_.is_terminal() || ranks_.rank() == 0) console_.show(line);
}

}  // namespace harness
