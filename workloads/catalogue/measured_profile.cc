#include "workloads/catalogue/measured_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/files/table_reader.h"

namespace harness {
namespace {

constexpr double kMaxMs = 1e9;
constexpr double kMaxShare = 1e6;

/// Returns milliseconds to the nanosecond, without zeros at the end.
std::string ms_text(TimeNs time_ns) {
  std::array<char, 48> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%lld.%06lld", static_cast<long long>(time_ns / kNsPerMs),
                    static_cast<long long>(time_ns % kNsPerMs));
  std::string result(text.data(), static_cast<std::size_t>(size));
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.') result += '0';
  return result;
}

/// Returns six digits, as TOML writes numbers; values that are not finite become 0.
std::string share_text(double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.6g", std::isfinite(value) ? value : 0.0);
  return text.data();
}

template <class Size>
std::string array_text(const std::vector<MeasuredLatency>& sizes, Size of) {
  std::string result = "[";
  for (const MeasuredLatency& size : sizes) result += (result.size() > 1 ? ", " : "") + of(size);
  return result + "]";
}

void add(std::string& text, const char* key, const std::string& value) {
  text += std::string(key) + " = " + value + "\n";
}

void add_times(std::string& text, const char* key, const MeasuredProfile& profile,
               TimeNs MeasuredLatency::*time) {
  add(text, key, array_text(profile.sizes, [&](const MeasuredLatency& size) { return ms_text(size.*time); }));
}

bool every_half_width_is_known(const MeasuredProfile& profile) {
  return std::all_of(profile.sizes.begin(), profile.sizes.end(),
                     [](const MeasuredLatency& size) { return size.half_width_ns.has_value(); });
}

void add_measured(std::string& text, const MeasuredProfile& profile) {
  text += "\n[profile.measured]\n";
  add(text, "repeats", std::to_string(profile.repeats));
  add(text, "stopped_by", toml_text(profile.stopped_by));
  add(text, "drift", share_text(profile.drift));
  add(text, "precision", toml_text(name_of(profile.precision)));
  if (every_half_width_is_known(profile)) {
    const auto half_width = [](const MeasuredLatency& size) { return ms_text(*size.half_width_ns); };
    add(text, "half_width_ms", array_text(profile.sizes, half_width));
  }
  add_times(text, "mean_ms", profile, &MeasuredLatency::mean_ns);
  add_times(text, "p10_ms", profile, &MeasuredLatency::p10_ns);
  add_times(text, "p90_ms", profile, &MeasuredLatency::p90_ns);
  add_times(text, "p99_ms", profile, &MeasuredLatency::p99_ns);
  add(text, "handover_ms", ms_text(std::max<TimeNs>(0, profile.handover_ns)));
  if (profile.fit) {
    add(text, "fit_alpha_ms", share_text(profile.fit->alpha_ms));
    add(text, "fit_beta_ms", share_text(profile.fit->beta_ms));
    add(text, "fit_r2", share_text(profile.fit->r2));
    add(text, "fit_largest_error", share_text(profile.fit->largest_error));
    add(text, "fit_largest_error_batch", std::to_string(profile.fit->largest_error_batch));
  }
  if (profile.exit_points) {
    add(text, "exit_overhead", share_text(profile.exit_points->overhead));
    add(text, "preemption_delay", share_text(profile.exit_points->preemption_delay));
    add(text, "preemption_delay_p99_ms", ms_text(profile.exit_points->preemption_delay_p99_ns));
  }
  if (profile.notes.empty()) return;
  text += "notes = [\n";
  for (const std::string& note : profile.notes) text += "  " + toml_text(note) + ",\n";
  text += "]\n";
}

/// Adds a profile, with the device and source of `set` if that is not null; otherwise these are keys of the
/// file's top.
void add_profile(std::string& text, const MeasuredProfile& profile, const MeasuredSet* set) {
  text += "\n[[profile]]\n";
  add(text, "model", toml_text(profile.model));
  if (set != nullptr) {
    add(text, "device", toml_text(set->device));
    add(text, "source", toml_text(set->source));
  }
  add(text, "batch", array_text(profile.sizes, [](const auto& size) { return std::to_string(size.batch); }));
  add_times(text, "latency_ms", profile, &MeasuredLatency::median_ns);
  if (profile.memory_mb > 0) add(text, "memory_mb", share_text(profile.memory_mb));
  add(text, "load_ms", ms_text(profile.load_ns));
  if (profile.exit_points) add(text, "exit_points", std::to_string(profile.exit_points->exit_points));
  add_measured(text, profile);
}

/// Returns the array's numbers, as many as there are sizes.
std::vector<double> check_array(const TableReader& fields, const std::string& key, std::size_t sizes) {
  if (!fields.has(key)) return {};
  std::vector<double> values = fields.numbers(key, 0, kMaxMs);
  if (values.size() != sizes) {
    throw input_error(fields.place(key), std::to_string(values.size()) + " entries",
                      std::to_string(sizes) + ", as many as latency_ms has");
  }
  return values;
}

void check_order(const TableReader& fields, const std::vector<double>& low, const std::vector<double>& high,
                 const std::string& key) {
  for (std::size_t i = 0; i < std::min(low.size(), high.size()); ++i) {
    if (low[i] <= high[i]) continue;
    throw input_error(fields.place(key), text_of(high[i]) + " below the smaller quantile " + text_of(low[i]),
                      "quantiles in order, size by size");
  }
}

void check_number(const TableReader& fields, const std::string& key, double low, double high) {
  if (fields.has(key)) fields.number(key, low, high);
}

}  // namespace

