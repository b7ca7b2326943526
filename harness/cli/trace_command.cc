#include "harness/cli/commands.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "harness/cli/printing.h"
#include "harness/core/arrival_source.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/files/file_bytes.h"
#include "harness/text/json.h"
#include "harness/text/text_table.h"
#include "workloads/spec/trace_keys.h"
#include "workloads/streams/load_facts.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/counts.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_data.h"
#include "workloads/trace_files/trace_facts.h"
#include "workloads/trace_files/trace_sources.h"

namespace harness {
namespace {

/// The arguments that the user typed; they live as long as the callbacks.
struct TraceArguments {
  std::string trace;
  std::string output;
  std::string folder;
  std::optional<double> rate;
  std::optional<double> duration_s;
  std::uint64_t seed = 1;
  std::string format = "auto";
  std::string column;
  std::string time_column;
  std::string where;
  std::string group_by;
  std::vector<std::string> settings;
  std::vector<std::string> more_settings;  ///< settings given by options of their own
  bool json = false;
};

ParamValue value_of(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc() && end == text.data() + text.size()) return number;
  return text;
}

void apply_setting(const std::string& setting, ParamList& params, TraceSpec& spec) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos) throw input_error({"", 0, "--set"}, "'" + setting + "'", "KEY=VALUE");
  const std::string key = setting.substr(0, equals);
  const Param* param = params.find(key);
  if (param == nullptr) {
    const std::string near = nearest_name(key, params.names());
    throw input_error({"", 0, "--set"}, "'" + key + "'",
                      join_names(params.names()) + (near.empty() ? "" : " (did you mean " + near + "?)"));
  }
  const std::string value = setting.substr(equals + 1);
  if (!param->set(value_of(value)))
    throw input_error({"", 0, "--set: " + key}, "'" + value + "'", param->allowed);
  spec.places[key] = {"", 0, "--set: " + key};
}

/// Returns the shapes that need no file.
std::vector<std::string> generated_shapes() {
  std::vector<std::string> shapes = trace_shape_names();
  std::erase_if(shapes, [](const std::string& shape) { return shape == "file" || shape == "streams"; });
  return shapes;
}

bool names_shape(const std::string& trace) {
  const std::vector<std::string> shapes = generated_shapes();
  return std::find(shapes.begin(), shapes.end(), trace) != shapes.end();
}

void check_there_is_a_file(const std::string& trace) {
  if (trace.ends_with(".toml")) {
    throw input_error({"", 0, "trace"}, "experiment " + trace,
                      "a recorded trace, or one of " + join_names(generated_shapes()) +
                          "; `harness trace cv` reads the streams of an experiment");
  }
  std::error_code error;
  if (std::filesystem::exists(trace, error) || error) return;
  const std::string near = nearest_name(trace, generated_shapes());
  throw input_error({"", 0, "trace"}, "'" + trace + "', where there is no file",
                    "a file, or one of " + join_names(generated_shapes()) +
                        (near.empty() ? "" : " (did you mean " + near + "?)"));
}

/// Checks the options, since CLI11's ranges accept NaN and cannot exclude an end.
void check_options(const TraceArguments& arguments) {
  constexpr double kMax = 1e9;
  if (arguments.rate && !(*arguments.rate > 0 && *arguments.rate <= kMax)) {
    throw input_error({"", 0, "--rate"}, text_of(*arguments.rate), "more than 0, at most 1e9 requests/s");
  }
  if (arguments.duration_s && !(*arguments.duration_s >= 0 && *arguments.duration_s <= kMax)) {
    throw input_error({"", 0, "--duration"}, text_of(*arguments.duration_s), "0 to 1e9 s");
  }
}

