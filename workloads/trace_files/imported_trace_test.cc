#include "workloads/trace_files/imported_trace.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/test_refusal.h"
#include "harness/files/file_bytes.h"
#include "workloads/trace_files/counts.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using Times = std::vector<TimeNs>;
using Counts = std::vector<double>;

/// A variable of the environment for a while.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* const before = std::getenv(name);
    if (before != nullptr) before_ = before;
    was_set_ = before != nullptr;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (was_set_)
      setenv(name_, before_.c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char* name_;
  std::string before_;
  bool was_set_ = false;
};

class TraceImport : public testing::Test {
 protected:
  TraceImport() { fs::create_directories(folder_); }
  ~TraceImport() override { fs::remove_all(folder_); }

  TraceSpec file(const std::string& name, const std::string& text) {
    TraceSpec spec;
    spec.name = "t";
    spec.shape = "file";
    spec.file = folder_ + "/" + name;
    write_file(spec.file, text);
    return spec;
  }
  static Times times_of(const TraceSpec& spec) { return imported_trace(spec, TraceParts::kLoad).times_ns; }
  std::size_t kept() const {
    std::error_code error;
    const fs::directory_iterator files(folder_ + "/cache/traces", error);
    return error ? 0 : static_cast<std::size_t>(std::distance(files, fs::directory_iterator()));
  }

  std::string folder_ =
      (fs::temp_directory_path() /
       (std::string("harness_trace_") + testing::UnitTest::GetInstance()->current_test_info()->name()))
          .string();
  Variable cache_{"HARNESS_CACHE", folder_ + "/cache"};
};

TEST_F(TraceImport, NeedsNoPythonForALogThatWasReadBefore) {
  TraceSpec spec = file("log.csv", "0.5\n1\n");
  EXPECT_EQ(times_of(spec), (Times{kNsPerS / 2, kNsPerS}));
  EXPECT_EQ(kept(), 1U);
  const Variable none("HARNESS_PYTHON", "/no/such/python");
  EXPECT_EQ(times_of(spec), (Times{kNsPerS / 2, kNsPerS}));
  EXPECT_EQ(times_of(file("other.csv", "0.5\n1\n")).size(), 2U) << "the same bytes under another name";
  EXPECT_THROW(times_of(file("log.csv", "0.5\n2\n")), EnvironmentError) << "other bytes";
  spec = file("log.csv", "0.5\n1\n");
  spec.time_unit = TimeUnit::kMilliseconds;
  EXPECT_THROW(times_of(spec), EnvironmentError) << "other keys";
}

TEST_F(TraceImport, MakesAKeptFileAgainThatIsDamaged) {
  const TraceSpec spec = file("log.csv", "0.5\n1\n");
  times_of(spec);
  for (const auto& entry : fs::directory_iterator(folder_ + "/cache/traces")) write_file(entry.path(), "x");
  EXPECT_EQ(times_of(spec), (Times{kNsPerS / 2, kNsPerS}));
  const Variable none("HARNESS_PYTHON", "/no/such/python");
  EXPECT_EQ(times_of(spec).size(), 2U);
}

TEST_F(TraceImport, ReadsWhereNothingCanBeKept) {
  write_file(folder_ + "/file", "");
  const Variable cache("HARNESS_CACHE", folder_ + "/file");
  EXPECT_EQ(times_of(file("log.csv", "0.5\n1\n")).size(), 2U);
  EXPECT_EQ(kept(), 0U);
}

TEST_F(TraceImport, SaysWhatTheImporterRefusesAndWhereTheKeyStands) {
  TraceSpec spec = file("log.csv", "2024-05-01T10:00:00Z\n2024-05-01T10:00:01Z\n");
  spec.time_unit = TimeUnit::kMilliseconds;
  spec.places["time_unit"] = {"e.toml", 7, "trace.t.time_unit"};
  const std::string line = refusal_of([&] { times_of(spec); });
  EXPECT_EQ(line.rfind("e.toml:7: trace.t.time_unit: found time_unit with dates", 0), 0U) << line;
  EXPECT_EQ(kept(), 0U);
  EXPECT_EQ(refusal_of([&] { recorded_trace(spec); }), line);
  EXPECT_EQ(refusal_of([&] { recorded_trace(spec); }), line) << "a second time";
  EXPECT_TRUE(holds(refusal_of([&] { times_of(file("--output=x", "1\ntwo\n")); }), "--output=x:2: "));
}

TEST_F(TraceImport, IsRefusedAtOnceWhereItWasRefusedBefore) {
  const TraceSpec spec = file("log.csv", "1\ntwo\n");
  const std::string line = refusal_of([&] { recorded_trace(spec); });
  const Variable none("HARNESS_PYTHON", "/no/such/python");
  EXPECT_EQ(refusal_of([&] { recorded_trace(spec); }), line);
}

TEST_F(TraceImport, FailsAsTheMachineDoesWhereTheImporterDoes) {
  const Variable other("HARNESS_PYTHON", "/bin/true");
  EXPECT_THROW(times_of(file("log.csv", "0.5\n")), EnvironmentError);
}

TEST_F(TraceImport, LooksAtAFolderInWhichItCannotWrite) {
  const TraceSpec spec = file("log.csv", "0.5\n1\n");
  times_of(spec);
  fs::permissions(folder_ + "/cache/traces", fs::perms::owner_read | fs::perms::owner_exec);
  const Variable none("HARNESS_PYTHON", "/no/such/python");
  EXPECT_EQ(times_of(spec).size(), 2U);
  fs::permissions(folder_ + "/cache/traces", fs::perms::owner_all);
}