std::string text_of(const MeasuredSet& set) {
  std::string text =
      "# Written by `harness profile`. latency_ms: medians over the repeats; [profile.measured]: "
      "docs/profile.md.\n";
  add(text, "description", toml_text(set.description));
  add(text, "device", toml_text(set.device));
  add(text, "source", toml_text(set.source));
  for (const MeasuredProfile& profile : set.profiles) add_profile(text, profile, nullptr);
  return text;
}

std::string added_text(const std::string& file, std::string_view before, const MeasuredSet& set) {
  parse_profiles(file, before);
  std::string text(before);
  if (!text.empty() && text.back() != '\n') text += '\n';
  for (const MeasuredProfile& profile : set.profiles) add_profile(text, profile, &set);
  parse_profiles(file, text);
  return text;
}

void read_measured(const TableReader& measured, std::size_t sizes, Profile& profile) {
  measured.require_known({"repeats", "stopped_by", "drift", "half_width_ms", "mean_ms", "p10_ms", "p90_ms",
                          "p99_ms", "handover_ms", "fit_alpha_ms", "fit_beta_ms", "fit_r2",
                          "fit_largest_error", "fit_largest_error_batch", "exit_overhead", "preemption_delay",
                          "preemption_delay_p99_ms", "precision", "notes"});
  if (measured.has("repeats")) measured.integer("repeats", 1, 1'000'000'000);
  if (measured.has("stopped_by")) measured.text("stopped_by");
  if (measured.has("notes")) measured.texts("notes");
  check_array(measured, "half_width_ms", sizes);
  check_array(measured, "mean_ms", sizes);
  const std::vector<double> p10 = check_array(measured, "p10_ms", sizes);
  const std::vector<double> p90 = check_array(measured, "p90_ms", sizes);
  const std::vector<double> p99 = check_array(measured, "p99_ms", sizes);
  check_order(measured, p10, p90, "p90_ms");
  check_order(measured, p90, p99, "p99_ms");
  for (const char* key : {"preemption_delay_p99_ms", "fit_alpha_ms", "fit_beta_ms"})
    check_number(measured, key, key[0] == 'f' ? -kMaxMs : 0, kMaxMs);
  for (const char* key : {"drift", "fit_r2", "exit_overhead"})
    check_number(measured, key, -kMaxShare, kMaxShare);
  for (const char* key : {"fit_largest_error", "preemption_delay"}) check_number(measured, key, 0, kMaxShare);
  if (measured.has("fit_largest_error_batch")) measured.integer("fit_largest_error_batch", 1, 4096);
  profile.handover_ns = ms_to_ns(measured.number_or("handover_ms", 0, kMaxMs, 0));
  const std::string precision = measured.text_or("precision", name_of(Precision::kFp32));
  profile.precision = precision_of(precision);
  if (!profile.precision)
    throw input_error(measured.place("precision"), "'" + precision + "'", "fp32, fp16 or bf16");
}

namespace {

constexpr int kMaxSlots = 4096;
constexpr double kMaxTokens = 1e7;
constexpr double kFastest = 1e12;
constexpr double kWidest = 4;  ///< sigma of a lognormal

/// True if the key has the second of two words; the first is the default.
bool is_second(const TableReader& fields, const std::string& key, const char* first, const char* second) {
  const std::string word = fields.text_or(key, first);
  if (word == second) return true;
  if (word == first) return false;
  throw input_error(fields.place(key), "\"" + word + "\"",
                    "one of " + std::string(first) + ", " + std::string(second));
}

TokenLengths lengths_of(const TableReader& fields, const std::string& what) {
  TokenLengths lengths;
  lengths.median = fields.number(what + "_median", 1, kMaxTokens);
  lengths.sigma = fields.number(what + "_sigma", 0, kWidest);
  lengths.most = fields.number_or("max_tokens", 1, kMaxTokens, lengths.most);
  return lengths;
}

/// Returns the total rates at 1..slots sequences, in straight lines between the given ones and constant after
/// the last.
std::vector<double> decode_curve(const TableReader& fields, int slots) {
  const std::vector<double> points = fields.numbers("concurrency", 1, kMaxSlots);
  const std::vector<double> rates = fields.numbers("decode_tokens_per_s", 1e-6, kFastest);
  if (points.size() != rates.size()) {
    throw input_error(fields.place("concurrency"), std::to_string(points.size()) + " numbers",
                      std::to_string(rates.size()) + ", as many as decode_tokens_per_s has");
  }
  const auto is_whole = [](double point) { return std::floor(point) == point; };
  if (points.empty() || points.front() != 1 || !std::all_of(points.begin(), points.end(), is_whole) ||
      !std::is_sorted(points.begin(), points.end(), std::less_equal<>())) {
    throw input_error(fields.place("concurrency"), "numbers that do not rise from 1",
                      "integers, 1 first, then each larger than the last");
  }
  std::vector<double> curve;
  std::size_t right = 0;
  for (int count = 1; count <= slots; ++count) {
    while (right < points.size() && points[right] < count) ++right;
    if (right == points.size()) {
      curve.push_back(rates.back());
    } else if (right == 0) {
      curve.push_back(rates.front());
    } else {
      const double share = (count - points[right - 1]) / (points[right] - points[right - 1]);
      curve.push_back(rates[right - 1] + (rates[right] - rates[right - 1]) * share);
    }
  }
  return curve;
}

/// Returns a profile with name, device and source; its device is `device` if neither the table nor the top
/// has one.
Profile named_profile(const TableReader& fields, const TableReader& top, const std::string& device) {
  Profile profile;
  profile.model = fields.text("model");
  profile.device = fields.text_or("device", device);
  if (profile.device.empty())
    throw input_error(fields.place("device"), "nothing", "a device, here or at the top");
  profile.source = fields.text_or("source", top.text_or("source", ""));
  return profile;
}

TimeNs whole_ns(double ns) {
  constexpr double kLongestNs = 1e18;  // what no objective allows, but a TimeNs holds
  return static_cast<TimeNs>(std::clamp(ns + 0.5, 1.0, kLongestNs));
}

}  // namespace

Profile shared_profile(const TableReader& fields, const TableReader& top) {
  fields.require_known({"model", "device", "source", "slots", "prefill_tokens_per_s", "chunk_tokens",
                        "concurrency", "decode_tokens_per_s", "ends_at", "lengths", "input_median",
                        "input_sigma", "output_median", "output_sigma", "max_tokens"});
  Profile profile = named_profile(fields, top, top.text_or("device", ""));
  profile.service = Service::kShared;
  SharedService& shared = profile.shared;
  shared.slots = fields.integer("slots", 1, kMaxSlots);
  shared.prefill_tokens_per_s = fields.number("prefill_tokens_per_s", 1e-6, kFastest);
  shared.chunk_tokens = fields.number_or("chunk_tokens", 1, kMaxTokens, shared.chunk_tokens);
  shared.decode_tokens_per_s = decode_curve(fields, shared.slots);
  shared.ends_at_first_token = is_second(fields, "ends_at", "last_token", "first_token");
  shared.lengths_from_trace = is_second(fields, "lengths", "drawn", "trace");
  shared.input = lengths_of(fields, "input");
  shared.output = lengths_of(fields, "output");
  profile.latency_ns = {whole_ns(alone_ns(shared, mean_of(shared.input), mean_of(shared.output)))};
  return profile;
}

Profile delay_profile(const TableReader& fields, const TableReader& top) {
  fields.require_known({"model", "device", "source", "threads", "median_ms", "sigma"});
  Profile profile = named_profile(fields, top, "remote");
  profile.service = Service::kDelay;
  profile.delay.slots = fields.integer("threads", 1, kMaxSlots);
  profile.delay.median_ns = ms_to_ns(fields.number("median_ms", 1e-6, 1e7));
  profile.delay.sigma = fields.number("sigma", 0, kWidest);
  profile.latency_ns = {whole_ns(mean_ns(profile.delay))};
  return profile;
}

namespace {

constexpr const char* kSlos = "goodput_slo_ms";
constexpr const char* kRates = "goodput_rps";
constexpr const char* kSource = "goodput_source";

/// The lines of a text; a key's line is as TOML counts it, from 1.
class EditedLines {
 public:
  explicit EditedLines(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      lines_.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    added_.resize(lines_.size() + 1);
    gone_.resize(lines_.size());
  }

  /// Removes the key on that line, with further lines of its array.
  void remove(int line) {
    std::size_t at = static_cast<std::size_t>(line) - 1;
    const bool is_array = lines_[at].find('[') != std::string::npos;
    gone_[at] = true;
    while (is_array && at + 1 < lines_.size() && lines_[at].find(']') == std::string::npos)
      gone_[++at] = true;
  }
  void add_after(int line, const std::string& text) { added_[static_cast<std::size_t>(line)] += text; }
  /// Returns the last line of the block of keys that has that line: before an empty line or a header.
  int last_of_block(int line) const {
    auto at = static_cast<std::size_t>(line);
    while (at < lines_.size()) {
      const std::size_t first = lines_[at].find_first_not_of(" \t\r");
      if (first == std::string::npos || lines_[at][first] == '[') break;
      ++at;
    }
    return static_cast<int>(at);
  }
  std::string text() const {
    std::string text = added_[0];
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!gone_[i]) text += lines_[i] + "\n";
      text += added_[i + 1];
    }
    return text;
  }

 private:
  std::vector<std::string> lines_;
  std::vector<std::string> added_;  ///< text after each line; [i]: after line i
  std::vector<bool> gone_;
};

