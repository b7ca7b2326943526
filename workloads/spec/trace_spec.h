// A trace: a file or a generated shape, and the way to its sending times.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/arrivals.h"
#include "harness/core/error.h"
#include "harness/core/params.h"
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

  /// Binds the numbers and choices above to keys, with their documentation.
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
/// another, keys without an effect (trace_keys.h). Throws InputError at the field's place. Reads no file.
void check_trace(const TraceSpec& spec);
/// True if duration_s was given: only then a recorded load that is shorter lasts that long.
bool asks_for_duration(const TraceSpec& spec);

/// Facts that a reader should know of a file's load.
struct LoadFacts {
  /// One line each: first what was read as what, then surprises: an end before duration_s, a peak over mean
  /// more than a tenth off the recorded one.
  std::vector<std::string> remarks;
  /// The highest mean over a whole second (or a bin that is longer) of the replayed window, over the mean of
  /// all of it: as it was recorded, and of the rate at which requests are placed. NaN if no file is replayed,
  /// or if its times are too far apart to be counted in bins.
  double recorded_peak_over_mean = std::numeric_limits<double>::quiet_NaN();
  double sent_peak_over_mean = std::numeric_limits<double>::quiet_NaN();
};

/// Makes the sending times of the trace. `target_rps` > 0 scales it: the mean (scale_to = peak: the highest
/// mean over one whole second; start: the rate of the first bin) of the replayed window becomes that.
/// `target_rps` <= 0 replays a file as it was recorded: recorded times as they are (`repeat` and `clip_rps`
/// are errors then), counts with as many requests in each bin as were counted (`process` places them within
/// it; mmpp is an error), neither with a `contrast`, and streams at the rates of their classes; another
/// generated shape is an error then. Recorded times are treated as counts in bins of bin_s (1 s unless given)
/// if target_rps > 0: their order within a bin is not kept. `notes`, if given, gets the LoadFacts of a file;
/// other shapes leave it unchanged. Throws InputError (check_trace, the file's reader, a window outside the
/// file or without requests).
std::unique_ptr<ArrivalSource> make_arrivals(const TraceSpec& spec, double target_rps, std::uint64_t seed,
                                             LoadFacts* notes = nullptr);

/// Makes the sample of the load by which some systems plan (InferLine, section 6: traces "with the same
/// performance characteristics", or the first 25 %): with `sample_share` the beginning of the trace, which
/// make_arrivals() leaves out, else the whole trace with the requests of another seed. Throws InputError as
/// make_arrivals() does, and if the sample would be the very requests that are served: for streams and,
/// without `sample_share`, for a file that is replayed as it was recorded.
std::unique_ptr<ArrivalSource> make_sample(const TraceSpec& spec, double target_rps, std::uint64_t seed);

/// Returns the compression in effect: `compress`, or the default of the shape if that is 0.
double compression_of(const TraceSpec& spec);

}  // namespace harness
