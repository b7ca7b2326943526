#include "harness/record/hdf5/stored_visit.h"

#include <algorithm>

namespace harness {

StoredVisit stored(const VisitRow& row) {
  const bool started = row.batch > 0;
  const bool joined = started || row.joined_ns > 0;
  const TimeNs started_ns = started ? row.started_ns : row.ended_ns;
  const TimeNs joined_ns = joined ? row.joined_ns : row.ended_ns;
  StoredVisit visit;
  visit.request = row.request;
  visit.ended_ns = row.ended_ns;
  visit.queueing_ns = joined_ns - row.arrived_ns;
  visit.wait_ns = joined ? started_ns - joined_ns : kNotReached;
  visit.exec_ns = started ? row.ended_ns - started_ns : kNotReached;
  visit.worker = row.worker;
  visit.visit = row.visit;
  visit.parent = row.parent;
  visit.module = row.module;
  visit.batch = row.batch;
  visit.outcome = row.outcome;
  visit.reason = row.reason;
  return visit;
}

VisitRow restored(const StoredVisit& visit) {
  const TimeNs started_ns = visit.ended_ns - std::max<TimeNs>(0, visit.exec_ns);
  const TimeNs joined_ns = started_ns - std::max<TimeNs>(0, visit.wait_ns);
  VisitRow row;
  row.request = visit.request;
  row.arrived_ns = joined_ns - visit.queueing_ns;
  row.joined_ns = visit.wait_ns == kNotReached ? 0 : joined_ns;
  row.started_ns = visit.exec_ns == kNotReached ? 0 : started_ns;
  row.ended_ns = visit.ended_ns;
  row.worker = visit.worker;
  row.visit = visit.visit;
  row.parent = visit.parent;
  row.module = visit.module;
  row.batch = visit.batch;
  row.outcome = visit.outcome;
  row.reason = visit.reason;
  return row;
}

}  // namespace harness