/// Returns the trace as the arguments give it, not checked.
TraceSpec given_spec(const TraceArguments& arguments) {
  check_options(arguments);
  TraceSpec spec;
  spec.name = arguments.trace;
  if (names_shape(arguments.trace)) {
    spec.shape = arguments.trace;
    spec.duration_s = 60;
  } else {
    check_there_is_a_file(arguments.trace);
    spec.shape = "file";
    spec.file = arguments.trace;
    spec.duration_s = 0;
  }
  spec.format = arguments.format;
  spec.column = arguments.column;
  spec.time_column = arguments.time_column;
  spec.where = arguments.where;
  spec.group_by = arguments.group_by;
  if (spec.format != "auto") spec.places["format"] = {"", 0, "--format"};
  if (!spec.column.empty()) spec.places["column"] = {"", 0, "--column"};
  if (!spec.time_column.empty()) spec.places["time_column"] = {"", 0, "--time-column"};
  if (!spec.where.empty()) spec.places["where"] = {"", 0, "--where"};
  if (!spec.group_by.empty()) spec.places["group_by"] = {"", 0, "--group-by"};
  ParamList params;
  spec.list(params);
  for (const std::string& setting : arguments.settings) apply_setting(setting, params, spec);
  for (const std::string& setting : arguments.more_settings) {
    apply_setting(setting, params, spec);
    const std::string key = setting.substr(0, setting.find('='));
    spec.places[key] = {"", 0, key == "holes" ? "--holes" : "--rate-unit"};
  }
  if (arguments.duration_s) spec.duration_s = *arguments.duration_s;
  return spec;
}

TraceSpec spec_of(const TraceArguments& arguments) {
  TraceSpec spec = given_spec(arguments);
  resolve_preset(spec);
  check_trace(spec);
  return spec;
}

/// Returns the place of a key that says how a file is replayed, not how it is read; null if no key does.
const InputPlace* key_of_replay(const TraceSpec& spec) {
  const std::vector<std::string> reading = reading_keys();
  for (const auto& [key, place] : spec.places) {
    if (std::find(reading.begin(), reading.end(), key) == reading.end()) return &place;
  }
  return nullptr;
}

double rate_of(const TraceArguments& arguments, const TraceSpec& spec) {
  constexpr double kRateOfShapes = 1000;
  const bool has_its_own = spec.shape == "file" || spec.shape == "streams";
  return arguments.rate.value_or(has_its_own ? 0 : kRateOfShapes);
}

/// The facts of a trace, and which figures of it exist. A figure does not exist if the bins are too long or
/// the trace too short for it, and no figure exists without requests.
struct ShownFacts {
  explicit ShownFacts(const TraceFacts& shown) : facts(shown) {
    if (!(facts.requests > 0)) return;
    has_seconds = divides_into(facts, 1);
    has_bins = !has_seconds && facts.second_s == facts.bin_s && facts.bins >= 2;
    has_minutes = divides_into(facts, 60);
    has_trend = (has_seconds || has_bins) && facts.length_s >= facts.trend_s;
  }

  TraceFacts facts;
  bool has_seconds = false;
  bool has_bins = false;  ///< true if the figures are of bins in place of seconds
  bool has_minutes = false;
  bool has_trend = false;
};

std::string figure_text(const char* name, bool is_defined, double value, const std::string& remark = "") {
  return is_defined ? formatted("  %-15s %.4f%s\n", name, value, remark.c_str())
                    : formatted("  %-15s -\n", name);
}

std::string facts_text(const char* title, const ShownFacts& shown) {
  const TraceFacts& facts = shown.facts;
  std::string text = formatted("%s\n", title);
  text += formatted("  length_s        %.6g (%llu bins of %.6g s)\n", facts.length_s,
                    static_cast<unsigned long long>(facts.bins), facts.bin_s);
  text += formatted("  requests        %.0f\n", facts.requests);
  text += formatted("  mean_rps        %.6g\n", facts.mean_rps);
  text += formatted("  peak_rps        %.6g (mean of the highest %s s)\n", facts.peak_rps,
                    text_of(std::min(facts.second_s, facts.length_s)).c_str());
  text += figure_text("peak_over_mean", facts.requests > 0, facts.peak_over_mean);
  if (shown.has_bins) text += figure_text("cv_bin", true, facts.cv_second);
  text += figure_text("cv_second", shown.has_seconds, facts.cv_second);
  text += figure_text("cv_minute", shown.has_minutes, facts.cv_minute);
  const std::string values = shown.has_seconds ? "seconds" : "bins";
  return text + figure_text("cv_short", shown.has_trend, facts.cv_short,
                            " (" + values + " over their moving mean of " + text_of(facts.trend_s) + " s)");
}

