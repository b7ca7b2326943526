#include "harness/views/trace_writer.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/printable.h"
#include "harness/views/trace.pb.h"

namespace harness {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::uint32_t kSequence = 1;  // number of the sequence of all packets
/// The tag of Trace.packet: field 1, of a length that follows.
constexpr char kPacketTag = 0x0a;

perfetto::TrackEvent::Type type_of(TraceWriter::Kind kind) {
  switch (kind) {
    case TraceWriter::Kind::kBegin:
      return perfetto::TrackEvent::TYPE_SLICE_BEGIN;
    case TraceWriter::Kind::kEnd:
      return perfetto::TrackEvent::TYPE_SLICE_END;
    case TraceWriter::Kind::kInstant:
      return perfetto::TrackEvent::TYPE_INSTANT;
    case TraceWriter::Kind::kCounter:
      return perfetto::TrackEvent::TYPE_COUNTER;
  }
  return perfetto::TrackEvent::TYPE_UNSPECIFIED;
}

}  // namespace

struct TraceWriter::State {
  /// The texts of one kind by their numbers, from 1.
  class Interned {
   public:
    /// Returns the number of `text`; `add` makes the entry of a new text.
    template <class Add>
    std::uint64_t operator()(std::string_view text, const Add& add) {
      key_.assign(text);
      const auto [place, is_new] = ids_.try_emplace(key_, ids_.size() + 1);
      if (is_new) {
        auto* entry = add();
        entry->set_iid(place->second);
        entry->set_name(key_);
      }
      return place->second;
    }

   private:
    std::unordered_map<std::string, std::uint64_t> ids_;
    std::string key_;
  };

  perfetto::TracePacket packet;  // used again for each packet, which keeps its memory
  Interned names;
  Interned categories;
  Interned keys;
  std::vector<std::int32_t> children;  // number of children by track; entry 0 counts tracks without a parent
  std::string buffer;
  std::uint64_t bytes = 0;

  perfetto::TrackEvent& event() { return *packet.mutable_track_event(); }
  perfetto::DebugAnnotation& annotation(std::string_view key) {
    const std::uint64_t iid =
        keys(key, [this] { return packet.mutable_interned_data()->add_debug_annotation_names(); });
    perfetto::DebugAnnotation& added = *event().add_debug_annotations();
    added.set_name_iid(iid);
    return added;
  }
};

TraceWriter::TraceWriter(FileWriter& file) : file_(file), state_(std::make_unique<State>()) {
  state_->children.push_back(0);
  state_->buffer.reserve(kBufferBytes + (std::size_t{1} << 16));
  state_->packet.set_sequence_flags(perfetto::TracePacket::SEQ_INCREMENTAL_STATE_CLEARED);
  send();
}

TraceWriter::~TraceWriter() = default;

TrackId TraceWriter::add_track(TrackId parent, const std::string& name) {
  return describe(parent, name, false);
}

TrackId TraceWriter::add_counter(TrackId parent, const std::string& name) {
  return describe(parent, name, true);
}

TrackId TraceWriter::describe(TrackId parent, const std::string& name, bool is_counter) {
  const TrackId id = state_->children.size();
  perfetto::TrackDescriptor& track = *state_->packet.mutable_track_descriptor();
  track.set_uuid(id);
  track.set_name(printable(name));
  if (parent != kNoTrack) track.set_parent_uuid(parent);
  track.set_sibling_order_rank(state_->children[parent]++);
  if (is_counter)
    track.mutable_counter()->set_unit(perfetto::CounterDescriptor::UNIT_COUNT);
  else
    track.set_child_ordering(perfetto::TrackDescriptor::EXPLICIT);
  state_->children.push_back(0);
  send();
  return id;
}

void TraceWriter::begin_event(Kind kind, TimeNs at, TrackId track) {
  state_->packet.set_timestamp(static_cast<std::uint64_t>(std::max<TimeNs>(0, at)));
  state_->event().set_type(type_of(kind));
  state_->event().set_track_uuid(track);
}

void TraceWriter::name(std::string_view name) {
  State& state = *state_;
  state.event().set_name_iid(
      state.names(name, [&state] { return state.packet.mutable_interned_data()->add_event_names(); }));
}

void TraceWriter::category(std::string_view category) {
  State& state = *state_;
  state.event().add_category_iids(state.categories(
      category, [&state] { return state.packet.mutable_interned_data()->add_event_categories(); }));
}

void TraceWriter::value(std::int64_t value) { state_->event().set_counter_value(value); }

void TraceWriter::annotate(std::string_view key, std::uint64_t value) {
  state_->annotation(key).set_uint_value(value);
}

void TraceWriter::annotate(std::string_view key, double value) {
  state_->annotation(key).set_double_value(value);
}

void TraceWriter::annotate(std::string_view key, std::span<const std::uint64_t> values) {
  perfetto::DebugAnnotation& list = state_->annotation(key);
  for (const std::uint64_t value : values) list.add_array_values()->set_uint_value(value);
}

void TraceWriter::flow(std::uint64_t id, bool is_last) {
  if (is_last)
    state_->event().add_terminating_flow_ids(id);
  else
    state_->event().add_flow_ids(id);
}

void TraceWriter::end_event() {
  // An event without a name refers to nothing that was written before.
  if (state_->event().has_name_iid())
    state_->packet.set_sequence_flags(perfetto::TracePacket::SEQ_NEEDS_INCREMENTAL_STATE);
  send();
}

void TraceWriter::send() {
  State& state = *state_;
  state.packet.set_trusted_packet_sequence_id(kSequence);
  const std::size_t bytes = state.packet.ByteSizeLong();
  HARNESS_CHECK(bytes <= std::numeric_limits<int>::max(), "a packet of a trace is too large");
  const std::size_t start = state.buffer.size();
  state.buffer += kPacketTag;
  for (std::size_t length = bytes; length > 0 || state.buffer.size() == start + 1; length >>= 7)
    state.buffer += static_cast<char>((length & 0x7f) | (length > 0x7f ? 0x80 : 0));
  const std::size_t begin = state.buffer.size();
  state.buffer.resize(begin + bytes);
  state.packet.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(&state.buffer[begin]));
  state.packet.Clear();
  if (state.buffer.size() < kBufferBytes) return;
  finish();
}

std::uint64_t TraceWriter::finish() {
  file_.add(state_->buffer);
  state_->bytes += state_->buffer.size();
  state_->buffer.clear();
  return state_->bytes;
}

}  // namespace harness
