#include "systems/loki/loki_pipelines.h"

#include <gtest/gtest.h>

#include "harness/core/pipeline.h"

namespace harness {
namespace {

TEST(Trees, DeclaresWhatPlainModulesSendOn) {
  Pipeline pipeline;
  for (const char* name : {"a", "b", "c"}) pipeline.modules.emplace_back().name = name;
  ASSERT_EQ(link_modules(pipeline, {{}, {"a"}, {"a"}}, {{}, {}, {}}), "");
  EXPECT_EQ(declared_fan_out(pipeline), (std::vector<std::vector<double>>{{1, 1}, {}, {}}));
  ASSERT_EQ(choose_one(pipeline, "a", {"b", "c"}, {3, 1}), "");
  EXPECT_EQ(declared_fan_out(pipeline), (std::vector<std::vector<double>>{{0.75, 0.25}, {}, {}}));
  EXPECT_EQ(task_demands(pipeline, declared_fan_out(pipeline), 8), (std::vector<double>{8, 6, 2}));
}

}  // namespace
}  // namespace harness
