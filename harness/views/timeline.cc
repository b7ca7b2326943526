#include "harness/views/timeline.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "harness/core/printable.h"
#include "harness/core/wording.h"
#include "harness/views/trace_writer.h"

namespace harness {
namespace {

using Kind = TraceWriter::Kind;

/// A visit that ran, with what identifies its batch.
struct Member {
  TimeNs started_ns;
  WorkerId worker;
  std::uint32_t row;
};

/// A batch of the rows, or a preempted one.
struct Batch {
  TimeNs started_ns = 0;
  TimeNs ended_ns = 0;
  WorkerId worker = 0;
  std::uint32_t first = 0;  ///< index of its first member, or of the preempted batch
  std::uint32_t count = 0;  ///< number of its members; 0: preempted
};

class TimelineFile {
 public:
  TimelineFile(FileWriter& file, const Timeline& timeline)
      : timeline_(timeline),
        cell_(timeline.cell),
        flows_(cell_, timeline.span, timeline.pipeline, cell_.summary.cell.seed),
        out_(file) {}

  TimelineCounts write() {
    root_ = out_.add_track(kNoTrack, cell_name());
    gather_members();
    gather_batches();
    sort_drops();
    std::size_t batch = 0;
    for (ModuleId module = 0; module < cell_.module_names.size(); ++module) {
      const TrackId track = out_.add_track(root_, cell_.module_names[module]);
      write_waiting(module, track);
      write_drops(module, track);
      write_plans(module, track);
      if (!shares_workers()) write_workers(module, track, batch);
    }
    if (shares_workers()) write_workers(std::nullopt, out_.add_track(root_, "workers"), batch);
    write_late();
    counts_.bytes = out_.finish();
    return counts_;
  }

 private:
  const TimeSpan& span() const { return timeline_.span; }
  bool shares_workers() const { return !cell_.record.groups.empty(); }
  const VisitRow& row_of(const Member& member) const { return cell_.visits[member.row]; }

  std::string cell_name() const {
    const CellIdentity& cell = cell_.summary.cell;
    std::string name = "cell " + std::to_string(cell.index) + ": " + cell.system + " " + cell.variant + ", " +
                       cell.pipeline + ", " + cell.trace + ", seed " + std::to_string(cell.seed) + ", " +
                       cell.runtime;
    return cell.parameters.empty() ? name : name + ", " + cell.parameters;
  }

  /// Collects the visits that ran, sorted so that the members of a batch lie together, and a worker's batches
  /// in order of time.
  void gather_members() {
    for (std::size_t i = 0; i < cell_.visits.size(); ++i) {
      const VisitRow& row = cell_.visits[i];
      if (row.ran() && is_shown(row, span()))
        members_.push_back({row.started_ns, row.worker, static_cast<std::uint32_t>(i)});
    }
    std::sort(members_.begin(), members_.end(), [this](const Member& a, const Member& b) {
      if (a.worker != b.worker) return a.worker < b.worker;
      if (a.started_ns != b.started_ns) return a.started_ns < b.started_ns;
      return std::tuple(row_of(a).ended_ns, row_of(a).module, a.row) <
             std::tuple(row_of(b).ended_ns, row_of(b).module, b.row);
    });
  }

  bool same_batch(const VisitRow& a, const VisitRow& b) const {
    return a.worker == b.worker && a.started_ns == b.started_ns && a.ended_ns == b.ended_ns &&
           a.module == b.module;
  }

  void gather_batches() {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const VisitRow& row = row_of(members_[i]);
      // A batch that takes no time may be followed by another one at the same time.
      const bool is_next = !batches_.empty() && same_batch(row_of(members_[batches_.back().first]), row) &&
                           batches_.back().count < row.batch;
      if (is_next)
        ++batches_.back().count;
      else
        batches_.push_back({row.started_ns, row.ended_ns, row.worker, static_cast<std::uint32_t>(i), 1});
    }
    for (std::size_t i = 0; i < timeline_.preempted.size(); ++i) {
      const PreemptedBatch& batch = timeline_.preempted[i];
      const bool is_known = batch.module < cell_.module_names.size();  // a log may be damaged
      if (!is_known || !span().overlaps(batch.started_ns, batch.ended_ns)) continue;
      batches_.push_back({batch.started_ns, batch.ended_ns, batch.worker, static_cast<std::uint32_t>(i), 0});
    }
    const auto group = [this](const Batch& batch) { return shares_workers() ? 0U : module_of_worker(batch); };
    std::stable_sort(batches_.begin(), batches_.end(), [&group](const Batch& a, const Batch& b) {
      return std::tuple(group(a), a.worker, a.started_ns, a.ended_ns) <
             std::tuple(group(b), b.worker, b.started_ns, b.ended_ns);
    });
  }

