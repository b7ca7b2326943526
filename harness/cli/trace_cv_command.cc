#include "harness/cli/commands.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/printing.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/record/hdf5/cv_table.h"
#include "workloads/streams/stream_arrivals.h"
#include "workloads/streams/stream_cv.h"

namespace harness {
namespace {

/// The arguments that the user typed; they live as long as the callback.
struct CvArguments {
  std::string source;
  std::vector<double> windows_s;
  std::vector<std::size_t> groups = {1, 10, 100, 1000};
  std::vector<double> rates;
  double duration_s = 0;
  std::uint64_t seed = 1;
  bool csv = false;
  std::string output;  ///< HDF5 file to write; "": no file
};

struct StreamTrace {
  TraceSpec spec;
  double rate_rps = 0;
};

/// The measurement of one trace.
struct CvJob {
  std::string trace;
  double rate_rps = 0;
  std::size_t streams = 0;
  std::unique_ptr<ArrivalSource> arrivals;
  std::vector<double> windows_s;
  std::vector<std::size_t> groups;
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
  constexpr double kMax = 1e9;
  const auto check = [](const char* key, double value, double low) {
    if (!(value >= low && value <= kMax))
      throw input_error({"", 0, key}, text_of(value), "numbers from " + text_of(low) + " to 1e+09");
  };
  for (const double window_s : arguments.windows_s) check("--windows", window_s, 1e-9);
  for (const std::size_t group : arguments.groups) check("--groups", static_cast<double>(group), 1);
  for (const double rate : arguments.rates) check("--rate", rate, 0);
  check("--duration", arguments.duration_s, 0);
  if (!arguments.output.empty() && !arguments.output.ends_with(".h5"))
    throw input_error({"", 0, "--output"}, arguments.output, "a name that ends in .h5");
}

void print_heading(bool csv) {
  if (csv)
    print_formatted("trace,rate_rps,window_s,group,groups,windows,mean_cv\n");
  else
    print_formatted("%-16s %10s %10s %8s %8s %9s %10s\n", "trace", "rate_rps", "window_s", "group", "groups",
                    "windows", "mean_cv");
}

void print_row(const std::string& name, double rate_rps, const StreamCv& cv, bool csv) {
  const char* format = csv ? "%s,%s,%s,%zu,%zu,%llu,%s\n" : "%-16s %10s %10s %8zu %8zu %9llu %10s\n";
  char mean[32];
  std::snprintf(mean, sizeof mean, "%.5g", cv.mean_cv);
  print_formatted(format, name.c_str(), text_of(rate_rps).c_str(), text_of(cv.window_s).c_str(), cv.group,
                  cv.groups, static_cast<unsigned long long>(cv.windows), cv.groups == 0 ? "-" : mean);
}

/// Returns the windows asked for, or the default ones that fit into the run twice.
std::vector<double> windows_in(TimeNs duration_ns, const std::vector<double>& asked_s) {
  const auto too_long = [duration_ns](double window_s) {
    return duration_ns / std::max<TimeNs>(1, s_to_ns(window_s)) < 2;
  };
  std::vector<double> windows_s = asked_s.empty() ? std::vector<double>{0.1, 1, 6, 60} : asked_s;
  if (asked_s.empty()) std::erase_if(windows_s, too_long);
  const auto wrong = std::find_if(windows_s.begin(), windows_s.end(), too_long);
  if (!windows_s.empty() && wrong == windows_s.end()) return windows_s;
  throw input_error({"", 0, "--windows"}, windows_s.empty() ? "nothing" : text_of(*wrong) + " s",
                    "at most half of the run, " + text_of(ns_to_s(duration_ns) / 2) + " s");
}

/// Returns the sizes asked for, without those larger than the number of streams.
std::vector<std::size_t> groups_in(std::size_t streams, std::vector<std::size_t> groups) {
  std::erase_if(groups, [streams](std::size_t size) { return size > streams; });
  if (groups.empty())
    throw input_error({"", 0, "--groups"}, "more than all streams", "1 to " + std::to_string(streams));
  return groups;
}

CvJob job_of(const CvArguments& arguments, const StreamTrace& trace) {
  check_trace(trace.spec);
  auto population = std::make_shared<const StreamPopulation>(trace.spec, trace.rate_rps);
  CvJob job;
  job.trace = trace.spec.name;
  job.rate_rps = population->expected_requests() / trace.spec.duration_s;
  job.streams = population->streams();
  job.arrivals = make_stream_arrivals(std::move(population), arguments.seed);
  job.windows_s = windows_in(job.arrivals->duration_ns(), arguments.windows_s);
  job.groups = groups_in(job.streams, arguments.groups);
  return job;
}

/// Prints and stores the CVs. Everything is checked before the heading is printed.
void show_cvs(const CvArguments& arguments) {
  check_options(arguments);
  std::vector<CvJob> jobs;
  for (const StreamTrace& trace : traces_of(arguments)) jobs.push_back(job_of(arguments, trace));
  print_heading(arguments.csv);
  CvTable table{arguments.source, arguments.seed, {}};
  for (const CvJob& job : jobs) {
    for (const StreamCv& cv :
         stream_cvs(*job.arrivals, job.streams, job.windows_s, job.groups, arguments.seed)) {
      print_row(job.trace, job.rate_rps, cv, arguments.csv);
      table.rows.push_back({job.trace, job.rate_rps, cv.window_s, cv.group, cv.groups, cv.windows,
                            cv.groups == 0 ? std::numeric_limits<double>::quiet_NaN() : cv.mean_cv});
    }
  }
  if (!arguments.output.empty()) write_cv_table(arguments.output, table);
}

}  // namespace

void add_trace_cv_command(CLI::App& trace) {
  auto arguments = std::make_shared<CvArguments>();
  CLI::App* cv = trace.add_subcommand(
      "cv", "How the requests of streams, and of random groups of them, vary from window to window");
  cv->add_option("trace", arguments->source,
                 "an experiment file with traces of streams, or one of " + join_names(stream_preset_names()))
      ->required();
  cv->add_option("--windows", arguments->windows_s,
                 "lengths of windows in s (default: of 0.1,1,6,60 the lengths that the run holds twice)")
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
  cv->add_option("-o,--output", arguments->output,
                 "also writes the table as HDF5, in full precision: harness figures CV.h5 draws it")
      ->type_name("CV.h5");
  cv->footer(
      "mean_cv is the standard deviation of a window's requests over their mean, averaged over the groups "
      "that "
      "have any.\n"
      "Examples:\n  harness trace cv poisson-streams --duration 3600 --windows 0.1,1,60,600\n"
      "  harness trace cv experiment.toml -o cv.h5 && harness figures cv.h5");
  cv->callback([arguments] { show_cvs(*arguments); });
}

}  // namespace harness
