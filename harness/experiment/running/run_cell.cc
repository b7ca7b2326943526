#include "harness/experiment/running/run_cell.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "harness/core/bug_context.h"
#include "harness/core/cell_failed.h"
#include "harness/core/check.h"
#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/engine/bounds/capacity_curve.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/experiment/running/cell_devices.h"
#include "harness/experiment/running/cell_needs.h"
#include "harness/experiment/running/cell_title.h"
#include "harness/experiment/running/crash_mark.h"
#include "harness/experiment/running/server_calls.h"
#include "harness/gpu/device/device_traits.h"
#include "harness/gpu/device/devices.h"
#include "harness/live/server/server_world.h"
#include "harness/machine/cpu_facts.h"
#include "harness/sim/simulation.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kNothingSent = "no request was sent: the load has none in its duration";

double slo_factor_of(const PreparedCell& prepared) {
  return prepared.cell.slo_factor > 0 ? prepared.cell.slo_factor : kNoValue;
}

/// Returns the row of a cell that has no results.
SummaryRow empty_row(const PreparedCell& prepared, const char* status, const std::string& why) {
  SummaryRow row;
  row.cell = prepared.identity;
  row.status = status;
  row.why = why;
  row.slo_ms = ns_to_ms(prepared.slo_ns);
  row.workers = static_cast<std::uint64_t>(prepared.settings.cluster.workers);
  row.duration_s = prepared.duration_s;
  row.measured_from_s = prepared.settings.requests.measure_from_s;
  row["offered_rps"] = prepared.offered_rps;
  row["slo_factor"] = slo_factor_of(prepared);
  return row;
}

/// Returns a note on the library whose code the cell runs; "" if all of it is the program's.
std::string library_note(const PreparedCell& prepared) {
  const LoadedLibrary* const library = library_of(prepared.identity.system);
  return library == nullptr ? "" : " (system of " + library->path + ")";
}

/// Returns "3, pard lv tweet slo 500 ms load 1.2 seed 1", for messages.
std::string title_of(const PreparedCell& prepared) {
  return std::to_string(prepared.identity.index) + ", " +
         cell_title(prepared.identity, ns_to_ms(prepared.slo_ns)) + library_note(prepared);
}

SummaryRow write_empty(const PreparedCell& prepared, const CellRun& how, const char* status,
                       const std::string& why) {
  CellFileWriter writer(how.path, prepared.identity, prepared.module_names);
  const SummaryRow row = empty_row(prepared, status, why);
  writer.finish(row, RunRecord());
  return row;
}

/// Returns the function to which a simulation reports its progress: it ends it if it takes too long or too
/// much memory.
std::function<void(TimeNs, std::uint64_t)> watched(const CellRun& how) {
  return [&how, began = Clock::now(), memory = MemoryWatch(how.memory_bytes)](TimeNs now,
                                                                              std::uint64_t sent) mutable {
    if (how.limit_s > 0 && std::chrono::duration<double>(Clock::now() - began).count() > how.limit_s)
      throw CellFailed("took longer than cell_limit_s = " + text_of(how.limit_s));
    memory.look();
    if (how.progress) how.progress(now, sent);
  };
}

/// Returns why the measurement cannot be trusted, or "".
std::string why_invalid(const RunRecord& record, const LiveParams& live) {
  if (!record.why_invalid.empty()) return record.why_invalid;
  const double late_ms = ns_to_ms(record.schedule_lag.quantile(0.99));
  if (late_ms > live.schedule_lag_limit_ms) {
    return "load generator behind schedule: p99 schedule lag " + text_of(late_ms) +
           " ms exceeds live.schedule_lag_limit_ms = " + text_of(live.schedule_lag_limit_ms);
  }
  for (const RankTotals& rank : record.ranks) {
    const double stall_ms = ns_to_ms(rank.due_late_max_ns);
    if (stall_ms <= live.stall_limit_ms) continue;
    return "rank " + std::to_string(rank.rank) + " on " + rank.host + " stalled for " +
           text_of(std::round(stall_ms)) + " ms, above live.stall_limit_ms = " + text_of(live.stall_limit_ms);
  }
  return "";
}

/// Returns what else kept the first rank's host from its work, to follow the reason of an invalid run; mostly
/// empty.
std::string theft_note(const CpuClocks& before) {
  constexpr double kMuch = 0.02;
  const std::optional<double> stolen = share_stolen(before, read_cpu_clocks());
  if (!stolen || *stolen < kMuch) return "";
  return "; other virtual machines took " + text_of(std::round(100 * *stolen)) +
         " % of the time that the processors of the first rank's host had work";
}

/// Returns "NOTE; NOTE; ... and 3 more".
std::string text_of_notes(const std::vector<std::string>& notes) {
  constexpr std::size_t kMax = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(notes.size(), kMax); ++i) text += (i == 0 ? "" : "; ") + notes[i];
  if (notes.size() > kMax) text += "; and " + std::to_string(notes.size() - kMax) + " more";
  return text;
}

