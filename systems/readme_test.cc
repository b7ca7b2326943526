// Each system says in its README what it can be told.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "systems/all_systems.h"

namespace harness {
namespace {

std::string folder_of(const SystemEntry& entry) {
  return std::string("systems/") + (entry.folder == nullptr ? entry.name : entry.folder);
}

std::string readme_of(const SystemEntry& entry) {
  std::ifstream file(folder_of(entry) + "/README.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Systems, HaveNamesOfTheirOwnAndAreFoundByThem) {
  std::set<std::string> names;
  for (const SystemEntry& entry : all_systems()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(find_system(entry.name), &entry);
    EXPECT_NE(entry.make(), nullptr);
    EXPECT_NE(std::string(entry.summary), "");
  }
  EXPECT_EQ(find_system("pards"), nullptr);
}

TEST(Systems, DescribeEveryParameterWithItsDefault) {
  for (const SystemEntry& entry : all_systems()) {
    const std::string readme = readme_of(entry);
    ASSERT_NE(readme, "") << folder_of(entry) << "/README.md";
    ParamList params;
    const std::unique_ptr<System> system = entry.make();
    system->list(params);
    for (const Param& param : params.params()) {
      const std::string row = "| `" + param.name + "` | " + text_of(param.get()) + " |";
      EXPECT_NE(readme.find(row), std::string::npos) << entry.name << ": no row " << row;
      EXPECT_NE(param.doc, "") << entry.name << "." << param.name;
    }
  }
}

TEST(Systems, MapThePaperToTheirFilesAndListReconstructions) {
  for (const SystemEntry& entry : all_systems()) {
    const std::string readme = readme_of(entry);
    for (const char* part : {"## Paper to files", "## Parameters", "## Reconstructions"}) {
      EXPECT_NE(readme.find(part), std::string::npos) << entry.name << ": no part '" << part << "'";
    }
  }
}

}  // namespace
}  // namespace harness