  ModuleId module_of(const Batch& batch) const {
    return batch.count == 0 ? timeline_.preempted[batch.first].module : row_of(members_[batch.first]).module;
  }
  /// Returns the module under which the batch is shown.
  unsigned module_of_worker(const Batch& batch) const {
    const std::vector<WorkerTotals>& workers = cell_.record.workers;
    const unsigned module = batch.worker < workers.size() ? workers[batch.worker].module : module_of(batch);
    return module < cell_.module_names.size() ? module : module_of(batch);
  }

  void sort_drops() {
    for (std::size_t i = 0; i < cell_.visits.size(); ++i) {
      const VisitRow& row = cell_.visits[i];
      if (was_dropped(row) && span().contains(row.ended_ns)) drops_.push_back(static_cast<std::uint32_t>(i));
    }
    std::stable_sort(drops_.begin(), drops_.end(), [this](std::uint32_t a, std::uint32_t b) {
      const VisitRow& left = cell_.visits[a];
      const VisitRow& right = cell_.visits[b];
      return std::tie(left.module, left.ended_ns) < std::tie(right.module, right.ended_ns);
    });
  }

  /// Writes a point of the counter whenever the number of visits that wait has changed, and at the beginning.
  void write_waiting(ModuleId module, TrackId parent) {
    std::vector<TimeNs> arrivals;
    std::vector<TimeNs> leavings;
    for (const VisitRow& row : cell_.visits) {
      if (row.module != module) continue;
      arrivals.push_back(row.arrived_ns);
      leavings.push_back(row.left_queue_ns());
    }
    std::sort(arrivals.begin(), arrivals.end());
    std::sort(leavings.begin(), leavings.end());
    const TrackId track = out_.add_counter(parent, "visits waiting");
    std::int64_t written = -1;
    const auto point = [&](TimeNs at, std::int64_t waiting) {
      if (waiting == written) return;
      out_.begin_event(Kind::kCounter, at, track);
      out_.value(waiting);
      out_.end_event();
      written = waiting;
    };
    std::size_t arrived = 0;
    std::size_t left = 0;
    const auto waiting = [&] { return static_cast<std::int64_t>(arrived) - static_cast<std::int64_t>(left); };
    const auto next_at = [](const std::vector<TimeNs>& times, std::size_t i) {
      return i < times.size() ? times[i] : kNever;
    };
    bool has_begun = false;
    for (;;) {
      const TimeNs at = std::min(next_at(arrivals, arrived), next_at(leavings, left));
      if (!has_begun && at > span().from_ns) {
        point(span().from_ns, waiting());
        has_begun = true;
      }
      if (at == kNever || at >= span().to_ns) return;
      while (next_at(arrivals, arrived) == at) ++arrived;
      while (next_at(leavings, left) == at) ++left;
      if (at < span().from_ns) continue;
      point(at, waiting());
      has_begun = true;
    }
  }

  void write_drops(ModuleId module, TrackId parent) {
    const auto module_is_less = [this](std::uint32_t row, ModuleId m) {
      return cell_.visits[row].module < m;
    };
    const auto begin = std::lower_bound(drops_.begin(), drops_.end(), module, module_is_less);
    TrackId track = kNoTrack;
    for (auto row = begin; row != drops_.end() && cell_.visits[*row].module == module; ++row) {
      const VisitRow& visit = cell_.visits[*row];
      if (track == kNoTrack) track = out_.add_track(parent, "drops");
      out_.begin_event(Kind::kInstant, visit.ended_ns, track);
      out_.name(name_of(visit.reason));
      out_.category("drop");
      out_.annotate("request", visit.request);
      out_.annotate("since_arrival_ms", ns_to_ms(visit.ended_ns - visit.arrived_ns));
      if (!visit.ran()) write_flows(flows_.of_visit(*row));
      out_.end_event();
      ++counts_.drops;
    }
  }

  void write_plans(ModuleId module, TrackId parent) {
    TrackId track = kNoTrack;
    for (const PlanRow& plan : cell_.record.plans) {
      if (plan.module != module || !span().contains(plan.at_ns)) continue;
      if (track == kNoTrack) track = out_.add_track(parent, "plans");
      out_.begin_event(Kind::kInstant, plan.at_ns, track);
      out_.name(counted(plan.workers, "worker") + ", max_batch " + std::to_string(plan.max_batch));
      out_.category("plan");
      out_.annotate("workers", std::uint64_t{plan.workers});
      out_.annotate("max_batch", std::uint64_t{plan.max_batch});
      out_.annotate("exec_ms", ns_to_ms(plan.exec_ns));
      out_.end_event();
    }
  }

  /// Writes the batches from `next` on that belong under the module, or all.
  void write_workers(std::optional<ModuleId> module, TrackId parent, std::size_t& next) {
    while (next < batches_.size() && (!module || module_of_worker(batches_[next]) == *module)) {
      const WorkerId worker = batches_[next].worker;
      std::size_t end = next;
      while (end < batches_.size() && batches_[end].worker == worker &&
             (!module || module_of_worker(batches_[end]) == *module))
        ++end;
      write_worker(std::span(batches_).subspan(next, end - next), parent);
      next = end;
    }
  }

