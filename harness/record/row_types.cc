#include <string>

#include "harness/record/stored_rows.h"

namespace harness {
namespace {

Hdf5Handle enumeration(const std::vector<std::string>& names) {
  Hdf5Handle type(H5Tenum_create(H5T_NATIVE_UINT8), H5Tclose, "make an enumeration");
  std::uint8_t value = 0;
  for (const std::string& name : names) {
    checked(H5Tenum_insert(type.get(), name.c_str(), &value), "name a value");
    ++value;
  }
  return type;
}

Hdf5Handle copy_of(hid_t type) { return Hdf5Handle(H5Tcopy(type), H5Tclose, "copy a type"); }

Hdf5Handle type_of(std::uint8_t) { return copy_of(H5T_NATIVE_UINT8); }
Hdf5Handle type_of(std::uint16_t) { return copy_of(H5T_NATIVE_UINT16); }
Hdf5Handle type_of(std::uint32_t) { return copy_of(H5T_NATIVE_UINT32); }
Hdf5Handle type_of(std::uint64_t) { return copy_of(H5T_NATIVE_UINT64); }
Hdf5Handle type_of(TimeNs) { return copy_of(H5T_NATIVE_INT64); }
Hdf5Handle type_of(double) { return copy_of(H5T_NATIVE_DOUBLE); }
Hdf5Handle type_of(const char*) { return text_type(); }
Hdf5Handle type_of(Outcome) { return enumeration({"in_time", "late", "dropped", "unfinished"}); }
Hdf5Handle type_of(VisitOutcome) { return enumeration({"done", "dropped", "cancelled", "unfinished"}); }
Hdf5Handle type_of(Measure) { return enumeration({"latency", "queueing_delay", "batch_wait", "lateness"}); }
Hdf5Handle type_of(DropReason) {
  std::vector<std::string> names;
  for (int i = 0; i < kDropReasons; ++i) names.emplace_back(name_of(static_cast<DropReason>(i)));
  return enumeration(names);
}

/// Builds the compound type of `Row` from the addresses of the fields of `row`.
template <class Row>
class RowType {
 public:
  RowType() : type_(H5Tcreate(H5T_COMPOUND, sizeof(Row)), H5Tclose, "make a row type") {}

  template <class Field>
  RowType& column(const std::string& name, const Field& field) {
    const auto offset = reinterpret_cast<const char*>(&field) - reinterpret_cast<const char*>(&row);
    const Hdf5Handle type = type_of(field);
    checked(H5Tinsert(type_.get(), name.c_str(), static_cast<std::size_t>(offset), type.get()),
            "add a column");
    return *this;
  }
  Hdf5Handle take() { return std::move(type_); }

  Row row{};

