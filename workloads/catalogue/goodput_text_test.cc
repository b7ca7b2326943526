#include "workloads/catalogue/goodput_text.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/test_time.h"
#include "harness/files/file_bytes.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

using Goodput = std::map<std::string, std::vector<GoodputPoint>>;

const char* const kTwo =
    "# mine\ndescription = \"d\"\ndevice = \"T4\"  # old\n\n"
    "[[profile]]\nmodel = \"a\"\nalpha_ms = 1\nbeta_ms = 2  # measured twice\nmax_batch = 4\n\n"
    "# the second\n[[profile]]\nmodel = \"b\"\nlatency_ms = [\n  1.5,\n  2.5,\n]\nmemory_mb = 7\n"
    "[profile.measured]\nrepeats = 3\n";

TEST(WithGoodput, AddsToEachProfileAndKeepsTheRest) {
  const Goodput goodput = {{"a", {{50 * kMs, 12.5}, {100 * kMs, 80}}}, {"b", {{100 * kMs, 0}}}};
  EXPECT_EQ(with_goodput("f.toml", kTwo, goodput, "how"),
            "# mine\ndescription = \"d\"\ndevice = \"T4\"  # old\ngoodput_source = \"how\"\n\n"
            "[[profile]]\nmodel = \"a\"\nalpha_ms = 1\nbeta_ms = 2  # measured twice\nmax_batch = 4\n"
            "goodput_slo_ms = [50, 100]\ngoodput_rps = [12.5, 80]\n\n"
            "# the second\n[[profile]]\nmodel = \"b\"\nlatency_ms = [\n  1.5,\n  2.5,\n]\nmemory_mb = 7\n"
            "goodput_slo_ms = [100]\ngoodput_rps = [0]\n"
            "[profile.measured]\nrepeats = 3\n");
}

TEST(WithGoodput, ReadsBack) {
  const Goodput goodput = {{"a", {{50 * kMs, 12.5}, {100 * kMs, 1234.56}}}};
  const ProfileSet set = parse_profiles("f.toml", with_goodput("f.toml", kTwo, goodput, "how it was found"));
  const Profile& a = set.profiles.at("a");
  ASSERT_EQ(a.goodput.size(), 2U);
  EXPECT_EQ(a.goodput[0].slo_ns, 50 * kMs);
  EXPECT_EQ(a.goodput[0].rps, 12.5);
  EXPECT_EQ(a.goodput[1].rps, 1234.56);
  EXPECT_EQ(a.goodput_source, "how it was found");
  EXPECT_TRUE(set.profiles.at("b").goodput.empty());
  EXPECT_EQ(set.profiles.at("b").latency(2), 2'500'000);
}

TEST(WithGoodput, ReplacesWhatWasThere) {
  const Goodput old = {{"a", {{50 * kMs, 1}}}, {"b", {{60 * kMs, 2}, {70 * kMs, 3}}}};
  const Goodput fresh = {{"a", {{80 * kMs, 4}}}, {"b", {{80 * kMs, 5}}}};
  const std::string once = with_goodput("f.toml", kTwo, fresh, "new");
  EXPECT_EQ(with_goodput("f.toml", with_goodput("f.toml", kTwo, old, "old"), fresh, "new"), once);
  EXPECT_EQ(with_goodput("f.toml", once, fresh, "new"), once);
  // Over several lines, and with a source of its own, as a person may write it.
  const std::string by_hand =
      "device='d'\n[[profile]]\nmodel='a'\ngoodput_slo_ms=[\n 10,\n 20,\n]\ngoodput_rps=[1,\n2]\n"
      "goodput_source='x'\nlatency_ms=[1]\n";
  EXPECT_EQ(with_goodput("f.toml", by_hand, fresh, "new"),
            "device='d'\ngoodput_source = \"new\"\n[[profile]]\nmodel='a'\nlatency_ms=[1]\n"
            "goodput_slo_ms = [80]\ngoodput_rps = [4]\n");
}

TEST(WithGoodput, ChangesNothingElseInTheShippedSets) {
  for (const std::string& name : profile_set_names()) {
    const ProfileSet before = load_profiles(name);
    const std::string file = "workloads/profiles/" + name + ".toml";
    Goodput goodput;
    for (const auto& [model, profile] : before.profiles) {
      if (profile.service == Service::kBatch) goodput[model] = {{kMs, 3}};
    }
    if (goodput.empty()) continue;
    if (name == "inferline-tfs") {  // made from another set
      EXPECT_THROW(with_goodput(file, read_file(file), goodput, "s"), InputError);
      continue;
    }
    const ProfileSet after = parse_profiles(file, with_goodput(file, read_file(file), goodput, "s"));
    ASSERT_EQ(after.profiles.size(), before.profiles.size());
    for (const auto& [model, profile] : after.profiles) {
      EXPECT_EQ(profile.latency_ns, before.profiles.at(model).latency_ns);
      EXPECT_EQ(profile.goodput.size(), goodput.count(model));
    }
  }
}

TEST(WithGoodput, RefusesWhatIsNotInLines) {
  const char* const inline_tables = "device='d'\nprofile = [{model='a', latency_ms=[1]}]\n";
  const char* const parted = "device='d'\n[[profile]]\nmodel='a'\nlatency_ms=[\n\n1]\n";
  for (const char* text : {inline_tables, parted}) {
    try {
      with_goodput("f.toml", text, {{"a", {{kMs, 1}}}}, "s");
      FAIL() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("f.toml: profile: found ", 0), 0U) << error.what();
    }
  }
  EXPECT_THROW(with_goodput("f.toml", "[[profile]]\n", {}, "s"), InputError);
}

}  // namespace
}  // namespace harness
