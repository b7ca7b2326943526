#include "harness/record/settings_difference.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

using Texts = std::vector<std::string>;

std::string settings(const std::string& workers, const std::string& params, const std::string& more = "") {
  return "runtime = \"simulated\"\n\n[cluster]\nworkers = " + workers +
         "\nprofiles = \"a\"\n\n[[system]]\nname = \"pard\"\nvariant = \"default\"\nparams = " + params +
         "\n\n# cell 3\n# profiles 01ab\n" + more;
}

TEST(SettingsDifference, EqualTextsDifferInNothing) {
  const std::string text = settings("32", "{ lambda = 0.1 }");
  EXPECT_EQ(settings_differences(text, text), Texts());
  EXPECT_EQ(settings_differences("", text), Texts());
}

TEST(SettingsDifference, ValuesAreNamedWithTheirTable) {
  EXPECT_EQ(settings_differences(settings("32", "{}"), settings("64", "{}")),
            Texts{"cluster.workers 32, now 64"});
}

TEST(SettingsDifference, ParametersCarryTheirSystem) {
  EXPECT_EQ(settings_differences(settings("32", "{ lambda = 0.1, order = \"fcfs\", budget = \"x\" }"),
                                 settings("32", "{ lambda = 0.2, order = \"hbf\", budget = \"x\" }")),
            (Texts{"pard.lambda 0.1, now 0.2", "pard.order fcfs, now hbf"}));
}

TEST(SettingsDifference, WhatOnlyOneHasIsLeftOut) {
  EXPECT_EQ(settings_differences(settings("32", "{ a = 1 }"),
                                 settings("32", "{ a = 1, b = 2 }", "[live]\nc = 1\n")),
            Texts());
}

TEST(SettingsDifference, FaultsAreTold) {
  const std::string stop = "[[fault]]\nkind = \"stop\"\n";
  EXPECT_EQ(settings_differences(settings("32", "{}"), settings("32", "{}", stop)),
            Texts{"fault 1.kind stop now, none before"});
  EXPECT_EQ(settings_differences(settings("32", "{}", stop + "[[fault]]\nkind = \"loss\"\n"),
                                 settings("32", "{}", stop + "[[fault]]\nkind = \"slow\"\n")),
            Texts{"fault 2.kind loss, now slow"});
}

TEST(SettingsDifference, ChecksumsTellThatContentsDifferButPlacesDoNot) {
  const std::string base = "[cluster]\nprofiles = \"a\"\n# cell 3\n# profiles 01ab\n";
  EXPECT_EQ(settings_differences(base, "[cluster]\nprofiles = \"a\"\n# cell 4\n# profiles 02ab\n"),
            Texts{"contents of profiles differ"});
}

TEST(SettingsDifference, RanksAreTold) {
  EXPECT_EQ(settings_differences("[live]\n# on 1 rank\n", "[live]\n# on 12 ranks\n"),
            Texts{"ranks 1, now 12"});
}

}  // namespace
}  // namespace harness
