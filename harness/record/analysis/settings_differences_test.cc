#include "harness/record/analysis/settings_differences.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

using Texts = std::vector<std::string>;

std::string settings(const std::string& workers, const std::string& params, const std::string& more = "") {
  return "runtime = \"simulated\"\n\n[cluster]\nworkers = " + workers +
         "\nprofiles = \"a\"\n\n[[system]]\nname = \"pard\"\nvariant = \"default\"\nparams = " + params +
         "\n\n# cell 3\n# profiles 01ab\n" + more;
}

TEST(SettingsDifference, SaysWhatOfTheSettingsDiffersByName) {
  const std::string usual = settings("32", "{}");
  const std::string stop = "[[fault]]\nkind = \"stop\"\n";
  const std::string profiles = "[cluster]\nprofiles = \"a\"\n# cell 3\n# profiles 01ab\n";
  const struct {
    const char* what;
    std::string base, now;
    Texts differences;
  } cases[] = {
      {"the same", usual, usual, {}},
      {"nothing is known of one", "", usual, {}},
      {"a value, with its table", usual, settings("64", "{}"), {"cluster.workers 32, now 64"}},
      {"parameters, with their system",
       settings("32", "{ lambda = 0.1, order = \"fcfs\", budget = \"x\" }"),
       settings("32", "{ lambda = 0.2, order = \"hbf\", budget = \"x\" }"),
       {"pard.lambda 0.1, now 0.2", "pard.order fcfs, now hbf"}},
      {"what only one has",
       settings("32", "{ a = 1 }"),
       settings("32", "{ a = 1, b = 2 }", "[live]\nc = 1\n"),
       {}},
      {"a fault", usual, settings("32", "{}", stop), {"fault 1.kind stop now, none before"}},
      {"another fault",
       settings("32", "{}", stop + "[[fault]]\nkind = \"loss\"\n"),
       settings("32", "{}", stop + "[[fault]]\nkind = \"slow\"\n"),
       {"fault 2.kind loss, now slow"}},
      {"contents, but not places",
       profiles,
       "[cluster]\nprofiles = \"a\"\n# cell 4\n# profiles 02ab\n",
       {"contents of profiles differ: a (or a file that it names)"}},
      {"ranks", "[live]\n# on 1 rank\n", "[live]\n# on 12 ranks\n", {"ranks 1, now 12"}},
  };
  for (const auto& [what, base, now, differences] : cases)
    EXPECT_EQ(settings_differences(base, now), differences) << what;
}

}  // namespace
}  // namespace harness
