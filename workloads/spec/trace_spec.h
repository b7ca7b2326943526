// A trace: a file or a generated shape, and the way to its sending times.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "workloads/spec/stream_class.h"

namespace harness {

/// The figure of the rate that is scaled to the target, and the curve from which it is taken.
enum class ScaleTo { kMean, kPeak, kStart };
enum class ScaleBy { kAuto, kSmoothed, kRaw };
/// The way in which requests are placed at a given rate.
enum class ArrivalProcess { kPoisson, kUniform, kGamma, kMmpp };
/// The unit of the times of a file; auto leaves it to the file.
enum class TimeUnit { kAuto, kSeconds, kMilliseconds, kMicroseconds, kNanoseconds };
/// The time for which a number of format rates counts requests; auto leaves it to the file.
enum class RateUnit { kAuto, kPerSecond, kPerMinute, kPerHour, kPerDay };
/// The treatment of bins that a file of counts leaves out.
enum class Holes { kRefuse, kZero, kInterpolate, kCut };
/// The setting for rates in straight lines from the middle of one bin to the middle of the next.
enum class Interpolate { kAuto, kLinear, kOff };

/// A trace's contents and the way to its sending times.
///
/// There are two times: *source* time, in which the trace was recorded (or, for the shapes wiki, tweet, azure
/// and AutoScale's, in which the real file was), and *replayed* time, in which the run sends. A replayed
/// second is `compress` source seconds, so a run of `duration_s` replays the source from `from_s` to `from_s
/// + duration_s x compress`. The steps, in this order: read, select and sum columns, slice [from_s, to_s) in
/// whole bins, clip to clip_rps, smooth (only when scaling), interpolate, compress, repeat or cut to
/// duration_s, stretch by contrast, scale to the target rate, place requests by `process`.
///
/// A generated wiki, tweet or azure stands for its real file: the same spec with shape "file" and that file
/// gives the same mapping (write its `compress` out). Source time 0 is the first bin of the real file. They
/// last for ever.
struct TraceSpec {
  std::string name;               ///< name in results
  std::string shape = "poisson";  ///< constant, poisson, gamma, one of trace_shape_names()
  std::string file;  ///< shape = file: path, plain or gzipped; streams: of recorded minutes, or empty
  std::string format = "auto";  ///< one of trace_format_names() (workloads/README.md)
  /// counts: columns, separated by commas, whose counts are added: each a name in the header or a position
  /// from 1 on, which must fit one column alone; "" is what the file says. azure_functions: values of
  /// hash_func (or the unique beginning of one), likewise; "" is the sum of all.
  std::string column;
  std::string time_column;  ///< times, counts, gaps: a name or a position; "" is what the file says
  /// The rows that are read: COLUMN=VALUE, several separated by commas; "" reads all.
  std::string where;
  std::string group_by;  ///< times: the column whose equal values are one request, or ""
  TimeUnit time_unit = TimeUnit::kAuto;
  RateUnit rate_unit = RateUnit::kAuto;
  Holes holes = Holes::kRefuse;
  std::vector<StreamClass> streams;  ///< shape = streams: at least one class
  std::string place_file;            ///< file of the spec, for messages
  int place_line = 0;
  std::map<std::string, InputPlace> places;  ///< places of single fields by name, for messages

  /// Length of the generated load. A file is cut to it after compression (0: all of it); see
  /// asks_for_duration().
  double duration_s = 60;
  ScaleTo scale_to = ScaleTo::kMean;
  ScaleBy scale_by = ScaleBy::kAuto;
  double smooth_s = 30;
  ArrivalProcess process = ArrivalProcess::kPoisson;
  double cv = 2;
  double scv = 0;  ///< cv squared, in its place; 0: not given
  double mmpp_ratio = 5;
  double mmpp_high_share = 0.2;
  double mmpp_high_s = 2;
  double step_ratio = 2;
  double step_from = 1.0 / 3.0;
  double step_to = 2.0 / 3.0;
  double transition_ratio = 2;
  double transition_scv = 0;
  double transition_from_s = 0;
  double transition_s = 60;
  double bin_s = 0;
  double from_s = 0;
  double to_s = 0;
  double compress = 0;
  double clip_rps = 0;
  double contrast = 1;
  Interpolate interpolate = Interpolate::kAuto;
  bool repeat = false;
  double sample_share = 0;

  /// Binds all fields that keys of [trace.NAME] set, texts first.
  void list_all(ParamList& params);
  /// Binds the numbers and choices to keys, with their documentation.
  void list(ParamList& params);
};

/// Returns the place of the field, or of the whole spec if that is not known.
InputPlace place_of_field(const TraceSpec& spec, const std::string& field);

/// Returns constant, poisson, gamma, mmpp, step, transition, wiki, tweet, azure, AutoScale's shapes, file,
/// streams, and the presets of streams.
std::vector<std::string> trace_shape_names();
/// Returns the shapes of AutoScale's traces: autoscale-slow, -quick, -spike, -dual, -large, -steep.
std::vector<std::string> autoscale_shape_names();
bool is_autoscale_shape(const std::string& shape);
/// Replaces a shape that is a preset of streams (stream_preset) by shape streams with its classes. Leaves a
/// preset with classes beside it as it is, so that check_trace() refuses it.
void resolve_preset(TraceSpec& spec);
/// Returns auto, times, counts, rates, counter, gaps, and the published formats: azure_functions, azure_llm,
/// burstgpt, mooncake.
std::vector<std::string> trace_format_names();

/// Checks what list() cannot check: shape and format names (naming the nearest), fields that exclude one
/// another, keys without an effect (unused_key.h). Throws InputError at the field's place. Reads no file.
void check_trace(const TraceSpec& spec);
/// True if duration_s was given: only then a recorded load that is shorter lasts that long.
bool asks_for_duration(const TraceSpec& spec);

/// Returns the compression in effect: `compress`, or the default of the shape if that is 0.
double compression_of(const TraceSpec& spec);

/// Returns the way in which requests are placed: the shape's if it fixes one, else `process`.
ArrivalProcess process_of(const TraceSpec& spec);

}  // namespace harness
