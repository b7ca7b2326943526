// Each system lists its parameters in its README.
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

/// Returns the text from the heading of the reconstructions to the next heading of the second level.
std::string reconstructions_of(const std::string& readme) {
  const std::size_t begin = readme.find("# Reconstructions\n");
  return begin == std::string::npos ? "" : readme.substr(begin, readme.find("\n## ", begin) - begin);
}

TEST(Systems, NameTheReadingsThatAreTriedAmongTheirReconstructions) {
  for (const SystemEntry& entry : all_systems()) {
    const std::string text = reconstructions_of(readme_of(entry));
    ParamList params;
    const std::unique_ptr<System> system = entry.make();
    system->list(params);
    for (const Param& param : params.params()) {
      if (param.readings.empty()) continue;
      const bool is_named = text.find("`" + param.name + "`") != std::string::npos ||
                            text.find("`" + param.name + " =") != std::string::npos;
      EXPECT_TRUE(is_named) << entry.name << ": the reconstructions do not name `" << param.name << "`";
      bool has_other = false;
      for (const ParamValue& value : param.readings) {
        has_other = has_other || value != param.get();
        EXPECT_TRUE(param.set(value)) << entry.name << "." << param.name << " = " << text_of(value);
      }
      EXPECT_TRUE(has_other) << entry.name << "." << param.name;
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