/// Returns a check of signals that also looks at the memory of this process.
std::function<void()> with_memory_watch(std::function<void()> check_signal, double memory_bytes) {
  return [check_signal = std::move(check_signal), memory = MemoryWatch(memory_bytes)]() mutable {
    if (check_signal) check_signal();
    memory.look();
  };
}

/// Ends the row of a live run, whose `why` says what makes it invalid, and writes the cell's file.
void finish_live(SummaryRow& row, const RunRecord& record, const CpuClocks& clocks_before, RowBuffer& rows,
                 CellFileWriter& writer) {
  if (!row.why.empty()) {
    row.status = "invalid";
    row.why += theft_note(clocks_before);
  } else {
    row.why = text_of_notes(record.notes);
  }
  rows.pass_to(writer);
  writer.finish(row, record);
}

}  // namespace

SummaryRow row_of(const PreparedCell& prepared, const RunSpec& spec, const RunRecord& record,
                  BoundCache& bounds) {
  const Bounds& bound = bounds.of(prepared.arrivals_text, spec, record);
  MeasuredRun run{record, prepared.capacity_rps};
  run.fluid_requests = static_cast<double>(bound.fluid);
  if (bound.offline_schedule) run.scheduled_requests = static_cast<double>(*bound.offline_schedule);
  run.recorded_peak_over_mean = prepared.recorded_peak_over_mean;
  run.sent_peak_over_mean = prepared.sent_peak_over_mean;
  run.slo_factor = slo_factor_of(prepared);
  run.reference_rps = prepared.overload_rps;
  // If workers serve several modules, or there are variants to choose from, capacity depends on which
  // requests are served, and how.
  if (prepared.plan.groups.empty() && !spec.pipeline.has_tasks()) {
    run.capacity_at = [capacity = CapacityCurve(spec.pipeline, record, spec.profiles)](TimeNs at) {
      return capacity.at(at);
    };
  }
  SummaryRow row = summarise(prepared.identity, run);
  row.slo_ms = ns_to_ms(prepared.slo_ns);  // streams may have others; this one names the cell
  const bool by_libraries = !row.devices.empty() && traits_of(prepared.settings.gpu.device).needs_torch;
  if (by_libraries) row.devices += ", " + execution_libraries();
  return row;
}

namespace {

/// Returns the record of a simulation. The input was checked before: if a planner refuses something in the
/// midst of a run, it is the cell's failure.
RunRecord simulated(const RunSpec& spec, RowSink* rows) {
  try {
    return simulate(spec, rows);
  } catch (const InputError& refused) {
    throw CellFailed(refused.what());
  }
}

/// Runs the cell and writes its file. Throws what makes the cell, or more, fail.
SummaryRow simulate_cell(CellFactory& factory, BoundCache& bounds, const PreparedCell& prepared,
                         const CellRun& how) {
  const BugsFailCells bugs;
  const CrashMark mark(how.mark, title_of(prepared), how.limit_s, true);
  RunSpec spec = factory.make_run(prepared);
  spec.progress = watched(how);
  std::optional<CellFileWriter> writer(std::in_place, how.path, prepared.identity, prepared.module_names);
  const RunRecord record = simulated(spec, how.rows ? &*writer : nullptr);
  if (record.sent == 0) {
    writer.reset();
    return write_empty(prepared, how, "skipped", kNothingSent);
  }
  SummaryRow row = row_of(prepared, spec, record, bounds);
  writer->finish(row, record);
  return row;
}

}  // namespace

SummaryRow run_cell(CellFactory& factory, BoundCache& bounds, const PreparedCell& prepared,
                    const CellRun& how) {
  if (!prepared.why.empty()) return write_empty(prepared, how, "skipped", prepared.why);
  if (const std::string crash = crash_in_mark(how.mark); !crash.empty()) {
    const SummaryRow row = write_empty(prepared, how, "invalid", crash + library_note(prepared));
    ::unlink(how.mark.c_str());
    return row;
  }
  std::string why;
  try {
    return simulate_cell(factory, bounds, prepared, how);
  } catch (const CellFailed& failed) {
    why = failed.what();
  } catch (const EnvironmentError&) {
    throw;  // no file can be written, or the run is interrupted
  } catch (const InputError&) {
    throw;  // a file that was read before is not there any more
  } catch (const std::exception& error) {
    why = "its run failed: " + reason_of(error);
  }
  ::malloc_trim(0);  // gives its memory back before the next cell
  return write_empty(prepared, how, "invalid", why + library_note(prepared));
}

LiveCell::LiveCell(CellFactory& factory, const PreparedCell& prepared, CellRun how, Transport& transport,
                   CellDevices& devices)
    : prepared_(prepared),
      how_(std::move(how)),
      transport_(transport),
      kept_(devices),
      spec_(factory.make_run(prepared)) {
  if (prepared.cell.runtime == Runtime::kGpu) {
    try {
      devices_ = devices.take(spec_, prepared);
      exchanges_ = make_cell_exchanges(spec_, prepared, transport);
    } catch (const DeviceError& error) {
      why_ = error.what();
      return;
    } catch (const CellFailed& error) {
      why_ = error.what();
      return;
    } catch (const InputError& error) {  // a device that this build or this host has not after all
      why_ = error.what();
      return;
    }
  }
  if (transport_.rank() != 0) return;
  spec_.progress = how_.progress;
  writer_.emplace(how_.path, prepared.identity, prepared.module_names);
}