  /// Writes a worker's batches. Slices of a track nest: if batches overlap (clocks of live runs differ a
  /// little), the worker has several tracks.
  void write_worker(std::span<const Batch> batches, TrackId parent) {
    const std::string name = "worker " + std::to_string(batches.front().worker);
    struct Lane {
      TrackId track;
      TimeNs free_ns;
    };
    std::vector<Lane> lanes;
    for (const Batch& batch : batches) {
      const auto is_free = [&batch](const Lane& one) { return one.free_ns <= batch.started_ns; };
      auto lane = std::find_if(lanes.begin(), lanes.end(), is_free);
      if (lane == lanes.end()) {
        const std::string number = lanes.empty() ? "" : " (" + std::to_string(lanes.size() + 1) + ")";
        lane = lanes.insert(lanes.end(), {out_.add_track(parent, name + number), 0});
      }
      lane->free_ns = batch.ended_ns;
      out_.begin_event(Kind::kBegin, batch.started_ns, lane->track);
      if (batch.count == 0)
        write_preempted(timeline_.preempted[batch.first]);
      else
        write_batch(std::span(members_).subspan(batch.first, batch.count));
      out_.end_event();
      out_.begin_event(Kind::kEnd, batch.ended_ns, lane->track);
      out_.end_event();
    }
  }

  void write_batch(std::span<const Member> members) {
    const VisitRow& first = row_of(members.front());
    requests_.clear();
    std::uint64_t missed = 0;
    TimeNs longest_ns = 0;
    for (const Member& member : members) {
      const VisitRow& row = row_of(member);
      requests_.push_back(row.request);
      missed += flows_.in_time(member.row) ? 0 : 1;
      longest_ns = std::max(longest_ns, row.started_ns - row.arrived_ns);
      write_flows(flows_.of_visit(member.row));
    }
    const bool is_lost = first.outcome != VisitOutcome::kDone;
    begin_name(first.batch, first.module);
    if (is_lost)
      name_ += ", lost";
    else if (missed > 0)
      name_ += ", " + std::to_string(missed) + " missed";
    out_.name(name_);
    out_.category("batch");
    if (missed > 0) out_.category("missed");
    if (is_lost) out_.category("lost");
    out_.annotate("batch", std::uint64_t{first.batch});
    if (missed > 0) out_.annotate("missed", missed);
    out_.annotate("longest_wait_ms", ns_to_ms(longest_ns));
    write_requests();
    ++counts_.batches;
    counts_.visits += members.size();
  }

  void write_preempted(const PreemptedBatch& batch) {
    begin_name(batch.visits, batch.module);
    name_ += ", preempted";
    out_.name(name_);
    out_.category("batch");
    out_.category("preempted");
    out_.annotate("batch", std::uint64_t{batch.visits});
    requests_ = batch.requests;
    write_requests();
    ++counts_.preempted;
  }

  void begin_name(std::size_t batch, ModuleId module) {
    name_ = std::to_string(batch);
    name_ += ' ';
    name_ += printable(cell_.module_names[module]);
  }

  void write_requests() {
    out_.annotate("requests", std::span(requests_).first(std::min(requests_.size(), kMaxRequestsNamed)));
  }

  void write_flows(std::span<const Flows::Mark> marks) {
    for (const Flows::Mark& mark : marks) out_.flow(mark.id, mark.is_last);
  }

  void write_late() {
    TrackId track = kNoTrack;
    for (std::size_t i = 0; i < cell_.requests.size(); ++i) {  // in order of ending
      const RequestRow& request = cell_.requests[i];
      if (!is_shown_late(request, span())) continue;
      if (track == kNoTrack) track = out_.add_track(root_, "late requests");
      out_.begin_event(Kind::kInstant, request.end_ns, track);
      out_.name("late");
      out_.category("late");
      out_.annotate("request", request.request);
      out_.annotate("latency_ms", ns_to_ms(request.end_ns - request.sent_ns));
      if (request.slo_ns > 0) out_.annotate("slo_ms", ns_to_ms(request.slo_ns));
      write_flows(flows_.of_request(i));
      out_.end_event();
      ++counts_.late;
    }
  }

  const Timeline& timeline_;
  const CellContents& cell_;
  Flows flows_;
  TraceWriter out_;
  TrackId root_ = kNoTrack;
  std::vector<Member> members_;
  std::vector<Batch> batches_;
  std::vector<std::uint32_t> drops_;  ///< rows of dropped visits, by module and time
  TimelineCounts counts_;
  std::string name_;                     // scratch
  std::vector<std::uint64_t> requests_;  // scratch
};

}  // namespace

TimelineCounts write_timeline(const std::string& path, const Timeline& timeline) {
  FileWriter file(path);
  TimelineFile trace(file, timeline);
  const TimelineCounts counts = trace.write();
  file.commit();
  return counts;
}

}  // namespace harness