std::string number_text(double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

template <class Value>
std::string line_of(const char* key, const std::vector<GoodputPoint>& points, Value value) {
  std::string text;
  for (const GoodputPoint& point : points) text += (text.empty() ? "" : ", ") + number_text(value(point));
  return std::string(key) + " = [" + text + "]\n";
}

void remove_keys(EditedLines& lines, const TableReader& fields, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (fields.has(key)) lines.remove(fields.place(key).line);
  }
}

void set_source(EditedLines& lines, const TableReader& top, const std::string& source) {
  remove_keys(lines, top, {kSource});
  int line = 0;
  for (const char* key : {"description", "device", "source"}) {
    if (top.has(key)) line = std::max(line, top.place(key).line);
  }
  lines.add_after(line, std::string(kSource) + " = \"" + source + "\"\n");
}

bool is_as_before(const Profile& before, const Profile& after) {
  return before.model == after.model && before.device == after.device && before.source == after.source &&
         before.latency_ns == after.latency_ns && before.memory_mb == after.memory_mb &&
         before.load_ns == after.load_ns && before.exit_points == after.exit_points;
}

/// True if `text` reads back with the goodput and is otherwise as before.
bool reads_back(const std::string& file, const std::string& text, const ProfileSet& before,
                const std::map<std::string, std::vector<GoodputPoint>>& goodput) {
  try {
    const ProfileSet after = parse_profiles(file, text);
    return std::equal(before.profiles.begin(), before.profiles.end(), after.profiles.begin(),
                      after.profiles.end(), [&](const auto& old, const auto& now) {
                        const auto found = goodput.find(now.first);
                        const std::size_t points =
                            found == goodput.end() ? old.second.goodput.size() : found->second.size();
                        return is_as_before(old.second, now.second) && now.second.goodput.size() == points;
                      });
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string with_goodput(const std::string& file, std::string_view text,
                         const std::map<std::string, std::vector<GoodputPoint>>& goodput,
                         const std::string& source) {
  const ProfileSet before = parse_profiles(file, text);
  const TomlValue document = parse_toml(file, text);
  const TableReader top(file, document);
  if (top.has("base"))
    throw input_error(top.place("base"), "a set made from another one",
                      "a set whose profiles are in it, so that goodput can be added");
  EditedLines lines(text);
  set_source(lines, top, source);
  for (const TableReader& fields : top.some_tables("profile")) {
    const auto found = goodput.find(fields.text("model"));
    if (found == goodput.end()) continue;
    remove_keys(lines, fields, {kSlos, kRates, kSource});
    const auto slo_ms = [](const GoodputPoint& point) { return ns_to_ms(point.slo_ns); };
    const auto rps = [](const GoodputPoint& point) { return point.rps; };
    lines.add_after(lines.last_of_block(fields.place("model").line),
                    line_of(kSlos, found->second, slo_ms) + line_of(kRates, found->second, rps));
  }
  std::string result = lines.text();
  if (!reads_back(file, result, before, goodput))
    throw input_error({file, 0, "profile"}, "profiles in one line, or keys of several",
                      "[[profile]] tables with a line for each key, so that goodput can be added");
  return result;
}

}  // namespace harness
