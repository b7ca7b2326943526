#include "harness/cli/trace_cv_command.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/experiment/experiment_spec.h"
#include "workloads/stream_arrivals.h"
#include "workloads/stream_cv.h"

namespace harness {
namespace {

/// What the user typed; lives as long as the callback.
struct CvArguments {
  std::string source;
  std::vector<double> windows_s = {0.1, 1, 6, 60};
  std::vector<std::size_t> groups = {1, 10, 100, 1000};
  std::vector<double> rates;
  double duration_s = 0;
  std::uint64_t seed = 1;
  bool csv = false;
};

struct StreamTrace {
  TraceSpec spec;
  double rate_rps = 0;
};

std::vector<StreamTrace> traces_of_experiment(const CvArguments& arguments) {
  const ExperimentSpec experiment = load_experiment(arguments.source, {});
  std::vector<StreamTrace> traces;
  for (const NamedAt& name : experiment.workload.traces) {
    TraceSpec spec = experiment.traces.at(name.name);
    if (spec.shape != "streams") continue;
    if (!spec.file.empty()) spec.file = resolve_path(experiment.folder, spec.file);
    if (arguments.duration_s > 0) spec.duration_s = arguments.duration_s;
    const std::vector<double>& rates =
        arguments.rates.empty() ? experiment.workload.rates_rps : arguments.rates;
    for (const double rate : rates) traces.push_back({spec, rate});
  }
  if (traces.empty())
    throw input_error({arguments.source, 0, "workload.traces"}, "no trace of streams", "one or more");
  return traces;
}

std::vector<StreamTrace> traces_of(const CvArguments& arguments) {
  if (arguments.source.ends_with(".toml")) return traces_of_experiment(arguments);
  const std::vector<std::string> known = stream_preset_names();
  if (std::find(known.begin(), known.end(), arguments.source) == known.end()) {
    const std::string near = nearest_name(arguments.source, known);
    throw input_error({"", 0, "trace"}, "'" + arguments.source + "'",
                      "an experiment file, or one of " + join_names(known) +
                          (near.empty() ? "" : " (did you mean " + near + "?)"));
  }
  TraceSpec spec;
  spec.name = spec.shape = arguments.source;
  spec.duration_s = arguments.duration_s > 0 ? arguments.duration_s : 600;
  resolve_preset(spec);
  std::vector<StreamTrace> traces;
  for (const double rate : arguments.rates.empty() ? std::vector<double>{0} : arguments.rates)
    traces.push_back({spec, rate});
  return traces;
}

void check_options(const CvArguments& arguments) {
  constexpr double kMost = 1e9;
  const auto check = [](const char* key, double value, double low) {
    if (!(value >= low && value <= kMost))
      throw input_error({"", 0, key}, text_of(value), "numbers from " + text_of(low) + " to 1e+09");
  };
  for (const double window_s : arguments.windows_s) check("--windows", window_s, 1e-9);
  for (const double rate : arguments.rates) check("--rate", rate, 0);
  check("--duration", arguments.duration_s, 0);
}

void print_heading(bool csv) {
  if (csv)
    std::printf("trace,rate_rps,window_s,group,groups,windows,mean_cv\n");
  else
    std::printf("%-16s %10s %10s %8s %8s %9s %10s\n", "trace", "rate_rps", "window_s", "group", "groups",
                "windows", "mean_cv");
}

void print_row(const std::string& name, double rate_rps, const StreamCv& cv, bool csv) {
  const char* format = csv ? "%s,%s,%s,%zu,%zu,%llu,%s\n" : "%-16s %10s %10s %8zu %8zu %9llu %10s\n";
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.5g", cv.mean_cv);
  std::printf(format, name.c_str(), text_of(rate_rps).c_str(), text_of(cv.window_s).c_str(), cv.group,
              cv.groups, static_cast<unsigned long long>(cv.windows), cv.groups == 0 ? "-" : mean);
}

void show_cvs(const CvArguments& arguments) {
  check_options(arguments);
  const std::vector<StreamTrace> traces = traces_of(arguments);
  print_heading(arguments.csv);
  for (const StreamTrace& trace : traces) {
    check_trace(trace.spec);
    auto population = std::make_shared<const StreamPopulation>(trace.spec, trace.rate_rps);
    const std::size_t streams = population->streams();
    const double rate_rps = population->expected_requests() / trace.spec.duration_s;
    std::vector<std::size_t> groups = arguments.groups;
    std::erase_if(groups, [streams](std::size_t size) { return size > streams; });
    const auto arrivals = make_stream_arrivals(std::move(population), arguments.seed);
    for (const StreamCv& cv : stream_cvs(*arrivals, streams, arguments.windows_s, groups, arguments.seed))
      print_row(trace.spec.name, rate_rps, cv, arguments.csv);
  }
}

}  // namespace

void add_trace_cv_command(CLI::App& trace) {
  auto arguments = std::make_shared<CvArguments>();
  CLI::App* cv = trace.add_subcommand(
      "cv", "How the requests of streams, and of random groups of them, vary from window to window");
  cv->add_option("trace", arguments->source,
                 "an experiment file with traces of streams, or one of " + join_names(stream_preset_names()))
      ->required();
  cv->add_option("--windows", arguments->windows_s, "lengths of windows in s (default 0.1,1,6,60)")
      ->delimiter(',');
  cv->add_option("--groups", arguments->groups,
                 "streams in a group (default 1,10,100,1000); sizes above the number of streams are left out")
      ->delimiter(',');
  cv->add_option("--rate", arguments->rates,
                 "requests/s of all streams (default: the experiment's; 0, the classes' own)")
      ->delimiter(',');
  cv->add_option("--duration", arguments->duration_s, "length in s (default: the experiment's; 600)");
  cv->add_option("--seed", arguments->seed, "seed of the requests and of the groups (default 1)");
  cv->add_flag("--csv", arguments->csv, "comma-separated values");
  cv->footer(
      "mean_cv is the standard deviation of a window's requests over their mean, averaged over the groups "
      "that "
      "have any.\n"
      "Examples:\n  harness trace cv poisson-streams --duration 3600 --windows 0.1,1,60,600\n"
      "  harness trace cv experiment.toml --csv > cv.csv");
  cv->callback([arguments] { show_cvs(*arguments); });
}

}  // namespace harness
