#include "workloads/trace_files/trace_sources.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/files/file_bytes.h"
#include "harness/files/sha256.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using Kind = ImportOutcome::Kind;

class ImportSources : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::temp_directory_path() / (std::string("harness_import_") + test->name());
    fs::remove_all(root_);
    fs::create_directories(root_ / "in" / "deep");
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string in() const { return (root_ / "in").string(); }
  std::string out() const { return (root_ / "out" / "traces").string(); }

  static TraceSource source(const std::string& name, const std::string& file, const std::string& content) {
    TraceSource source;
    source.name = name;
    source.file = file;
    source.repository = "someone/something";
    source.commit = "abc";
    source.licence = "MIT";
    source.sha256 = sha256_of(content);
    source.format = "counts";
    source.bin_s = 60;
    return source;
  }

  fs::path root_;
};

// FIPS 180-2, appendix B.1.
TEST(Sha256, OfAbc) {
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TraceData read_again(const std::string& path) {
  TraceSpec spec;
  spec.shape = "file";
  spec.file = path;
  return imported_trace(spec, TraceParts::kLoad);
}

TEST_F(ImportSources, TakesFilesFoundAnywhereBelow) {
  write_file(in() + "/deep/a.csv", "5\n7\n");
  const auto outcomes =
      import_sources({source("alpha", "a.csv", "5\n7\n"), source("beta", "b.csv", "x")}, in(), out());
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[0].kind, Kind::kImported);
  EXPECT_EQ(outcomes[0].requests, 12);
  EXPECT_EQ(outcomes[1].kind, Kind::kMissing);
  EXPECT_NE(describe(outcomes[1]).find("missing b.csv; fetch it from someone/something@abc"),
            std::string::npos);
  const std::string written = out() + "/alpha.csv.gz";
  const TraceData data = read_again(written);
  EXPECT_EQ(data.bin_s, 60);
  EXPECT_EQ(data.counts, (std::vector<double>{5, 7}));
}

TEST_F(ImportSources, LeavesFilesWithAnotherChecksum) {
  write_file(in() + "/a.csv", "5\n7\n");
  const auto outcomes = import_sources({source("alpha", "a.csv", "5\n8\n")}, in(), out());
  EXPECT_EQ(outcomes[0].kind, Kind::kOtherChecksum);
  EXPECT_NE(describe(outcomes[0]).find(sha256_of("5\n8\n")), std::string::npos);
  EXPECT_FALSE(fs::exists(out()));
  write_file(in() + "/deep/a.csv", "5\n8\n");
  EXPECT_EQ(import_sources({source("alpha", "a.csv", "5\n8\n")}, in(), out())[0].kind, Kind::kImported);
}

TEST_F(ImportSources, LeavesNothingBehindWhenItCannotWrite) {
  write_file(in() + "/a.csv", "5\n7\n");
  write_file((root_ / "file").string(), "x");
  EXPECT_THROW(import_sources({source("alpha", "a.csv", "5\n7\n")}, in(), (root_ / "file").string()),
               EnvironmentError);
  fs::create_directories(out() + "/alpha.csv.gz");
  EXPECT_THROW(import_sources({source("alpha", "a.csv", "5\n7\n")}, in(), out()), EnvironmentError);
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(out())) ++entries;
  EXPECT_EQ(entries, 1U);
  EXPECT_THROW(import_sources({}, in() + "/nowhere", out()), InputError);
}

TEST(TraceSources, NameEachFileOnceWithItsLicence) {
  const std::vector<TraceSource> sources = trace_sources();
  ASSERT_GE(sources.size(), 4U);
  for (const TraceSource& each : sources)
    EXPECT_FALSE(each.licence.empty() || each.commit.size() < 12) << each.name;
}

TEST(TraceSources, RefuseABadChecksumAndName) {
  const auto text = [](const std::string& name, const std::string& sum) {
    return "[[trace]]\nname='" + name +
           "'\nfile='f'\nrepository='r'\ncommit='c'\npath='p'\nlicence='l'\nsha256='" + sum +
           "'\ndescription='d'\nformat='counts'\n";
  };
  const std::string sum(64, 'a');
  EXPECT_EQ(parse_trace_sources("s.toml", text("n", sum)).size(), 1U);
  EXPECT_THROW(parse_trace_sources("s.toml", text("n", "abc")), InputError);
  EXPECT_THROW(parse_trace_sources("s.toml", text("../n", sum)), InputError);
}

TEST(TraceSources, TakeTheRealFiles) {
  const char* data = std::getenv("HARNESS_DATA");
  const std::string folder = data != nullptr ? data : "../shared/data";
  if (!fs::exists(folder + "/traces"))
    GTEST_SKIP() << "no real traces in " << folder << " (set HARNESS_DATA)";
  const fs::path out = fs::temp_directory_path() / "harness_import_real";
  fs::remove_all(out);
  for (const ImportOutcome& outcome : import_sources(trace_sources(), folder, out.string())) {
    EXPECT_EQ(outcome.kind, Kind::kImported) << describe(outcome);
    const std::string path = outcome.written_to;
    const TraceData again = read_again(path);
    double requests = 0;
    for (const double count : again.counts) requests += count;
    EXPECT_EQ(requests, outcome.requests) << path;
    if (outcome.source.name == "azure_llm") {
      EXPECT_EQ(requests, 19'366);
    }
    if (outcome.source.name == "wiki") {
      EXPECT_EQ(again.counts.size(), 7224U);
    }
    if (outcome.source.name == "tweet") {
      EXPECT_EQ(again.counts.size(), 88'600U);
    }
    if (outcome.source.name == "azure") {
      EXPECT_EQ(again.counts.size(), 10'080U);
    }
  }
  fs::remove_all(out);
}

std::string refusal_of(const TraceSpec& spec, bool checksum) {
  try {
    if (checksum) {
      trace_checksum(spec);
    } else {
      make_arrivals(spec, 100, 1);
    }
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TraceBytes, OfAMissingFileNameTheKeyThePathAndWhatToDo) {
  TraceSpec spec;
  spec.name = "wiki-file";
  spec.shape = "file";
  spec.file = "/nowhere/workloads/../../data/" + trace_sources().front().file;
  spec.place_file = "e.toml";
  spec.place_line = 7;
  for (const bool checksum : {false, true}) {
    const std::string line = refusal_of(spec, checksum);
    const std::string path = "/data/" + trace_sources().front().file;
    EXPECT_EQ(line.rfind("e.toml:7: trace.wiki-file.file = " + path + ": found no such file; ", 0), 0U)
        << line;
    EXPECT_NE(line.find("HARNESS_DATA"), std::string::npos) << line;
    EXPECT_NE(line.find("workloads/traces/SOURCES.toml"), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
  spec.file = "mine.csv";
  EXPECT_NE(refusal_of(spec, false).find("file = mine.csv: found no such file"), std::string::npos);
  EXPECT_EQ(refusal_of(spec, false).find("HARNESS_DATA"), std::string::npos)
      << "nobody's data but the user's";
}

}  // namespace
}  // namespace harness
