#include "harness/experiment/reading/suite.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "harness/core/test_refusal.h"
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

}  // namespace
}  // namespace harness
