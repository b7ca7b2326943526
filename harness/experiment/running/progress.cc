#include "harness/experiment/running/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "harness/core/params.h"

namespace harness {
namespace {

constexpr auto kBetweenLines = std::chrono::milliseconds(100);

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

bool on_terminal() {
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && (term == nullptr || std::string(term) != "dumb");
}

}  // namespace

Progress::Progress(CellDistribution& ranks, const Work& work, bool quiet)
    : ranks_(ranks), work_(work), quiet_(quiet), terminal_(on_terminal()) {}

Progress::~Progress() {
  if (!quiet_ && terminal_ && ranks_.rank() == 0) std::fputs("\r\033[K", stderr);
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

void Progress::show_line(const std::string& line) {
  if (terminal_)
    std::fprintf(stderr, "\r\033[K%.*s", 200, line.c_str());
  else
    std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
}

void Progress::begin(const CellIdentity& cell, double slo_ms, double duration_s) {
  name_ = cell_title(cell, slo_ms);
  loading_.clear();
  duration_s_ = duration_s;
  cell_began_ = Clock::now();
  shown_ = {};
}

void Progress::update(TimeNs now, std::uint64_t sent) {
  const Clock::time_point at = Clock::now();
  if (quiet_ || !terminal_ || ranks_.rank() != 0 || at - shown_ < kBetweenLines) return;
  shown_ = at;
  const double seconds = std::chrono::duration<double>(at - cell_began_).count();
  const double share = duration_s_ > 0 ? std::fmin(1, ns_to_s(now) / duration_s_) : 1;
  const double left = left_s(work_.live ? share * duration_s_ : static_cast<double>(sent));
  const std::string how_far =
      work_.live ? ", " + short_time(ns_to_s(now)) + " of " + short_time(duration_s_) + ", " +
                       short_count(static_cast<double>(sent)) + " requests"
                 : formatted(", %.0f %%, ", share * 100) +
                       short_count(static_cast<double>(sent) / std::fmax(seconds, 1e-3)) + "/s";
  show_line("cell " + std::to_string(finished_cells() + 1) + " of " + std::to_string(work_.cells) + ": " +
            name_ + how_far + (left < 0 ? "" : ", " + short_time(left) + " left"));
}

void Progress::finish(const SummaryRow& row) {
  done_s_ += duration_s_;
  if (quiet_) return;
  const std::size_t done = finished_cells();
  std::string line = "[" + std::to_string(done) + "/" + std::to_string(work_.cells) + "] " +
                     cell_title(row.cell, row.slo_ms) + ": ";
  if (row.status != "ok") {
    line += row.status + ": " + row.why;
  } else {
    line += short_count(static_cast<double>(row.sent)) + " requests";
    if (!work_.live) line += " at " + short_count(row["sim_requests_per_s"]) + "/s";
    line += formatted(", goodput %.1f/s", row["goodput_rps"]) +
            formatted(", dropped or late %.1f %%", row["drop_rate"] * 100);
    if (work_.live) line += formatted(", schedule lag p99 %.0f us", row["schedule_lag_us_p99"]);
    if (!loading_.empty()) line += ", " + loading_;
  }
  const double left = left_s(0);
  if (left > 0 && done < work_.cells) line += ", " + short_time(left) + " left";
  if (work_.live && row.status == "ok" && !row.why.empty()) line += "; " + row.why;
  if (!terminal_ || ranks_.rank() == 0) show_line(line);
}

void add_names(JsonObject& object, const CellIdentity& cell, double slo_ms) {
  object.add("cell", cell.index);
  object.add("system", cell.system);
  object.add("variant", cell.variant);
  object.add("pipeline", cell.pipeline);
  object.add("trace", cell.trace);
  object.add("load", cell.load);
  object.add("seed", cell.seed);
  object.add("runtime", cell.runtime);
  object.add("answers", cell.answers);
  object.add("parameters", cell.parameters);
  object.add("slo_ms", slo_ms);
}

std::string cell_title(const CellIdentity& cell, double slo_ms) {
  std::string title = cell.system;
  if (cell.variant != "default") title += " (" + cell.variant + ")";
  title += " " + cell.pipeline + " " + cell.trace + " slo " + text_of(slo_ms) + " ms load " +
           formatted("%.4g", cell.load) + " seed " + std::to_string(cell.seed);
  if (cell.runtime != "simulated") title += " " + cell.runtime;
  return cell.parameters.empty() || cell.parameters == cell.variant ? title : title + " " + cell.parameters;
}

std::string short_count(double count) {
  if (count >= 999.5e3) return formatted("%.1f M", count / 1e6);
  if (count >= 1e4) return formatted("%.0f k", count / 1e3);
  return formatted("%.0f", count);
}

std::string short_bytes(double bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  constexpr double kStep = 1000;
  std::size_t unit = 0;
  for (; bytes >= kStep && unit + 1 < kUnits.size(); ++unit) bytes /= kStep;
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %s", bytes, kUnits[unit]);
  return text;
}

std::string short_time(double seconds) {
  if (seconds < 60) return formatted(seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
  const auto whole = static_cast<long>(seconds);
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

}  // namespace harness
