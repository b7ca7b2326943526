// For tests: the models of SHEPHERD's Table 4.
#pragma once

#include <array>
#include <cstdint>

namespace harness {

struct Table4Model {
  const char* name;
  double alpha_ms;
  double beta_ms;
  std::int64_t parameters;
  int exit_points;
};

/// SHEPHERD's Table 4, as in workloads/profiles/shepherd-v100.toml, with the published numbers of parameters
/// (sources: harness/gpu/torch/zoo/zoo.cc).
inline constexpr std::array<Table4Model, 17> kTable4 = {{
    {"resnet18", 0.22, 3.74, 11'689'512, 40},
    {"resnet34", 0.38, 5.78, 21'797'672, 46},
    {"resnet50", 0.75, 7.96, 25'557'032, 46},
    {"resnet101", 1.25, 13.57, 44'549'160, 39},
    {"resnet152", 1.77, 18.98, 60'192'808, 84},
    {"resnest50", 1.18, 15.39, 27'483'240, 78},
    {"resnest101", 1.91, 29.21, 48'275'016, 57},
    {"resnest200", 3.35, 45.43, 70'201'544, 96},
    {"resnest269", 4.37, 74.20, 110'929'480, 128},
    {"densenet121", 0.69, 19.96, 7'978'856, 129},
    {"densenet161", 1.74, 23.10, 28'681'000, 171},
    {"densenet169", 0.83, 27.47, 14'149'480, 120},
    {"densenet201", 1.12, 32.33, 20'013'928, 142},
    {"googlenet", 0.25, 8.41, 6'624'904, 44},
    {"inception_v3", 0.96, 11.77, 23'834'568, 122},
    {"rcnn", 2.59, 14.90, 41'755'286, 51},
    {"bert", 40.98, 5.67, 109'482'240, 43},
}};

}  // namespace harness