JsonObject facts_json(const ShownFacts& shown) {
  const TraceFacts& facts = shown.facts;
  const auto if_defined = [](bool is_defined, double value) { return is_defined ? value : kNoValue; };
  JsonObject object;
  object.add("length_s", facts.length_s);
  object.add("bins", facts.bins);
  object.add("bin_s", facts.bin_s);
  object.add("requests", facts.requests);
  object.add("mean_rps", facts.mean_rps);
  object.add("peak_rps", facts.peak_rps);
  object.add("peak_window_s", facts.second_s);
  object.add("peak_over_mean", if_defined(facts.requests > 0, facts.peak_over_mean));
  object.add("cv_bin", if_defined(shown.has_bins, facts.cv_second));
  object.add("cv_second", if_defined(shown.has_seconds, facts.cv_second));
  object.add("cv_minute", if_defined(shown.has_minutes, facts.cv_minute));
  object.add("cv_short", if_defined(shown.has_trend, facts.cv_short));
  object.add("trend_window_s", facts.trend_s);
  return object;
}

/// Returns the trace's requests; throws InputError if there are more than `most`.
std::unique_ptr<ArrivalSource> arrivals_of(const TraceArguments& arguments, const TraceSpec& spec,
                                           double most, LoadFacts* notes = nullptr) {
  std::unique_ptr<ArrivalSource> arrivals =
      make_arrivals(spec, rate_of(arguments, spec), arguments.seed, notes);
  if (arrivals->expected_requests() <= most) return arrivals;
  throw input_error({"", 0, "--rate x --duration"}, text_of(arrivals->expected_requests()) + " requests",
                    "at most " + text_of(most));
}

constexpr double kMaxBinsShown = 1e7;
constexpr double kMaxRequestsShown = 2e8;

/// Returns what is known of a recorded trace, as text, and adds it to `object`.
std::string file_text(const TraceSpec& spec, JsonObject& object) {
  const std::shared_ptr<const TraceData> read = recorded_trace(spec);
  const TraceData& data = *read;
  const std::vector<double> counts =
      data.times_ns.empty() ? data.counts : counts_of(data.times_ns, data.bin_s);
  const ShownFacts facts(facts_of(counts, data.bin_s));
  const std::string& checksum = data.checksum;
  object.add("file", spec.file);
  object.add("read", described(data));
  object.add("sha256", checksum);
  object.add("recorded", facts_json(facts).json());
  return formatted("file    %s\nread    %s\nsha256  %s\n", spec.file.c_str(), described(data).c_str(),
                   checksum.c_str()) +
         facts_text("recorded (source time)", facts);
}

std::string shape_text(const TraceArguments& arguments, JsonObject& object) {
  object.add("shape", arguments.trace);
  object.add("seed", arguments.seed);
  return formatted("shape   %s (seed %llu)\n", arguments.trace.c_str(),
                   static_cast<unsigned long long>(arguments.seed));
}

