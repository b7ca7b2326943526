// Small runs of the zoo's networks for tests: of every family, with little of the work.
#pragma once

#include <cstdint>
#include <vector>

namespace harness {

/// A run of a network (test_networks.h) on the smallest images that it takes, or some small ones.
struct SmallRun {
  const char* model;
  std::int64_t height, width;
  std::vector<std::int64_t> output;  ///< shape of the output; the batch is first
};

/// Returns runs of every network of the zoo, without networks that differ from another only in a number of
/// classes or layers (vgg16 from gendernet, bert-large from bert). Smaller models have two images, models
/// that would take long have one.
inline const std::vector<SmallRun>& small_runs() {
  static const std::vector<SmallRun> kRuns = {{"resnet18", 32, 32, {2, 1000}},
                                              {"resnet34", 32, 32, {2, 1000}},
                                              {"resnet50", 32, 32, {2, 1000}},
                                              {"resnet101", 32, 32, {1, 1000}},
                                              {"resnet152", 32, 32, {1, 1000}},
                                              {"resnest50", 32, 32, {2, 1000}},
                                              {"resnest101", 32, 32, {1, 1000}},
                                              {"resnest200", 32, 32, {1, 1000}},
                                              {"resnest269", 32, 32, {1, 1000}},
                                              {"densenet121", 32, 32, {2, 1000}},
                                              {"densenet161", 32, 32, {1, 1000}},
                                              {"densenet169", 32, 32, {1, 1000}},
                                              {"densenet201", 32, 32, {1, 1000}},
                                              {"googlenet", 32, 32, {2, 1000}},
                                              {"inception_v3", 75, 75, {2, 1000}},
                                              {"rcnn", 64, 96, {2, 10, 455}},
                                              {"bert", 3, 5, {2, 128}},
                                              {"yolov5n", 64, 96, {2, 3 * (96 + 24 + 6), 85}},
                                              {"yolov5s", 64, 64, {2, 252, 85}},
                                              {"yolov5m", 64, 64, {1, 252, 85}},
                                              {"yolov5l", 64, 64, {1, 252, 85}},
                                              {"yolov5x", 64, 64, {1, 252, 85}},
                                              {"efficientnet-b0", 32, 32, {2, 1000}},
                                              {"efficientnet-b1", 32, 32, {2, 1000}},
                                              {"efficientnet-b2", 32, 32, {1, 1000}},
                                              {"efficientnet-b3", 32, 32, {1, 1000}},
                                              {"efficientnet-b4", 32, 32, {1, 1000}},
                                              {"efficientnet-b5", 32, 32, {1, 1000}},
                                              {"efficientnet-b6", 32, 32, {1, 1000}},
                                              {"efficientnet-b7", 32, 32, {1, 1000}},
                                              {"gendernet", 32, 32, {1, 2}},
                                              {"lenet", 32, 32, {2, 10}},
                                              {"clip-vit-b32", 224, 224, {2, 64}},
                                              {"clip-vit-b16", 224, 224, {1, 64}},
                                              {"clip-vit-l14", 224, 224, {1, 64}}};
  return kRuns;
}

}  // namespace harness
