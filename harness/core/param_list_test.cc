#include "harness/core/param_list.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace harness {
namespace {

enum class Colour { kRed, kGreen };

struct Sample {
  double share = 0.5;
  int count = 3;
  bool on = false;
  Colour colour = Colour::kGreen;

  void list(ParamList& params) {
    params.number("share", share, 0, 1, "a share");
    params.integer("count", count, 1, 10, "a count");
    params.flag("on", on, "a flag");
    params.choice("colour", colour, {"red", "green"}, "a colour");
  }
};

struct Listed {
  Sample sample;
  ParamList list;
  Listed() { sample.list(list); }
  bool set(const char* name, const ParamValue& value) { return list.find(name)->set(value); }
  std::string text(const char* name) { return text_of(list.find(name)->get()); }
};

TEST(ParamList, ListsNamesInOrderAndFindsThem) {
  Listed listed;
  EXPECT_EQ(listed.list.names(), (std::vector<std::string>{"share", "count", "on", "colour"}));
  EXPECT_EQ(listed.list.find("shares"), nullptr);
  EXPECT_EQ(listed.list.find("share")->doc, "a share");
}

TEST(ParamList, ShowsDefaultsAndWhatIsAllowed) {
  Listed listed;
  EXPECT_EQ(listed.text("share"), "0.5");
  EXPECT_EQ(listed.text("count"), "3");
  EXPECT_EQ(listed.text("on"), "false");
  EXPECT_EQ(listed.text("colour"), "green");
  EXPECT_EQ(listed.list.find("share")->allowed, "a number from 0 to 1");
  EXPECT_EQ(listed.list.find("count")->allowed, "an integer from 1 to 10");
  EXPECT_EQ(listed.list.find("colour")->allowed, "one of red, green");
}

TEST(ParamList, SetsFieldsWithinTheirLimitsInclusive) {
  Listed listed;
  EXPECT_TRUE(listed.set("share", 0.0));
  EXPECT_TRUE(listed.set("share", 1.0));
  EXPECT_EQ(listed.sample.share, 1.0);
  EXPECT_TRUE(listed.set("count", 10.0));
  EXPECT_EQ(listed.sample.count, 10);
  EXPECT_TRUE(listed.set("on", true));
  EXPECT_TRUE(listed.sample.on);
  EXPECT_TRUE(listed.set("colour", std::string("red")));
  EXPECT_EQ(listed.sample.colour, Colour::kRed);
}

TEST(ParamList, RefusesWhatIsNotAllowedAndKeepsTheField) {
  Listed listed;
  EXPECT_FALSE(listed.set("share", 1.0000001));
  EXPECT_FALSE(listed.set("share", -0.1));
  EXPECT_FALSE(listed.set("share", std::nan("")));
  EXPECT_FALSE(listed.set("share", std::string("0.5")));
  EXPECT_FALSE(listed.set("share", true));
  EXPECT_EQ(listed.sample.share, 0.5);
  EXPECT_FALSE(listed.set("count", 2.5));
  EXPECT_FALSE(listed.set("count", 0.0));
  EXPECT_FALSE(listed.set("count", std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(listed.set("count", std::nan("")));
  EXPECT_EQ(listed.sample.count, 3);
  EXPECT_FALSE(listed.set("on", 1.0));
  EXPECT_FALSE(listed.sample.on);
  EXPECT_FALSE(listed.set("colour", std::string("Red")));
  EXPECT_FALSE(listed.set("colour", 0.0));
  EXPECT_EQ(listed.sample.colour, Colour::kGreen);
}

TEST(ParamList, BindsTextsAndLists) {
  std::string name = "a";
  std::vector<double> loads = {1};
  TimeNs at_ns = 0;
  ParamList list;
  list.text("name", name, "a text", "a name").by_default("the file's stem");
  list.number_axis("loads", loads, 0, 2, "loads");
  list.seconds("at_s", at_ns, 0, 10, "a time").needed();
  EXPECT_FALSE(list.find("name")->set(std::string()));
  EXPECT_TRUE(list.find("name")->set(std::string("b")));
  EXPECT_EQ(name, "b");
  EXPECT_EQ(list.find("name")->default_text(), "the file's stem");
  const Param& axis = *list.find("loads");
  EXPECT_EQ(axis.default_text(), "1");
  axis.elements->clear();
  EXPECT_TRUE(axis.elements->add(0.5, {}));
  EXPECT_FALSE(axis.elements->add(2.5, {}));
  EXPECT_TRUE(axis.elements->add(2.0, {}));
  EXPECT_EQ(loads, (std::vector<double>{0.5, 2}));
  EXPECT_TRUE(list.find("at_s")->set(1.5));
  EXPECT_EQ(at_ns, 1'500'000'000);
  EXPECT_EQ(list.find("at_s")->default_text(), "(needed)");
  EXPECT_EQ(list.find("at_s")->required_as, "a number from 0 to 10");
}

TEST(TextOf, WritesTheShortestNumberThatReadsBack) {
  EXPECT_EQ(text_of(ParamValue(0.1)), "0.1");
  EXPECT_EQ(text_of(ParamValue(1.0)), "1");
  EXPECT_EQ(std::stod(text_of(ParamValue(1.0 / 3))), 1.0 / 3);
  EXPECT_EQ(text_of(ParamValue(true)), "true");
  EXPECT_EQ(text_of(ParamValue(std::string("early"))), "early");
}

}  // namespace
}  // namespace harness
