#include "harness/core/task_spec.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/core/test_task_tree.h"

namespace harness {
namespace {

std::vector<std::string> names(const Pipeline& pipeline) {
  std::vector<std::string> list;
  for (const Module& module : pipeline.modules) list.push_back(module.name);
  return list;
}

TEST(Tasks, BecomeModulesInOrderTheMostAccurateFirst) {
  const Pipeline pipeline = traffic();
  EXPECT_EQ(names(pipeline), (std::vector<std::string>{"detect:large", "detect:small", "faces:vgg", "cars:b7",
                                                       "cars:b0", "plates:ocr"}));
  for (const ModuleId detector : std::vector<ModuleId>{0, 1}) {
    EXPECT_EQ(pipeline.modules[detector].subs, (std::vector<ModuleId>{2, 3}));
    EXPECT_EQ(pipeline.task_of(detector), 0);
  }
  // Means follow the subs, which are in the pipeline's order.
  EXPECT_EQ(pipeline.modules[0].fan_out, (std::vector<double>{1.5, 12.25}));
  EXPECT_EQ(pipeline.modules[1].fan_out, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(pipeline.modules[4].pres, (std::vector<ModuleId>{0}));
  EXPECT_EQ(pipeline.task_of(4), 3);
  EXPECT_EQ(pipeline.modules[4].subs, (std::vector<ModuleId>{5}));
  EXPECT_FALSE(pipeline.is_chain());
  EXPECT_EQ(entries_in(pipeline), (std::vector<ModuleId>{0}));
  EXPECT_EQ(entries_of(pipeline), std::vector<ModuleId>(6, 0));
}

TEST(Tasks, AreATreeWithValuesThatMeanSomething) {
  Pipeline pipeline;
  const auto wrong = [&](const std::vector<TaskSpec>& tasks) { return link_tasks(pipeline, tasks); };
  EXPECT_NE(
      wrong({{"a", {"b"}, {variant("m", 1, {})}}, {"b", {}, {variant("m", 1, {})}}}).find("one fan_out"),
      std::string::npos);
  EXPECT_NE(wrong({{"a", {}, {variant("m", 1.5, {})}}}).find("accuracy"), std::string::npos);
  EXPECT_NE(wrong({{"a", {}, {variant("m", 1, {}), variant("m", 0.5, {})}}}).find("named twice"),
            std::string::npos);
  EXPECT_NE(wrong({{"a", {}, {}}}).find("no variants"), std::string::npos);
  EXPECT_NE(wrong({{"a", {"b"}, {variant("m", 1, {-1})}}, {"b", {}, {variant("m", 1, {})}}}).find("fan_out"),
            std::string::npos);
  const Module last = variant("m", 1, {});
  EXPECT_NE(wrong({{"a", {"b", "c"}, {variant("m", 1, {1, 1})}},
                   {"b", {"d"}, {variant("m", 1, {1})}},
                   {"c", {"d"}, {variant("m", 1, {1})}},
                   {"d", {}, {last}}})
                .find("not a tree"),
            std::string::npos);
}

}  // namespace
}  // namespace harness