TEST_F(TraceImport, TakesKeysOfAnyLength) {
  constexpr int kFunctions = 2200;
  std::string text = "hash_func,day", row, columns;
  for (int minute = 1; minute <= 1440; ++minute) {
    text += "," + std::to_string(minute);
    row += ",1";
  }
  for (int function = 0; function < kFunctions; ++function) {
    const std::string name = std::string(60, 'f') + std::to_string(1000 + function);
    text += "\n" + name + ",1" + row;
    columns += (function > 0 ? "," : "") + name;
  }
  TraceSpec spec = file("functions.csv", text + "\n");
  spec.column = columns;
  EXPECT_EQ(imported_trace(spec, TraceParts::kLoad).counts[0], kFunctions);
}

TEST_F(TraceImport, ReadsFilesOnceUntilTheyChange) {
  const TraceSpec spec = file("log.csv", "0.5\n1\n");
  const auto first = recorded_trace(spec);
  EXPECT_EQ(recorded_trace(spec), first);
  write_file(spec.file, "0.5\n1\n1.5\n");
  EXPECT_EQ(recorded_trace(spec)->times_ns.size(), 3U);
}

TEST_F(TraceImport, TakesAnImportedFileAsItIs) {
  import_trace(file("log.csv", "arrival_ms,model\n1500,a\n250,b\n"), folder_ + "/log.trace");
  TraceSpec spec = file("other", "");
  spec.file = folder_ + "/log.trace";
  const Variable none("HARNESS_PYTHON", "/no/such/python");
  EXPECT_EQ(times_of(spec), (Times{kNsPerS / 4, 3 * kNsPerS / 2}));
  EXPECT_EQ(times_by_module(spec),
            (std::map<std::string, Times>{{"a", {3 * kNsPerS / 2}}, {"b", {kNsPerS / 4}}}));
  spec.bin_s = 10;
  EXPECT_EQ(imported_trace(spec, TraceParts::kLoad).bin_s, 10);
  spec.time_column = "ms";
  EXPECT_TRUE(holds(refusal_of([&] { times_of(spec); }), "time_column for a trace that is imported already"));
  spec.time_column = "";
  EXPECT_TRUE(
      holds(refusal_of([&] { imported_trace(spec, TraceParts::kFunctions); }), "without what is needed"));
}

TEST_F(TraceImport, TakesWhatCountsTextWrites) {
  Counts rising;  // numbers as of rows, as of a counter; decimals as of thousands
  for (int i = 0; i < 30; ++i) rising.push_back(10 + 7 * i);
  for (const Counts& counts : {Counts{1, 0, 2.5}, Counts{1.013, 2.125}, Counts{1, 2, 3, 4, 5}, rising}) {
    const TraceData data =
        imported_trace(file("c.csv.gz", counts_text("title", 0.1, counts)), TraceParts::kLoad);
    EXPECT_EQ(data.counts, counts);
    EXPECT_EQ(data.bin_s, 0.1);
  }
}

TEST_F(TraceImport, HasTheRatesOfFunctions) {
  std::string header = "hash_func,day";
  for (int minute = 1; minute <= 1440; ++minute) header += "," + std::to_string(minute);
  const auto row = [](const std::string& begin, const std::string& count) {
    std::string text = begin;
    for (int minute = 1; minute <= 1440; ++minute) text += "," + (minute <= 720 ? count : "0");
    return text + "\n";
  };
  const TraceSpec spec =
      file("f.csv", header + "\n" + row("b,1", "3") + row("none,1", "0") + row("a,2", "5"));
  const TraceData data = imported_trace(spec, TraceParts::kFunctions);
  ASSERT_EQ(data.rates.size(), 2U) << "in the order of names, without the one that has none";
  ASSERT_EQ(data.rates[0].size(), 2880U);
  EXPECT_EQ(data.rates[0][1440], 4) << "a's second day: all in a quarter of the time";
  EXPECT_EQ(data.rates[0][0], 0);
  EXPECT_EQ(data.rates[1][0], 4);
  EXPECT_TRUE(holds(refusal_of([&] { imported_trace(file("t.csv", "1.5\n2\n"), TraceParts::kFunctions); }),
                    "azure_functions, whose minutes streams can have"));
}

TEST(CountsOf, CountsTimesInBins) {
  EXPECT_EQ(counts_of(Times{0, 999'999'999, kNsPerS, 3 * kNsPerS}, 1), (Counts{2, 1, 0, 1}));
  // 0.3 / 0.1 is 2.9999999999999996 in doubles.
  EXPECT_EQ(counts_of(Times{299'999'999, 300'000'000}, 0.1), (Counts{0, 0, 1, 1}));
  EXPECT_EQ(counts_of(Times{kNsPerS, 2 * kNsPerS}, 1.0 / 3), (Counts{0, 0, 0, 1, 0, 0, 1}));
  for (int bin = 0; bin < 1000; ++bin) {
    EXPECT_EQ(counts_of(Times{bin * (kNsPerS / 10)}, 0.1).size(), static_cast<std::size_t>(bin) + 1);
  }
  EXPECT_THROW(counts_of(Times{0, 1'000'000'000 * kNsPerS}, 1), InputError);
}

}  // namespace
}  // namespace harness
