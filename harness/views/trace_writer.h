// Writes a trace for Perfetto's page, packet by packet: tracks, slices, instants, counters and the arrows
// between slices.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/core/types.h"
#include "workloads/files/file_bytes.h"

namespace harness {

/// A row of the page, or a group of rows. The same number for all events of it.
using TrackId = std::uint64_t;
inline constexpr TrackId kNoTrack = 0;

/// Events may come in any order of time, but those of one track at the same time in the order in which they
/// are to stand. Names, categories and keys are written once. No more than a packet and a buffer is in
/// memory. Throws EnvironmentError as FileWriter.
class TraceWriter {
 public:
  enum class Kind : std::uint8_t { kBegin, kEnd, kInstant, kCounter };

  explicit TraceWriter(FileWriter& file);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// Tracks stand under their parent in the order in which they were added.
  TrackId add_track(TrackId parent, const std::string& name);
  TrackId add_counter(TrackId parent, const std::string& name);

  // An event: begin_event(), what belongs to it, end_event().

  /// Times before 0 count as 0.
  void begin_event(Kind kind, TimeNs at, TrackId track);
  void name(std::string_view name);
  void category(std::string_view category);
  void value(std::int64_t value);  ///< of a counter
  void annotate(std::string_view key, std::uint64_t value);
  void annotate(std::string_view key, double value);
  void annotate(std::string_view key, std::span<const std::uint64_t> values);
  /// The flow's arrow comes from the event that had it last in time; `is_last`: none goes on from here.
  void flow(std::uint64_t id, bool is_last);
  void end_event();

  /// Writes what is still in the buffer; returns the bytes of the trace.
  std::uint64_t finish();

 private:
  struct State;

  TrackId describe(TrackId parent, const std::string& name, bool is_counter);
  void send();

  FileWriter& file_;
  std::unique_ptr<State> state_;
};

}  // namespace harness