std::string replayed_text(const ArrivalSource& arrivals, const TraceSpec& spec, const LoadFacts& notes,
                          JsonObject& object) {
  const double length_s = ns_to_s(arrivals.duration_ns());
  const double bin_s = std::max(1.0, length_s / kMaxBinsShown);
  const ShownFacts facts(facts_of(counts_of(arrivals, bin_s), bin_s, length_s));
  object.add("compression", compression_of(spec));
  object.add("replayed", facts_json(facts).json());
  object.add("recorded_peak_over_mean", notes.recorded_peak_over_mean);
  object.add("sent_peak_over_mean", notes.sent_peak_over_mean);
  const bool has_peaks = notes.sent_peak_over_mean > 0;
  return formatted("one replayed second is %.6g source seconds\n", compression_of(spec)) +
         facts_text("replayed", facts) +
         (has_peaks ? formatted("  peak_of_rate    %.4f over its mean; recorded in this window: %.4f\n",
                                notes.sent_peak_over_mean, notes.recorded_peak_over_mean)
                    : "");
}

void show_info(const TraceArguments& arguments) {
  const TraceSpec spec = spec_of(arguments);
  const bool is_file = spec.shape == "file";
  const bool is_replayed =
      !is_file || arguments.rate || arguments.duration_s || key_of_replay(spec) != nullptr;
  LoadFacts notes;
  const auto arrivals = is_replayed ? arrivals_of(arguments, spec, kMaxRequestsShown, &notes) : nullptr;
  JsonObject object;
  std::string text = is_file ? file_text(spec, object) : shape_text(arguments, object);
  if (is_replayed) text += replayed_text(*arrivals, spec, notes, object);
  std::vector<std::string>& remarks = notes.remarks;
  if (!remarks.empty()) remarks.erase(remarks.begin());  // what the file was read as
  object.add("warnings", remarks);
  print_text(arguments.json ? object.json(",\n").text + "\n" : text + prefixed_lines("warning: ", remarks));
}

void append_time(std::string& text, TimeNs time) {
  char line[48];
  const int size = std::snprintf(line, sizeof line, "%lld.%09lld\n", static_cast<long long>(time / kNsPerS),
                                 static_cast<long long>(time % kNsPerS));
  text.append(line, static_cast<std::size_t>(size));
}

constexpr const char* kTimesRemark = "# time_unit = s\n";

void make_file(const TraceArguments& arguments) {
  constexpr double kMaxRequests = 5e7;
  const TraceSpec spec = spec_of(arguments);
  LoadFacts notes;
  const std::vector<std::string>& remarks = notes.remarks;
  const auto arrivals = arrivals_of(arguments, spec, kMaxRequests, &notes);
  std::string text = kTimesRemark;
  std::array<TimeNs, 512> times{};
  std::size_t requests = 0;
  while (const std::size_t count = arrivals->next(times)) {
    for (std::size_t i = 0; i < count; ++i) append_time(text, times[i]);
    requests += count;
  }
  if (requests == 0)
    throw input_error({"", 0, "trace"}, "no request in this time", "a higher --rate or longer --duration");
  write_file(arguments.output, text);
  for (std::size_t i = 0; i < remarks.size(); ++i)
    print_formatted("%s%s\n", i == 0 ? (spec.file + ": ").c_str() : "warning: ", remarks[i].c_str());
  print_formatted("%s: %zu send times over %.6g s\n", arguments.output.c_str(), requests,
                  ns_to_s(arrivals->duration_ns()));
}

/// Writes a user's log as a canonical trace, the one form that needs no options to be read.
void import_log(TraceArguments arguments) {
  if (arguments.output.empty())
    throw input_error(
        {"", 0, "-o"}, "nothing",
        "the file to write, such as " + std::filesystem::path(arguments.folder).stem().string() + ".trace");
  arguments.trace = arguments.folder;
  const TraceSpec spec = given_spec(arguments);
  if (const InputPlace* place = key_of_replay(spec))
    throw input_error(*place, "a key that an import leaves to the replay", join_names(reading_keys()));
  check_trace(spec);
  import_trace(spec, arguments.output);
}

void import_folder(const TraceArguments& arguments, int& exit_code) {
  const std::string out = arguments.output.empty() ? "traces" : arguments.output;
  for (const ImportOutcome& outcome : import_sources(trace_sources(), arguments.folder, out)) {
    print_formatted("%s\n", describe(outcome).c_str());
    if (outcome.kind != ImportOutcome::Kind::kImported) exit_code = 1;
  }
}

