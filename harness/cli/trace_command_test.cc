#include "harness/cli/commands.h"

#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/test_refusal.h"
#include "harness/files/file_bytes.h"
#include "harness/record/hdf5/cv_table.h"
#include "harness/record/hdf5/results_file.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {
namespace {

/// Runs `harness trace ...` and returns what it printed.
std::string run(const std::string& arguments, int* exit_code = nullptr) {
  CLI::App app;
  int code = 0;
  add_trace_command(app, code);
  testing::internal::CaptureStdout();
  try {
    app.parse(arguments);
  } catch (...) {
    testing::internal::GetCapturedStdout();
    throw;
  }
  if (exit_code != nullptr) *exit_code = code;
  return testing::internal::GetCapturedStdout();
}

std::string temporary(const char* name) { return (std::filesystem::temp_directory_path() / name).string(); }

TEST(TraceInfo, ShowsAShapeAndAFile) {
  const std::string shape = run("trace info constant --rate 50 --duration 10");
  EXPECT_TRUE(holds(shape, "requests        500\n", "mean_rps        50\n"));
  const std::string path = temporary("harness_trace_info.csv");
  write_file(path, "# bin_s = 2\n4\n12\n");
  const std::string file = run("trace info " + path);
  EXPECT_TRUE(holds(file, "mean_rps        4\n"));
  EXPECT_FALSE(holds(file, "replayed"));
  EXPECT_TRUE(holds(run("trace info " + path + " --set compress=2"), "requests        16\n"));
  std::filesystem::remove(path);
}

/// Returns the figure in a line of `trace info`.
std::string figure(const std::string& text, const std::string& name) {
  const std::size_t line = text.find("\n  " + name + " ");
  if (line == std::string::npos) return "none";
  const std::size_t begin = text.find_first_not_of(' ', line + 3 + name.size());
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

TEST(TraceInfo, ShowsNoFigureThatTheBinsOrTheLengthDoNotGive) {
  const std::string path = temporary("harness_trace_bins.csv");
  // Alternating 60 and 180: mean 120, deviation 60.
  std::string counts = "# bin_s = 60\n";
  for (int i = 0; i < 10; ++i) counts += "60\n180\n";
  write_file(path, counts);
  const std::string minutes = run("trace info " + path);
  EXPECT_EQ(figure(minutes, "cv_bin"), "0.5000") << minutes;
  EXPECT_EQ(figure(minutes, "cv_second"), "-") << minutes;
  EXPECT_EQ(figure(minutes, "cv_minute"), "0.5000") << minutes;
  EXPECT_TRUE(holds(minutes, "(bins over their moving mean of 660 s)"));
  const std::string hours = run("trace info " + path + " --set bin_s=3600");
  EXPECT_EQ(figure(hours, "cv_bin"), "0.5000") << hours;
  EXPECT_EQ(figure(hours, "cv_minute"), "-") << hours;
  const std::string seconds = run("trace info poisson --duration 40");
  EXPECT_NE(figure(seconds, "cv_second"), "-") << seconds;
  EXPECT_EQ(figure(seconds, "cv_bin"), "none") << seconds;
  EXPECT_EQ(figure(seconds, "cv_minute"), "-") << seconds;
  EXPECT_EQ(figure(seconds, "cv_short"), "-") << seconds;
  EXPECT_NE(figure(run("trace info poisson --duration 600"), "cv_short"), "-");
  std::filesystem::remove(path);
}

TraceData read_of(const std::string& path) {
  TraceSpec spec;
  spec.shape = "file";
  spec.file = path;
  return imported_trace(spec, TraceParts::kLoad);
}

TEST(TraceMake, WritesTimesThatReadBack) {
  const std::string path = temporary("harness_trace_make.txt.gz");
  run("trace make gamma --rate 200 --duration 20 --seed 4 --set cv=3 -o " + path);
  TraceSpec spec;
  spec.shape = "gamma";
  spec.cv = 3;
  spec.duration_s = 20;
  const auto source = make_arrivals(spec, 200, 4);
  const TraceData data = read_of(path);
  std::vector<TimeNs> times(data.times_ns.size() + 1);
  ASSERT_EQ(source->next(times), data.times_ns.size());
  times.pop_back();
  EXPECT_EQ(data.times_ns, times);
  std::filesystem::remove(path);
}

TEST(TraceImport, SaysWhatIsMissing) {
  const std::string folder = temporary("harness_trace_import_empty");
  std::filesystem::create_directories(folder);
  int exit_code = 0;
  const std::string text = run("trace import " + folder + " -o " + folder + "/out", &exit_code);
  EXPECT_EQ(exit_code, 1);
  EXPECT_TRUE(holds(text, "wiki: missing"));
  std::filesystem::remove_all(folder);
}

TEST(TraceCommand, RefusesBadArguments) {
  for (const char* words :
       {"info wiki --set compres=4", "info wiki --set compress=fast", "info wiki --set compress",
        "info /nowhere/at/all", "info streams", "info two-streams --rate 5",
        "make poisson --rate 1e9 --duration 3600 -o /nowhere/x", "cv poisson",
        "cv poisson-streams --windows 400"})
    EXPECT_THROW(run(std::string("trace ") + words), InputError) << words;
  EXPECT_THROW(run("trace make poisson -o /nowhere/x"), EnvironmentError);
}

/// Returns what a command printed, and then why it is refused.
std::string refusal(const std::string& arguments) {
  CLI::App app;
  int code = 0;
  add_trace_command(app, code);
  testing::internal::CaptureStdout();
  const std::string why = refusal_of([&] { app.parse(arguments); });
  return testing::internal::GetCapturedStdout() + why;
}

TEST(TraceInfo, SaysWhatWasReadAndWhatIsSentOtherwise) {
  const std::string path = temporary("harness_trace_read.csv");
  std::string log = "timestamp,model,latency_ms\n";
  for (int i = 0; i < 600; ++i)
    log += "2024-05-01T10:0" + std::to_string(i / 60) + ":" + (i % 60 < 10 ? "0" : "") +
           std::to_string(i % 60) + "Z,m,9\n";
  write_file(path, log);
  const std::string shown = run("trace info " + path);
  EXPECT_TRUE(holds(shown,
                    "read    times in column 'timestamp' (dates, from the first on), each line a request; "
                    "600 requests over 599 s, longest gap 1 s; not kept of each request: latency_ms\n"))
      << shown;
  EXPECT_FALSE(holds(shown, "warning"));
  const std::string late = run("trace info " + path + " --rate 20 --duration 120 --set from_s=570");
  EXPECT_TRUE(holds(late, "warning: the file ends 30 s after from_s = 570, duration_s asks for 120")) << late;
  std::filesystem::remove(path);
}

TEST(TraceInfo, ShowsThePeakOfTheRateBesideTheRecordedOne) {
  const std::string path = temporary("harness_trace_peaks.csv");
  std::string counts = "# bin_s = 1\ncount\n";
  for (int i = 0; i < 60; ++i) counts += i % 2 == 0 ? "100\n" : "300\n";
  write_file(path, counts);
  EXPECT_FALSE(holds(run("trace info " + path), "peak_of_rate"));
  EXPECT_TRUE(holds(run("trace info " + path + " --rate 20"),
                    "peak_of_rate    1.5000 over its mean; recorded in this window: 1.5000\n"));
  const std::string smoothed = run("trace info " + path + " --set compress=2");
  EXPECT_TRUE(holds(smoothed, "peak_of_rate    1.0000 over its mean; recorded in this window: 1.5000\n",
                    "warning: peak over mean of a second is 1 where 1.5 was recorded"))
      << smoothed;
  std::filesystem::remove(path);
}

// A trace that was read as times or counts is written as a file that says which it is.
TEST(TraceImport, TakesALogByItsColumns) {
  const std::string log = temporary("harness_trace_log.csv");
  const std::string out = temporary("harness_trace_log.trace");
  write_file(log, "when,rows,came_ms\nx,5,1500\ny,6,250\n");
  EXPECT_TRUE(holds(refusal("trace import " + log + " -o " + out), "no column of times, gaps or counts"));
  const std::string text = run("trace import " + log + " --format times --time-column came_ms -o " + out);
  EXPECT_TRUE(holds(text, "read as times in column 'came_ms' (ms), each line a request, sorted",
                    "note: not kept of each request: when, rows\n"));
  EXPECT_EQ(read_of(out).times_ns, (std::vector<TimeNs>{kNsPerS / 4, 3 * kNsPerS / 2}));
  run("trace import " + log + " --column rows --set bin_s=60 -o " + out);
  const TraceData counts = read_of(out);
  EXPECT_EQ(counts.counts, (std::vector<double>{5, 6}));
  EXPECT_EQ(counts.bin_s, 60);
  EXPECT_TRUE(holds(refusal("trace import " + log + " --column rows --set bin_s=60"), "-o: "));
  std::filesystem::remove(log);
  std::filesystem::remove(out);
}

TEST(TraceCommand, NamesTheNearestShapeWhereThereIsNoFile) {
  EXPECT_TRUE(holds(refusal("trace info twet"), "(did you mean tweet?)"));
  EXPECT_TRUE(holds(refusal("trace make poison -o x"), "(did you mean poisson?)"));
  EXPECT_FALSE(holds(refusal("trace info flie"), "file?")) << "no shape by itself";
}

TEST(TraceInfo, RefusesMoreRequestsThanAnyoneWaitsForBeforeItPrintsAnything) {
  for (const char* shape :
       {"constant", "poisson", "gamma", "mmpp", "step", "transition", "tweet", "azure", "autoscale-slow"}) {
    const std::string line = refusal(std::string("trace info ") + shape + " --rate 1e6 --duration 1e5");
    EXPECT_EQ(line.rfind("--rate x --duration: found ", 0), 0U) << line;
  }
  const std::string line = refusal("trace info wiki --duration 1e9");
  EXPECT_EQ(line.rfind("duration_s: found ", 0), 0U) << line;
}

TEST(TraceCommand, NamesTheSettingThatItRefuses) {
  EXPECT_TRUE(holds(refusal("trace info gamma --set scv=4 --set cv=2"),
                    "--set: scv: found scv beside cv; allowed: one of them"));
  EXPECT_TRUE(
      holds(refusal("trace info tweet --set interpolate=never"), "--set: interpolate: found 'never'"));
}

/// Returns the text of --help of a command below `trace`.
std::string help(const std::string& command) {
  CLI::App app;
  app.footer("harness experiments/quickstart.toml");
  int code = 0;
  add_trace_command(app, code);
  const CLI::App* shown = app.get_subcommand("trace");
  if (!command.empty()) shown = shown->get_subcommand(command);
  return shown->help();
}

TEST(TraceCommand, HelpsWithItsOwnExamples) {
  for (const char* command : {"", "info", "make", "import"}) {
    const std::string text = help(command);
    EXPECT_FALSE(holds(text, "quickstart"));
    EXPECT_TRUE(holds(text, "harness trace"));
    EXPECT_TRUE(text[0] >= 'A' && text[0] <= 'Z') << text;
  }
  EXPECT_FALSE(holds(help("info"), "azure, file")) << "file is no shape by itself";
}

TEST(TraceCommand, RefusesRatesAndDurationsOutOfRange) {
  const std::string path = temporary("harness_trace_rate.csv");
  for (const char* rate : {"-3", "0", "nan", "inf", "1.1e9"}) {
    for (const std::string& command : {std::string("info constant"), "make constant -o " + path}) {
      const std::string line = refusal("trace " + command + " --rate " + rate);
      EXPECT_EQ(line.rfind(std::string("--rate: found ") + (rate[0] == '1' ? "" : rate), 0), 0U) << line;
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  for (const char* duration : {"-1", "nan", "1e10"}) {
    const std::string line = refusal(std::string("trace info constant --duration ") + duration);
    EXPECT_EQ(line.rfind("--duration: found ", 0), 0U) << line;
  }
  write_file(path, "# bin_s = 1\n4\n12\n");
  EXPECT_EQ(refusal("trace info " + path + " --rate 0").rfind("--rate: found 0", 0), 0U);
  std::filesystem::remove(path);
}

// SHEPHERD, Figures 2 and 5: a Poisson stream with n expected requests in a window has a CV of 1 / sqrt(n).
TEST(TraceCv, ShowsStreamsAndGroups) {
  const std::string path = temporary("harness_trace_cv.toml");
  write_file(
      path,
      "[workload]\npipelines = 'shepherd13'\ntraces = ['s', 'poisson']\nrates_rps = 800\nduration_s = 200\n"
      "[[trace.s.streams]]\ncount = 200\n[[system]]\nname = 'shepherd'\n");
  const std::string table = run("trace cv " + path + " --windows 1,4 --groups 1,50 --csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "trace,rate_rps,window_s,group,groups,windows,mean_cv");
  const auto cv_of = [&table](const std::string& row) {
    const std::size_t at = table.find(row);
    return at == std::string::npos ? -1.0 : std::stod(table.substr(at + row.size()));
  };
  EXPECT_NEAR(cv_of("\ns,800,1,1,200,200,"), 1 / std::sqrt(4), 0.01);
  EXPECT_NEAR(cv_of("\ns,800,4,1,200,50,"), 1 / std::sqrt(16), 0.01);
  EXPECT_NEAR(cv_of("\ns,800,1,50,4,200,"), 1 / std::sqrt(200), 0.012);
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5) << "the other trace has no streams";
  const std::string file = temporary("harness_trace_cv.h5");
  EXPECT_EQ(run("trace cv " + path + " --windows 1,4 --groups 1,50 --csv -o " + file), table);
  EXPECT_TRUE(is_cv_table(file));
  const CvTable read = read_cv_table(file);
  ASSERT_EQ(read.rows.size(), 4U);
  EXPECT_EQ(read.rows[1].group, 50U);
  EXPECT_NEAR(read.rows[1].mean_cv, cv_of("\ns,800,1,50,4,200,"), 1e-4);
  EXPECT_FALSE(is_cv_table(path)) << "no HDF5";
  EXPECT_THROW(read_summary(file), InputError);
  std::filesystem::remove(file);
  EXPECT_THROW(run("trace cv " + path + " -o cv.csv"), InputError);
  std::filesystem::remove(path);
}

TEST(TraceCv, LeavesOutDefaultWindowsThatAreTooLong) {
  const std::string table = run("trace cv two-streams --duration 12 --csv");
  for (const char* window : {"0.1", "1", "6"})
    EXPECT_TRUE(holds(table, std::string(",") + window + ",1,2,")) << window;
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 4) << table;
}

TEST(TraceCv, NamesTheOptionBeforeAnythingIsPrinted) {
  EXPECT_EQ(refusal("trace cv two-streams --duration 12 --windows 1,7"),
            "--windows: found 7 s; allowed: at most half of the run, 6 s");
  EXPECT_EQ(refusal("trace cv two-streams --duration 0.1"),
            "--windows: missing; expected at most half of the run, 0.05 s");
  EXPECT_EQ(refusal("trace cv two-streams --duration 12 --groups 3"),
            "--groups: found more than all streams; allowed: 1 to 2");
  EXPECT_EQ(refusal("trace cv two-streams --groups 0").rfind("--groups: found 0", 0), 0U);
}

TEST(TraceInfo, PointsFromAnExperimentToCv) {
  const std::string line = refusal("trace info experiments/quickstart.toml");
  EXPECT_EQ(line.rfind("trace: found experiment experiments/quickstart.toml; allowed: ", 0), 0U) << line;
  EXPECT_TRUE(holds(line, "`harness trace cv` reads"));
}

TEST(TraceInfo, ShowsStreams) {
  EXPECT_TRUE(holds(run("trace info two-streams --duration 1.2"), "requests        11440\n"));
}

}  // namespace
}  // namespace harness
