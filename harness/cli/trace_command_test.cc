#include "harness/cli/trace_command.h"

#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>

#include "harness/core/error.h"
#include "workloads/file_bytes.h"
#include "workloads/trace_facts.h"
#include "workloads/trace_import.h"

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
  EXPECT_NE(shape.find("requests        500\n"), std::string::npos) << shape;
  EXPECT_NE(shape.find("mean_rps        50\n"), std::string::npos) << shape;
  const std::string path = temporary("harness_trace_info.csv");
  write_file(path, "# bin_s = 2\n4\n12\n");
  const std::string file = run("trace info " + path);
  EXPECT_NE(file.find("mean_rps        4\n"), std::string::npos) << file;
  EXPECT_EQ(file.find("replayed"), std::string::npos) << file;
  EXPECT_NE(run("trace info " + path + " --set compress=2").find("requests        16\n"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(TraceMake, WritesTimesThatReadBack) {
  const std::string path = temporary("harness_trace_make.txt.gz");
  run("trace make gamma --rate 200 --duration 20 --seed 4 --set cv=3 -o " + path);
  TraceSpec spec;
  spec.shape = "gamma";
  spec.cv = 3;
  spec.duration_s = 20;
  const auto source = make_arrivals(spec, 200, 4);
  const TraceData data = read_trace(path, read_file(path), TraceSpec());
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
  EXPECT_NE(text.find("wiki: missing"), std::string::npos) << text;
  std::filesystem::remove_all(folder);
}

TEST(TraceCommand, RefusesBadArguments) {
  EXPECT_THROW(run("trace info wiki --set compres=4"), InputError);
  EXPECT_THROW(run("trace info wiki --set compress=fast"), InputError);
  EXPECT_THROW(run("trace info wiki --set compress"), InputError);
  EXPECT_THROW(run("trace info /nowhere/at/all"), InputError);
  EXPECT_THROW(run("trace make poisson --rate 1e9 --duration 3600 -o /nowhere/x"), InputError);
  EXPECT_THROW(run("trace make poisson -o /nowhere/x"), EnvironmentError);
}

}  // namespace
}  // namespace harness
