// For tests: a trace read back with protobuf, with names in place of their numbers, and each track's slices
// whole.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/types.h"
#include "harness/files/file_bytes.h"
#include "harness/views/trace.pb.h"

namespace harness::testing {

/// A slice or an instant.
struct DecodedEvent {
  std::uint64_t track = 0;
  TimeNs begin = 0;
  TimeNs end = 0;
  std::string name;
  std::set<std::string> categories;
  std::map<std::string, double> numbers;  ///< annotations
  std::map<std::string, std::set<std::uint64_t>> lists;
};

struct DecodedTrack {
  std::uint64_t parent = 0;
  std::string name;
  bool is_counter = false;
  std::vector<DecodedEvent> slices;  ///< slices in the order of the file
  std::vector<DecodedEvent> instants;
  std::vector<std::pair<TimeNs, std::int64_t>> points;  ///< points of a counter
};

/// The part of one event in a flow.
struct FlowStep {
  TimeNs at = 0;
  std::size_t packet = 0;
  bool is_last = false;
  std::string thing;  ///< "track name at time"
};

class DecodedTrace {
 public:
  /// Reads the trace. The test fails if a slice begins in another one of its track or ends twice.
  explicit DecodedTrace(const std::string& path) {
    perfetto::Trace trace;
    EXPECT_TRUE(trace.ParseFromString(read_file(path, kLargestTrace)));
    for (const perfetto::TracePacket& packet : trace.packet()) {
      ++packets_;
      EXPECT_EQ(packet.trusted_packet_sequence_id(), 1U);
      for (const auto& one : packet.interned_data().event_names()) names_[one.iid()] = one.name();
      for (const auto& one : packet.interned_data().event_categories()) categories_[one.iid()] = one.name();
      for (const auto& one : packet.interned_data().debug_annotation_names()) keys_[one.iid()] = one.name();
      if (packet.has_track_descriptor()) add_track(packet.track_descriptor());
      if (packet.has_track_event()) add_event(packet);
    }
    for (const auto& [track, slice] : open_) ADD_FAILURE() << slice.name << " does not end on " << track;
    for (auto& [id, steps] : flows) {
      std::stable_sort(steps.begin(), steps.end(),
                       [](const FlowStep& a, const FlowStep& b) { return a.at < b.at; });
    }
  }

  /// Returns the names from the cell's track down, without it: "m0/worker 3".
  std::string path_of(std::uint64_t track) const {
    const DecodedTrack& here = tracks.at(track);
    if (here.parent == 0) return "";
    const std::string above = path_of(here.parent);
    return above.empty() ? here.name : above + "/" + here.name;
  }
  const DecodedTrack* find(const std::string& path) const {
    for (const auto& [id, track] : tracks) {
      if (path_of(id) == path) return &track;
    }
    return nullptr;
  }

  std::map<std::uint64_t, DecodedTrack> tracks;
  std::map<std::uint64_t, std::vector<FlowStep>> flows;  ///< steps of each flow in order of time

 private:
  void add_track(const perfetto::TrackDescriptor& descriptor) {
    EXPECT_EQ(tracks.count(descriptor.uuid()), 0U);
    EXPECT_EQ(descriptor.has_parent_uuid(), !tracks.empty());
    EXPECT_TRUE(!descriptor.has_parent_uuid() || tracks.count(descriptor.parent_uuid()) == 1);
    DecodedTrack& track = tracks[descriptor.uuid()];
    track.parent = descriptor.parent_uuid();
    track.name = descriptor.name();
    track.is_counter = descriptor.has_counter();
  }

  void add_event(const perfetto::TracePacket& packet) {
    const perfetto::TrackEvent& event = packet.track_event();
    ASSERT_EQ(tracks.count(event.track_uuid()), 1U);
    DecodedTrack& track = tracks[event.track_uuid()];
    const auto at = static_cast<TimeNs>(packet.timestamp());
    ASSERT_EQ(track.is_counter, event.type() == perfetto::TrackEvent::TYPE_COUNTER);
    if (track.is_counter) {
      track.points.emplace_back(at, event.counter_value());
      return;
    }
    if (event.type() == perfetto::TrackEvent::TYPE_SLICE_END) {
      ASSERT_EQ(open_.count(event.track_uuid()), 1U) << "nothing to end on " << track.name;
      DecodedEvent& slice = open_[event.track_uuid()];
      slice.end = at;
      EXPECT_GE(slice.end, slice.begin);
      track.slices.push_back(slice);
      open_.erase(event.track_uuid());
      return;
    }
    const DecodedEvent decoded = decode(event, at);
    const std::string thing = path_of(event.track_uuid()) + " at " + std::to_string(at);
    for (const std::uint64_t id : event.flow_ids()) flows[id].push_back({at, packets_, false, thing});
    for (const std::uint64_t id : event.terminating_flow_ids())
      flows[id].push_back({at, packets_, true, thing});
    if (event.type() == perfetto::TrackEvent::TYPE_INSTANT) {
      track.instants.push_back(decoded);
      return;
    }
    ASSERT_EQ(event.type(), perfetto::TrackEvent::TYPE_SLICE_BEGIN);
    EXPECT_EQ(open_.count(event.track_uuid()), 0U) << "slices of " << track.name << " overlap";
    EXPECT_TRUE(track.slices.empty() || track.slices.back().end <= at)
        << "slices of " << track.name << " overlap";
    open_[event.track_uuid()] = decoded;
  }

  DecodedEvent decode(const perfetto::TrackEvent& event, TimeNs at) const {
    DecodedEvent decoded;
    decoded.track = event.track_uuid();
    decoded.begin = decoded.end = at;
    decoded.name = names_.at(event.name_iid());
    for (const std::uint64_t iid : event.category_iids()) decoded.categories.insert(categories_.at(iid));
    for (const perfetto::DebugAnnotation& one : event.debug_annotations()) {
      const std::string& key = keys_.at(one.name_iid());
      if (one.has_uint_value()) decoded.numbers[key] = static_cast<double>(one.uint_value());
      if (one.has_double_value()) decoded.numbers[key] = one.double_value();
      for (const auto& value : one.array_values()) decoded.lists[key].insert(value.uint_value());
    }
    return decoded;
  }

  std::size_t packets_ = 0;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, std::string> categories_;
  std::map<std::uint64_t, std::string> keys_;
  std::map<std::uint64_t, DecodedEvent> open_;  ///< open slice by track
};

}  // namespace harness::testing
