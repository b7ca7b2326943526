// docs/keys.md says what the program accepts: every key, and no other. After a change of keys, run this test
// with HARNESS_WRITE_DOCS=1 to renew the tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness/experiment/reading/experiment_keys.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/file_bytes.h"

namespace harness {
namespace {

constexpr const char* kDocument = "docs/keys.md";

TEST(ExperimentDocs, EveryTableIsThere) {
  const std::string document = read_file(kDocument);
  for (const auto& [name, table] : key_tables()) {
    EXPECT_NE(document.find("<!-- keys: " + name + " -->\n"), std::string::npos) << name;
  }
}

TEST(ExperimentDocs, NoOtherTableIsThere) {
  const auto tables = key_tables();
  std::istringstream lines(read_file(kDocument));
  std::string line;
  while (std::getline(lines, line)) {
    if (line.rfind("<!-- keys: ", 0) != 0) continue;
    const std::string name = line.substr(11, line.find(" -->") - 11);
    EXPECT_EQ(tables.count(name), 1U) << name;
  }
}

TEST(ExperimentDocs, TablesAreThoseOfTheProgram) {
  const std::string document = read_file(kDocument);
  const std::string expected = with_key_tables(document);
  if (std::getenv("HARNESS_WRITE_DOCS") != nullptr) {
    std::ofstream(kDocument) << expected;
    GTEST_SKIP() << "the tables have been written";
  }
  std::istringstream found_lines(document);
  std::istringstream expected_lines(expected);
  std::string found_line;
  std::string expected_line;
  while (std::getline(expected_lines, expected_line)) {
    std::getline(found_lines, found_line);
    ASSERT_EQ(found_line, expected_line);
  }
  EXPECT_EQ(document, expected);
}

// The examples of the guides are experiments: blocks that begin with ```toml and hold a [workload].
TEST(ExperimentDocs, ExamplesAreAccepted) {
  for (const char* guide : {"experiment", "load", "cluster-model", "runtimes", "robust"}) {
    SCOPED_TRACE(guide);
    std::istringstream lines(read_file("docs/" + std::string(guide) + ".md"));
    std::string line;
    int examples = 0;
    while (std::getline(lines, line)) {
      if (line != "```toml") continue;
      std::string block;
      while (std::getline(lines, line) && line != "```") block += line + "\n";
      if (block.find("[workload]") == std::string::npos) continue;
      ++examples;
      EXPECT_NO_THROW(parse_experiment("docs/example.toml", block, {})) << block;
    }
    EXPECT_GE(examples, 1);
  }
}

}  // namespace
}  // namespace harness
