#include "workloads/spec/unused_key.h"

#include <algorithm>

#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "workloads/spec/trace_keys.h"

namespace harness {
namespace {

using Unused = std::optional<UnusedKey>;
using Names = std::vector<std::string>;

bool is_one_of(const std::string& name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string with(const char* key, const std::string& value) {
  return std::string("with ") + key + " = \"" + value + "\"";
}

bool is_file(const TraceSpec& spec) { return spec.shape == "file"; }

/// True if the rate never changes.
bool is_flat(const TraceSpec& spec) {
  return is_one_of(spec.shape, {"constant", "poisson", "gamma", "mmpp"});
}

/// True if rates are recorded, or stand for recorded ones.
bool has_curve(const TraceSpec& spec) {
  return is_file(spec) || is_one_of(spec.shape, {"wiki", "tweet", "azure"}) || is_autoscale_shape(spec.shape);
}

bool has_times(const std::string& format) {
  return is_one_of(format, {"times", "gaps", "azure_llm", "burstgpt", "mooncake"});
}

bool is_as_recorded(const TraceSpec& spec, bool is_scaled) { return is_file(spec) && !is_scaled; }

Unused needs_rate(const char* more = "") {
  return UnusedKey{"for a trace as it was recorded", std::string("a rate above 0") + more};
}

/// Returns why a key of files has no use for the trace's shape, if so.
Unused without_file(const TraceSpec& spec, const std::string& key) {
  const auto has = [&spec](auto is_recorded) {
    return std::any_of(spec.streams.begin(), spec.streams.end(), is_recorded);
  };
  const bool requests = has([](const StreamClass& one) { return one.process == StreamProcess::kRecorded; });
  const bool minutes = has([](const StreamClass& one) { return one.minutes == StreamMinutes::kRecorded; });
  if (is_file(spec) || requests || (minutes && (key == "format" || key == "column"))) return {};
  if (spec.shape != "streams") return UnusedKey{with("shape", spec.shape), "shape = \"file\""};
  return UnusedKey{with("shape", "streams"), "a class with process = \"recorded\""};
}

/// Returns why a key for reading a file has no effect, if so. The importer knows the effects on the contents
/// (logs/keys.py).
Unused unused_in_reading(const TraceSpec& spec, const std::string& key, bool is_scaled) {
  if (key == "bin_s" && is_as_recorded(spec, is_scaled) && has_times(spec.format))
    return needs_rate(", at which recorded times become counts");
  return without_file(spec, key);
}

/// Returns why a key for placing requests has no effect, if so.
Unused unused_in_placing(const TraceSpec& spec, const std::string& key, bool is_scaled) {
  constexpr const char* kNames[] = {"poisson", "uniform", "gamma", "mmpp"};
  if (is_as_recorded(spec, is_scaled) && has_times(spec.format)) return needs_rate();
  const bool is_fixed = is_flat(spec) || spec.shape == "transition";
  if (key == "process") {
    if (!is_fixed) return {};
    return UnusedKey{with("shape", spec.shape),
                     spec.shape == "transition" ? "cv or scv: its gaps are gamma (scv = 1: poisson)"
                                                : "shape = \"constant\" (uniform), \"poisson\", \"gamma\" or "
                                                  "\"mmpp\""};
  }
  const ArrivalProcess process = process_of(spec);
  const ArrivalProcess needed = key.starts_with("mmpp_") ? ArrivalProcess::kMmpp : ArrivalProcess::kGamma;
  if (process == needed) return {};
  const std::string name = std::string(" = \"") + kNames[static_cast<int>(needed)] + "\"";
  if (is_fixed) return UnusedKey{with("shape", spec.shape), "shape" + name};
  return UnusedKey{with("process", kNames[static_cast<int>(process)]), "process" + name};
}

/// Returns why a key for the replayed part of a file or for its rate has no effect, if so.
Unused unused_in_replay(const TraceSpec& spec, const std::string& key, bool is_scaled) {
  const Unused of_shape = UnusedKey{with("shape", spec.shape), "shape = \"file\""};
  const bool is_as_is = is_as_recorded(spec, is_scaled);
  if (key == "scale_to") {
    if (is_flat(spec)) return UnusedKey{with("shape", spec.shape), "no such key: its rate never changes"};
    return is_as_is ? needs_rate() : Unused();
  }
  if (is_one_of(key, {"from_s", "compress", "clip_rps", "contrast", "interpolate"})) {
    if (!has_curve(spec))
      return UnusedKey{with("shape", spec.shape), "one of the shapes file, wiki, tweet, azure, autoscale-*"};
    if (is_as_is && (key == "contrast" || key == "interpolate")) return needs_rate();
  } else if (!is_file(spec)) {
    return key == "to_s" && has_curve(spec)
               ? UnusedKey{with("shape", spec.shape), "duration_s, or shape = \"file\""}
               : of_shape;
  }
  if (is_as_is && has_times(spec.format) && is_one_of(key, {"clip_rps", "repeat"}))
    return needs_rate(", at which recorded times become counts");
  if (key == "repeat" && spec.duration_s <= 0)
    return UnusedKey{"without an end to repeat it to", "duration_s above 0"};
  if (is_one_of(key, {"scale_by", "smooth_s"}) && is_as_is) return needs_rate();
  const bool is_raw =
      spec.scale_by == ScaleBy::kRaw || (spec.scale_by == ScaleBy::kAuto && has_times(spec.format));
  if (key == "smooth_s" && is_raw)
    return UnusedKey{spec.scale_by == ScaleBy::kRaw ? with("scale_by", "raw") : "for recorded times",
                     "scale_by = \"smoothed\""};
  return {};
}

/// A trace, compared with one that has no key.
class Compared {
 public:
  explicit Compared(TraceSpec& spec) {
    spec.list_all(params_);
    standard_.list_all(standards_);
  }

  Names keys() const { return params_.names(); }
  /// True if the key has the value of a trace that does not give it.
  bool is_standard(const std::string& key) const {
    return params_.find(key)->get() == standards_.find(key)->get();
  }
  void reset(const std::string& key) { params_.find(key)->set(standards_.find(key)->get()); }

 private:
  TraceSpec standard_;
  ParamList params_;
  ParamList standards_;
};

[[noreturn]] void refuse(const TraceSpec& spec, const std::string& key, const UnusedKey& unused) {
  throw input_error(place_of_field(spec, key), key + " " + unused.why, unused.allowed);
}

}  // namespace

std::optional<UnusedKey> unused_key(const TraceSpec& spec, const std::string& key, bool is_scaled) {
  const bool is_streams = spec.shape == "streams";
  if (is_streams && !is_one_of(key, stream_trace_keys()))
    return UnusedKey{with("shape", spec.shape), join_names(stream_trace_keys()) +
                                                    "; what streams do is in their classes, [[trace." +
                                                    spec.name + ".streams]]"};
  if (key == "file")
    return is_streams || is_file(spec) ? Unused() : UnusedKey{with("shape", spec.shape), "shape = \"file\""};
  if (is_one_of(key, reading_keys())) return unused_in_reading(spec, key, is_scaled);
  if (is_one_of(key, {"shape", "streams", "duration_s", "sample_share"})) return {};
  if (is_one_of(key, {"process", "cv", "scv"}) || key.starts_with("mmpp_"))
    return unused_in_placing(spec, key, is_scaled);
  for (const std::string shape : {"step", "transition"}) {
    if (!key.starts_with(shape + "_")) continue;
    return spec.shape == shape ? Unused() : UnusedKey{with("shape", spec.shape), "shape = \"" + shape + "\""};
  }
  return unused_in_replay(spec, key, is_scaled);
}

void check_keys(const TraceSpec& spec) {
  TraceSpec copy = spec;
  Compared compared(copy);
  for (const std::string& key : compared.keys()) {
    if (!spec.places.contains(key) && compared.is_standard(key)) continue;
    if (const Unused unused = unused_key(spec, key)) refuse(spec, key, *unused);
  }
}

void check_keys_of_file(const TraceSpec& spec, const std::string& format, bool is_scaled) {
  TraceSpec read = spec;
  read.shape = "file";
  read.format = format;
  Compared compared(read);
  for (const std::string& key : compared.keys()) {
    if (compared.is_standard(key)) continue;
    if (const Unused unused = unused_key(read, key, is_scaled)) refuse(spec, key, *unused);
  }
}

void drop_unused_keys(TraceSpec& spec) {
  Compared compared(spec);
  for (const std::string& key : compared.keys()) {
    if (!unused_key(spec, key)) continue;
    spec.places.erase(key);
    compared.reset(key);
  }
}

}  // namespace harness
