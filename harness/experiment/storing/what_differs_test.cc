// What a rerun is told about results that were made differently.
#include "harness/experiment/storing/what_differs.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/experiment/cells/cell_text.h"

namespace harness {
namespace {

constexpr const char* kBuild = "this";

CellIdentity made_from(const std::string& text) {
  CellIdentity cell;
  cell.effective_toml = text;
  cell.input_hash = input_hash_of(text, kBuild);
  return cell;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// What is said about results made with another load is the load, not what follows from it.
TEST(WhatDiffers, TheLoadIsNamedInThePlaceOfTheRate) {
  CellIdentity before = made_from("[workload]\ntraces = [\"x\"]\nrates_rps = [123.4]\nseeds = [1]\n");
  before.load = 0.8;
  CellIdentity now = made_from("[workload]\ntraces = [\"x\"]\nrates_rps = [185.1]\nseeds = [1]\n");
  now.load = 1.2;
  EXPECT_EQ(what_differs(before, now, kBuild, true), "workload.loads [0.8], now [1.2]");
  EXPECT_EQ(what_differs(before, now, kBuild, false), "workload.rates_rps [123.4], now [185.1]");
}

TEST(WhatDiffers, FilesAndSettingsAreNamedAndTheBuildOnlyWhereItIsAnother) {
  const std::string text =
      "[cluster]\nprofiles = \"p.toml\"\n[trace.day]\nfile = \"day.csv\"\n[workload]\n"
      "pipelines = [\"./my.toml\"]\n[[system]]\nlibrary = \"own.so\"\nvariant = \"default\"\n"
      "params = { order = \"fcfs\" }\n# cell 0\n# pipeline 1a\n# profiles 2b\n# trace 3c\n"
      "# library 4d\n# on 2 ranks\n";
  const CellIdentity before = made_from(text);
  const auto differs = [&](const std::string& from, const std::string& to) {
    return what_differs(before, made_from(replaced(text, from, to)), kBuild, false);
  };
  EXPECT_EQ(differs("# pipeline 1a", "# pipeline 0"), "contents of pipeline differ: ./my.toml");
  EXPECT_EQ(differs("# profiles 2b", "# profiles 0"),
            "contents of profiles differ: p.toml (or a file that it names)");
  EXPECT_EQ(differs("# trace 3c", "# trace 0"), "contents of trace differ: day.csv");
  EXPECT_EQ(differs("# library 4d", "# library 0"), "contents of library differ: own.so");
  EXPECT_EQ(differs("# on 2 ranks", "# on 3 ranks"), "ranks 2, now 3");
  EXPECT_EQ(differs("day.csv", "week.csv"), "trace.day.file day.csv, now week.csv");
  // What only one of them has.
  EXPECT_EQ(differs("variant = \"default\"", "count = 4"), "variant = \"default\", now count = 4");
  CellIdentity other = before;
  other.input_hash = input_hash_of(text, "another");
  EXPECT_EQ(what_differs(other, before, kBuild, false), "another build of harness");
  EXPECT_EQ(what_differs(other, made_from(replaced(text, "# trace 3c", "# trace 0")), kBuild, false),
            "contents of trace differ: day.csv, another build of harness");
}

}  // namespace
}  // namespace harness