std::optional<SummaryRow> LiveCell::give_up(const char* why) {
  if (transport_.rank() != 0) return std::nullopt;
  writer_.reset();
  return write_empty(prepared_, how_, "skipped", why);
}

/// Called after a run that ended by itself and so left no batch on the devices. A failure here does not undo
/// the run, but the devices are not kept.
std::string LiveCell::profile_fault_after(const std::function<void()>& check_signal) {
  if (!devices_) return "";
  try {
    return profile_fault(*devices_, spec_, prepared_, {"after", 0, check_signal});
  } catch (const CellFailed& failed) {
    devices_.reset();
    return failed.what();
  } catch (const DeviceError& failed) {
    devices_.reset();
    return failed.what();
  }
}

std::optional<SummaryRow> LiveCell::run(BoundCache& bounds, const std::function<void()>& check_signal) {
  const CrashMark mark(how_.mark, title_of(prepared_), 0);  // its loop and a DeviceWatch know the limit
  const bool keeps_rows = transport_.rank() == 0 && how_.rows;
  CpuClocks clocks_before;
  std::optional<RunRecord> record;
  std::string slowdown;
  try {
    if (devices_) {
      const auto wait_ns = static_cast<TimeNs>(prepared_.settings.gpu.profile_check_wait_s * kNsPerS);
      slowdown = profile_fault(*devices_, spec_, prepared_, {"before", wait_ns, check_signal});
    }
    clocks_before = read_cpu_clocks();
    // Every rank's tensors wait in its memory with the visits that they belong to.
    const auto check = with_memory_watch(check_signal, how_.memory_bytes);
    record = run_live(spec_,
                      {prepared_.settings.live, how_.limit_s, check, prepared_.identity.index + 1,
                       devices_.get(), exchanges_.get()},
                      transport_, keeps_rows ? &rows_ : nullptr);
  } catch (const CellFailed& failed) {
    return give_up(failed.what());
  } catch (const DeviceError& failed) {  // before the load
    return give_up(failed.what());
  }
  if (transport_.rank() != 0) {
    kept_.give_back(std::move(devices_));
    return std::nullopt;
  }
  HARNESS_CHECK(record.has_value(), "a live run left no record");
  if (record->sent == 0) {
    kept_.give_back(std::move(devices_));
    return give_up(kNothingSent);
  }
  SummaryRow row = row_of(prepared_, spec_, *record, bounds);
  row.why = why_invalid(*record, prepared_.settings.live);
  if (row.why.empty()) row.why = slowdown.empty() ? profile_fault_after(check_signal) : slowdown;
  kept_.give_back(std::move(devices_));
  finish_live(row, *record, clocks_before, rows_, *writer_);
  return row;
}

namespace {

/// Removes what is not known of a run against a server: how it batches, and what its devices do.
void forget_inside_of_server(SummaryRow& row) {
  for (const char* metric :
       {"gpu_utilisation", "invalid_rate", "queueing_ms_mean", "queueing_ms_sd", "batch_wait_ms_mean",
        "batch_wait_ms_sd", "queue_mean", "queue_longest_over_shortest", "queue_earlier_share",
        "utilisation_spread", "lockstep", "state_kbps_per_worker", "messages", "message_bytes"})
    row[metric] = kNoValue;
}

}  // namespace

SummaryRow run_server_cell(CellFactory& factory, BoundCache& bounds, const PreparedCell& prepared,
                           const CellRun& how) {
  const CrashMark mark(how.mark, title_of(prepared), 0);  // the run knows the limit
  RunSpec spec = factory.make_run(prepared);
  spec.progress = how.progress;
  // The server's policy acts: the cell's system names it, and does nothing here.
  spec.system = make_one_system("naive", prepared.settings);
  const CpuClocks clocks_before = read_cpu_clocks();
  RowBuffer rows;
  RunRecord record;
  try {
    ServerRun run = server_run(prepared, spec, how);
    run.check_signal = with_memory_watch(how.check_signal, how.memory_bytes);
    record = ServerWorld(spec, run, how.rows ? &rows : nullptr).run();
  } catch (const CellFailed& failed) {
    return write_empty(prepared, how, "skipped", failed.what());
  }
  if (record.sent == 0) return write_empty(prepared, how, "skipped", kNothingSent);
  SummaryRow row = row_of(prepared, spec, record, bounds);
  forget_inside_of_server(row);
  row.why = why_invalid(record, prepared.settings.live);
  CellFileWriter writer(how.path, prepared.identity, prepared.module_names);
  finish_live(row, record, clocks_before, rows, writer);
  return row;
}

}  // namespace harness
