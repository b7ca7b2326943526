// Writes a trace for Perfetto's page, packet by packet: tracks, slices, instants, counters and the arrows
// between slices.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/core/types.h"
#include "harness/files/file_writer.h"

namespace harness {

/// The number of a row of the page, or of a group of rows; it is the same for all events of the row.
using TrackId = std::uint64_t;
inline constexpr TrackId kNoTrack = 0;

/// Writes tracks and events. Events may come in any order of time, but events of one track at the same time
/// must come in the order in which they are to be shown. Names, categories and keys are written once. No more
/// than a packet and a buffer is in memory. Throws EnvironmentError as FileWriter does.
class TraceWriter {
 public:
  enum class Kind : std::uint8_t { kBegin, kEnd, kInstant, kCounter };

  explicit TraceWriter(FileWriter& file);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// Adds a track. The page shows tracks under their parent in the order in which they were added.
  TrackId add_track(TrackId parent, const std::string& name);
  TrackId add_counter(TrackId parent, const std::string& name);

  // An event is written by begin_event(), then what belongs to it, then end_event().

  /// Begins an event; times before 0 count as 0.
  void begin_event(Kind kind, TimeNs at, TrackId track);
  void name(std::string_view name);
  void category(std::string_view category);
  void value(std::int64_t value);  ///< sets the value of a counter
  void annotate(std::string_view key, std::uint64_t value);
  void annotate(std::string_view key, double value);
  void annotate(std::string_view key, std::span<const std::uint64_t> values);
  /// Adds the event to a flow, whose arrow comes from the event that had it last in time; `is_last`: no arrow
  /// goes on from here.
  void flow(std::uint64_t id, bool is_last);
  void end_event();

  /// Writes what is still in the buffer; returns the number of bytes of the trace.
  std::uint64_t finish();

 private:
  struct State;

  TrackId describe(TrackId parent, const std::string& name, bool is_counter);
  void send();

  FileWriter& file_;
  std::unique_ptr<State> state_;
};

}  // namespace harness
