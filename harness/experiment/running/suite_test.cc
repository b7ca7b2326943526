#include "harness/experiment/running/driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/record/hdf5/test_folder.h"

namespace harness {
namespace {

const std::string kExperiment =
    "[workload]\npipelines = \"tm\"\ntraces = \"poisson\"\n[[system]]\nname = \"naive\"\n";

class SuiteFiles : public FolderTest {
 protected:
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.lexically_normal().string();
  }
};

/// Returns the message that refuses the suite in this file.
std::string error_of_suite(const std::string& path) {
  return refusal_of([&] { experiment_files(path); });
}

TEST_F(SuiteFiles, AnExperimentStandsForItself) {
  const std::string file = write("a.toml", kExperiment);
  const ExperimentFiles found = experiment_files(file);
  EXPECT_FALSE(found.is_suite);
  EXPECT_EQ(found.files, std::vector<std::string>{file});
}

TEST_F(SuiteFiles, NamesExperimentsFromItsFolderInOrder) {
  const std::string b = write("b.toml", kExperiment);
  const std::string a = write("sub/a.toml", kExperiment);
  const ExperimentFiles found =
      experiment_files(write("all.toml", "suite = [\"b.toml\", \"sub/../sub/a.toml\"]\n"));
  EXPECT_TRUE(found.is_suite);
  EXPECT_EQ(found.name, "all");
  EXPECT_EQ(found.files, (std::vector<std::string>{b, a}));
  EXPECT_EQ(experiment_files(write("all.toml", "name = \"x\"\nsuite = \"b.toml\"\n")).name, "x");
}

TEST_F(SuiteFiles, ErrorsSayWhatIsWrongWithIt) {
  write("a.toml", kExperiment);
  write("sub/a.toml", kExperiment);
  const std::string all = write("all.toml", "suite = [\n\"a.toml\",\n\"gone.toml\"]\n");
  EXPECT_EQ(error_of_suite(all).rfind(all + ":3: suite = ", 0), 0U) << error_of_suite(all);
  EXPECT_NE(error_of_suite(all).find("gone.toml: found no such file"), std::string::npos)
      << error_of_suite(all);
  write("all.toml", "suite = [\"a.toml\", \"sub/a.toml\"]\n");
  EXPECT_NE(error_of_suite(all).find("/a.toml and /"), std::string::npos) << error_of_suite(all);
  write("all.toml", "suite = [\"a.toml\", \"all.toml\"]\n");
  EXPECT_NE(error_of_suite(all).find("a suite; allowed: experiments"), std::string::npos)
      << error_of_suite(all);
  write("all.toml", "suite = [\"a.toml\"]\n[workload]\n");
  EXPECT_NE(error_of_suite(all).find("unknown key 'workload'"), std::string::npos) << error_of_suite(all);
  write("all.toml", "suite = []\n");
  EXPECT_NE(error_of_suite(all).find("an empty array"), std::string::npos) << error_of_suite(all);
  write("all.toml", "suite = [1]\n");
  EXPECT_NE(error_of_suite(all).find("found 1"), std::string::npos) << error_of_suite(all);
}

TEST(ExperimentPart, EachCellIsOfOnePartAndPartsAreAlmostEqual) {
  for (std::uint32_t of = 1; of <= 12; ++of) {
    constexpr std::uint32_t kCells = 100;
    std::vector<std::uint32_t> sizes;
    std::vector<int> parts_with(kCells);
    for (std::uint32_t number = 1; number <= of; ++number) {
      sizes.push_back(0);
      for (std::uint32_t cell = 0; cell < kCells; ++cell) {
        if (!ExperimentPart{number, of}.has(cell)) continue;
        ++sizes.back();
        ++parts_with[cell];
      }
    }
    EXPECT_EQ(parts_with, std::vector<int>(kCells, 1)) << of;
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()) - *std::min_element(sizes.begin(), sizes.end()),
              1U)
        << of;
  }
}

// Whatever the distances, each part gets its share of each kind: 400 draws, by 5 standard deviations.
TEST(ExperimentPart, WhatComesAtEqualDistancesIsSpread) {
  constexpr std::uint32_t kRows = 400;
  for (const std::uint32_t of : {2U, 8U, 31U, 100U}) {
    for (const std::uint32_t kinds : {2U, 3U, 4U, 9U, 30U}) {
      for (std::uint32_t number = 1; number <= of; ++number) {
        std::vector<int> counts(kinds);
        for (std::uint32_t cell = 0; cell < kRows * of; ++cell)
          counts[cell % kinds] += ExperimentPart{number, of}.has(cell);
        const double expected = static_cast<double>(kRows) / kinds;
        for (const int count : counts)
          EXPECT_NEAR(count, expected, 5 * std::sqrt(expected)) << number << "/" << of << ", " << kinds;
      }
    }
  }
}

}  // namespace
}  // namespace harness