void add_file_options(CLI::App& command, TraceArguments& arguments) {
  command.add_option("--format", arguments.format, "of a file: " + join_names(trace_format_names()));
  command.add_option("--column", arguments.column,
                     "of a file: columns (names or numbers) or functions to add up");
  command.add_option("--time-column", arguments.time_column,
                     "of a file: the column of times (a name or a number)");
  command.add_option("--where", arguments.where,
                     "of a file: COLUMN=VALUE, the rows that are read (several separated by commas)");
  command.add_option("--group-by", arguments.group_by,
                     "of a file: the column whose equal values are one request");
  for (const std::string key : {"rate_unit", "holes"}) {
    std::string option = "--" + key;
    std::replace(option.begin(), option.end(), '_', '-');
    const auto set = [&arguments, key](const std::string& value) {
      arguments.more_settings.push_back(key + "=" + value);
    };
    command.add_option_function<std::string>(option, set, "of a file: as --set " + key + "=...");
  }
  command
      .add_option("--set", arguments.settings,
                  "KEY=VALUE, any trace parameter, e.g. time_unit=ms, and for info and make compress=60")
      ->allow_extra_args(false);
}

void add_trace_options(CLI::App& command, TraceArguments& arguments) {
  command.add_option("trace", arguments.trace, "a trace file, or one of " + join_names(generated_shapes()))
      ->required();
  command.add_option(
      "--rate", arguments.rate,
      "mean requests/s to scale to (default: 1000 for shapes, as recorded for files, streams' own)");
  command.add_option("--duration", arguments.duration_s,
                     "replayed seconds (default: 60 for shapes, all of a file)");
  command.add_option("--seed", arguments.seed, "seed of the random numbers (default 1)");
  add_file_options(command, arguments);
}

}  // namespace

void add_trace_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<TraceArguments>();
  CLI::App* trace = app.add_subcommand("trace", "Look at traces, write them, import real ones");
  trace->require_subcommand(1);
  trace->footer("Example:\n  harness trace info tweet");
  CLI::App* info = trace->add_subcommand("info", "Mean, peak and variation of a file or a generated shape");
  add_trace_options(*info, *arguments);
  info->add_flag("--json", arguments->json, "all figures as JSON, in full precision (docs/commands.md)");
  info->footer(
      "Examples:\n  harness trace info tweet --duration 300\n  harness trace info wiki.csv.gz --set "
      "compress=1440");
  info->callback([arguments] { show_info(*arguments); });
  CLI::App* make =
      trace->add_subcommand("make", "Write a send time (s) per line; gzipped when FILE ends in .gz");
  add_trace_options(*make, *arguments);
  make->add_option("-o,--output", arguments->output, "the file to write")->required();
  make->footer("Example:\n  harness trace make gamma --rate 200 --duration 60 --set cv=4 -o bursts.txt.gz");
  make->callback([arguments] { make_file(*arguments); });
  CLI::App* importing = trace->add_subcommand(
      "import",
      "Read a log of yours, or take the real traces of workloads/traces/SOURCES.toml from a folder");
  importing->add_option("from", arguments->folder, "a log, or a folder, searched with its sub-folders")
      ->required();
  importing->add_option("-o,--output", arguments->output,
                        "the file to write; of a folder: where to write NAME.csv.gz (default: traces)");
  add_file_options(*importing, *arguments);
  importing->footer(
      "Examples:\n  harness trace import gateway.csv --time-column timestamp -o gateway.trace\n"
      "  harness trace import downloads -o traces");
  importing->callback([arguments, &exit_code] {
    if (std::filesystem::is_regular_file(arguments->folder))
      import_log(*arguments);
    else
      import_folder(*arguments, exit_code);
  });
  add_trace_cv_command(*trace);
}

}  // namespace harness
