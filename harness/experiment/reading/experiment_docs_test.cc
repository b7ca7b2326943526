// The tables of keys of docs/keys.md and other pages say what the program accepts: every key, and no other.
// After a change of keys, run this test with HARNESS_WRITE_DOCS=1 to renew the tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness/experiment/reading/experiment_keys.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/file_bytes.h"

namespace harness {
namespace {

TEST(ExperimentDocs, EveryTableIsThere) {
  for (const auto& [page, tables] : tables_of_pages()) {
    const std::string text = read_file(page);
    for (const auto& [name, table] : tables) {
      EXPECT_NE(text.find("<!-- keys: " + name + " -->\n"), std::string::npos) << page << name;
    }
  }
}

TEST(ExperimentDocs, NoOtherTableIsThere) {
  for (const auto& [page, tables] : tables_of_pages()) {
    std::istringstream lines(read_file(page));
    std::string line;
    while (std::getline(lines, line)) {
      if (line.rfind("<!-- keys: ", 0) != 0) continue;
      const std::string name = line.substr(11, line.find(" -->") - 11);
      EXPECT_EQ(tables.count(name), 1U) << page << name;
    }
  }
}

TEST(ExperimentDocs, TablesAreThoseOfTheProgram) {
  for (const auto& [page, tables] : tables_of_pages()) {
    const std::string found = read_file(page);
    const std::string expected = with_key_tables(found, tables);
    if (std::getenv("HARNESS_WRITE_DOCS") != nullptr) {
      std::ofstream(page) << expected;
      continue;
    }
    std::istringstream found_lines(found);
    std::istringstream expected_lines(expected);
    std::string found_line;
    std::string expected_line;
    while (std::getline(expected_lines, expected_line)) {
      std::getline(found_lines, found_line);
      ASSERT_EQ(found_line, expected_line);
    }
    EXPECT_EQ(found, expected);
  }
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