 private:
  Hdf5Handle type_;
};

}  // namespace

template <>
Hdf5Handle row_type<StoredRequest>() {
  RowType<StoredRequest> type;
  const StoredRequest& row = type.row;
  type.column("request", row.request).column("sent_ns", row.sent_ns).column("latency_ns", row.latency_ns);
  type.column("gpu_ns", row.gpu_ns).column("module", row.module).column("outcome", row.outcome);
  type.column("reason", row.reason).column("lateness_ns", row.lateness_ns).column("stream", row.stream);
  return type.column("slo_ns", row.slo_ns).column("accuracy", row.accuracy).take();
}

template <>
Hdf5Handle row_type<StoredVisit>() {
  RowType<StoredVisit> type;
  const StoredVisit& row = type.row;
  type.column("request", row.request).column("visit", row.visit).column("parent", row.parent);
  type.column("module", row.module).column("batch", row.batch).column("ended_ns", row.ended_ns);
  type.column("queueing_ns", row.queueing_ns).column("wait_ns", row.wait_ns).column("exec_ns", row.exec_ns);
  return type.column("worker", row.worker).column("outcome", row.outcome).column("reason", row.reason).take();
}

template <>
Hdf5Handle row_type<StoredWindow>() {
  RowType<StoredWindow> type;
  const WindowCounts& counts = type.row.counts;
  type.column("start_ns", type.row.start_ns).column("sent", counts.sent).column("in_time", counts.in_time);
  type.column("late", counts.late).column("dropped", counts.dropped);
  const PathCounts& paths = counts.paths;
  type.column("accuracy_sum", counts.accuracy_sum).column("paths_in_time", paths.in_time);
  type.column("paths_late", paths.late).column("paths_lost", paths.lost);
  return type.column("path_accuracy_sum", paths.accuracy_sum).take();
}

template <>
Hdf5Handle row_type<StoredModuleWindow>() {
  RowType<StoredModuleWindow> type;
  const ModuleWindow& window = type.row.window;
  type.column("start_ns", type.row.start_ns).column("module", type.row.module);
  type.column("arrived", window.arrived).column("started", window.started).column("dropped", window.dropped);
  type.column("batches", window.batches).column("queueing_ns", window.queueing_ns);
  return type.column("wait_ns", window.wait_ns).take();
}

template <>
Hdf5Handle row_type<StoredModule>() {
  RowType<StoredModule> type;
  const StoredModule& row = type.row;
  type.column("module", row.module).column("name", row.name).column("depth", row.depth);
  type.column("last", row.last).column("visit_share", row.visit_share);
  type.column("accuracy", row.accuracy).column("arrived", row.arrived);
  type.column("done", row.done).column("cancelled", row.cancelled).column("unfinished", row.unfinished);
  for (int i = 0; i < kDropReasons; ++i) {
    type.column(std::string("dropped_") + name_of(static_cast<DropReason>(i)), row.dropped[i]);
  }
  type.column("batches", row.batches).column("preempted", row.preempted);
  type.column("queueing_ns", row.queueing_ns).column("wait_ns", row.wait_ns).column("exec_ns", row.exec_ns);
  type.column("requests_sent", row.requests.sent).column("requests_in_time", row.requests.in_time);
  type.column("requests_late", row.requests.late);
  return type.column("requests_dropped", row.requests.dropped).take();
}

template <>
Hdf5Handle row_type<StoredWorker>() {
  RowType<StoredWorker> type;
  const WorkerTotals& totals = type.row.totals;
  type.column("worker", type.row.worker).column("module", totals.module).column("ready_ns", totals.ready_ns);
  type.column("removed_ns", totals.removed_ns).column("busy_ns", totals.busy_ns);
  return type.column("batches", totals.batches).column("visits", totals.visits).take();
}

template <>
Hdf5Handle row_type<StoredRank>() {
  RowType<StoredRank> type;
  const StoredRank& row = type.row;
  type.column("rank", row.rank).column("host", row.host).column("workers", row.workers);
  type.column("devices", row.devices).column("driver", row.driver);
  type.column("messages_sent", row.messages_sent).column("messages_received", row.messages_received);
  type.column("bytes_sent", row.bytes_sent).column("bytes_received", row.bytes_received);
  type.column("packets_sent", row.packets_sent).column("loop_turns", row.loop_turns);
  type.column("sleeps", row.sleeps).column("cpu_ns", row.cpu_ns);
  type.column("clock_offset_ns", row.clock_offset_ns);
  type.column("clock_bound_ns", row.clock_bound_ns);
  type.column("delivery_p50_ns", row.delivery_p50_ns);
  type.column("delivery_p99_ns", row.delivery_p99_ns);
  type.column("due_late_p99_ns", row.due_late_p99_ns);
  type.column("due_late_max_ns", row.due_late_max_ns);
  type.column("tensor_handle_bytes", row.tensor_handle_bytes);
  type.column("tensor_message_bytes", row.tensor_message_bytes);
  type.column("tensor_device_bytes", row.tensor_device_bytes).column("tensor_waits", row.tensor_waits);
  type.column("tensor_wait_p99_ns", row.tensor_wait_p99_ns);
  type.column("tensor_wait_max_ns", row.tensor_wait_max_ns);
  return type.column("tensors_left", row.tensors_left).take();
}

template <>
Hdf5Handle row_type<StoredBucket>() {
  RowType<StoredBucket> type;
  const StoredBucket& row = type.row;
  type.column("measure", row.measure).column("module", row.module).column("up_to_ns", row.up_to_ns);
  return type.column("count", row.count).take();
}

template <>
Hdf5Handle row_type<PlanRow>() {
  RowType<PlanRow> type;
  const PlanRow& row = type.row;
  type.column("at_ns", row.at_ns).column("module", row.module).column("workers", row.workers);
  return type.column("batch_cap", row.batch_cap).column("exec_ns", row.exec_ns).take();
}

template <>
Hdf5Handle row_type<GroupRow>() {
  RowType<GroupRow> type;
  const GroupRow& row = type.row;
  type.column("at_ns", row.at_ns).column("group", row.group).column("module", row.module);
  type.column("workers", row.workers).column("batch_cap", row.batch_cap).column("cycle_ns", row.cycle_ns);
  return type.column("share", row.share).take();
}

template <>
Hdf5Handle row_type<StoredCv>() {
  RowType<StoredCv> type;
  const StoredCv& row = type.row;
  type.column("trace", row.trace).column("rate_rps", row.rate_rps).column("window_s", row.window_s);
  type.column("group", row.group).column("groups", row.groups).column("windows", row.windows);
  return type.column("mean_cv", row.mean_cv).take();
}

}  // namespace harness
