// For tests: a small task tree.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/core/task_spec.h"

namespace harness {

inline Module variant(const std::string& model, double accuracy, std::vector<double> fan_out) {
  Module module;
  module.model = model;
  module.accuracy = accuracy;
  module.fan_out = std::move(fan_out);
  return module;
}

/// Returns a tree of a detector with two variants, then cars and faces; cars are read on.
inline Pipeline traffic() {
  Pipeline pipeline;
  EXPECT_EQ(link_tasks(pipeline, {{"plates", {}, {variant("ocr", 1, {})}},
                                  {"detect",
                                   {"faces", "cars"},
                                   {variant("small", 0.6, {0.5, 2}), variant("large", 1, {1.5, 12.25})}},
                                  {"faces", {}, {variant("vgg", 1, {})}},
                                  {"cars", {"plates"}, {variant("b0", 0.8, {0.9}), variant("b7", 1, {1})}}}),
            "");
  return pipeline;
}

}  // namespace harness
