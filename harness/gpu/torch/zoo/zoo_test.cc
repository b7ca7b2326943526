#include "harness/gpu/torch/zoo/zoo.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/gpu/torch/zoo/network.h"
#include "harness/gpu/torch/zoo/test_networks.h"
#include "harness/gpu/torch/zoo/test_runs.h"

namespace harness {
namespace {

std::shared_ptr<Network> built(const std::string& name) { return build_model(*find_zoo_model(name)); }

TEST(Zoo, ParameterCountsAreThePublished) {
  for (const ZooModel& model : zoo())
    EXPECT_EQ(build_model(model)->parameter_count(), model.parameters) << model.name;
}

/// Returns the number of weights and biases of a square convolution or, with kernel 1, of a linear layer.
constexpr std::int64_t layer(std::int64_t in, std::int64_t out, std::int64_t kernel = 1) {
  return in * out * kernel * kernel + out;
}

// Computes the same counts by hand, for models whose published figure is a difference of two or belongs to a
// like model.
TEST(Zoo, ParameterCountsAreThoseOfTheFormulas) {
  EXPECT_EQ(built("lenet")->parameter_count(),
            layer(3, 6, 5) + layer(6, 16, 5) + layer(400, 120) + layer(120, 84) + layer(84, 10));

  const std::int64_t vgg_features = layer(3, 64, 3) + layer(64, 64, 3) + layer(64, 128, 3) +
                                    layer(128, 128, 3) + layer(128, 256, 3) + 2 * layer(256, 256, 3) +
                                    layer(256, 512, 3) + 5 * layer(512, 512, 3);
  const std::int64_t vgg = vgg_features + layer(25088, 4096) + layer(4096, 4096);
  EXPECT_EQ(built("gendernet")->parameter_count(), vgg + layer(4096, 2));
  EXPECT_EQ(built("vgg16")->parameter_count(), vgg + layer(4096, 1000));

  // A transformer's layer has attention, feed-forward and two normalisations.
  const auto transformer = [](std::int64_t w) {
    return layer(w, 3 * w) + layer(w, w) + layer(w, 4 * w) + layer(4 * w, w) + 4 * w;
  };
  const auto clip = [&](std::int64_t patch, std::int64_t w, std::int64_t layers, std::int64_t embedding) {
    const std::int64_t patches = (224 / patch) * (224 / patch);
    return 3 * patch * patch * w + w + (1 + patches) * w + 4 * w + layers * transformer(w) + w * embedding;
  };
  EXPECT_EQ(built("clip-vit-b32")->parameter_count(), clip(32, 768, 12, 512));
  EXPECT_EQ(built("clip-vit-b16")->parameter_count(), clip(16, 768, 12, 512));
  EXPECT_EQ(built("clip-vit-l14")->parameter_count(), clip(14, 1024, 24, 768));
  const auto bert = [&](std::int64_t w, std::int64_t layers) {
    return (30522 + 512 + 2) * w + 2 * w + layers * transformer(w) + layer(w, w);
  };
  EXPECT_EQ(built("bert")->parameter_count(), bert(768, 12));
  EXPECT_EQ(built("bert-large")->parameter_count(), bert(1024, 24));

  // ResNet-50 without its classifier and the scale and shift of its normalisations, which have 26560
  // channels: 64 in the stem; 6 w a block of width w (3, 4, 6, 3 blocks of 64 to 512), 4 w for each of the
  // four shortcuts.
  const std::int64_t channels = 64 + 6 * (3 * 64 + 4 * 128 + 6 * 256 + 3 * 512) + 4 * (64 + 128 + 256 + 512);
  const std::int64_t body = 25'557'032 - layer(2048, 1000) - 2 * channels;
  const std::int64_t pyramid =
      layer(256, 256) + layer(512, 256) + layer(1024, 256) + layer(2048, 256) + 4 * layer(256, 256, 3);
  const std::int64_t proposals = layer(256, 256, 3) + layer(256, 3) + layer(256, 12);
  const std::int64_t heads = layer(256 * 49, 1024) + layer(1024, 1024) + layer(1024, 91) + layer(1024, 364);
  EXPECT_EQ(built("rcnn")->parameter_count(), body + pyramid + proposals + heads);
}

/// Returns the `model` names of a profile file, each with its exit points (0: not given).
std::map<std::string, int> profiled_models(const std::string& path) {
  std::map<std::string, int> models;
  std::ifstream file(path);
  std::string line, name;
  while (std::getline(file, line)) {
    const std::string model = "model = \"", points = "exit_points = ";
    if (line.starts_with(model)) models[name = line.substr(model.size(), line.size() - model.size() - 1)] = 0;
    if (line.starts_with(points)) models[name] = std::stoi(line.substr(points.size()));
  }
  return models;
}

TEST(Zoo, HasTheProfiledModelsWithTheirExitPoints) {
  const std::map<std::string, int> shepherd = profiled_models("workloads/profiles/shepherd-v100.toml");
  const std::map<std::string, int> loki = profiled_models("workloads/profiles/loki-gtx1080ti.toml");
  ASSERT_EQ(shepherd.size(), 17U);
  ASSERT_EQ(loki.size(), 26U);
  for (const auto& [name, exit_points] : shepherd) {
    const ZooModel* model = find_zoo_model(name);
    ASSERT_NE(model, nullptr) << name;
    EXPECT_EQ(model->exit_points, exit_points) << name;
    EXPECT_GE(build_model(*model)->exit_points(), exit_points) << name;
  }
  const std::set<std::string> not_built = {"gendernet-11", "gendernet-13", "gendernet-16", "gendernet-19",
                                           "clip-vit-l14-336"};
  for (const auto& [name, exit_points] : loki)
    EXPECT_EQ(find_zoo_model(name) == nullptr, not_built.contains(name)) << name;
}

TEST(Zoo, NamesAreUniqueAndUnknownOnesGetAHint) {
  std::set<std::string> names;
  for (const ZooModel& model : zoo()) {
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
    EXPECT_EQ(find_zoo_model(model.name), &model);
    std::set<std::string> stages;
    const std::shared_ptr<Network> network = build_model(model);
    for (const Network::Stage& stage : network->stages())
      EXPECT_TRUE(stages.insert(stage.name).second) << model.name << ' ' << stage.name;
  }
  EXPECT_EQ(find_zoo_model("resnet19"), nullptr);
  const std::string message = unknown_zoo_model("yolov5z");
  EXPECT_NE(message.find("yolov5z"), std::string::npos);
  EXPECT_NE(message.find("did you mean yolov5"), std::string::npos) << message;
}

/// Returns the number as "1 234 567".
std::string with_spaces(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string spaced;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) spaced += ' ';
    spaced += digits[i];
  }
  return spaced;
}

TEST(Zoo, ReadmeListsTheTable) {
  std::ifstream file("harness/gpu/torch/zoo/README.md");
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.insert(line);
  for (const ZooModel& model : zoo()) {
    const std::string sides = std::to_string(model.input.height) + " x " + std::to_string(model.input.width);
    const std::string row = std::string("| ") + model.name + " | " + with_spaces(model.parameters) + " | " +
                            sides + " | " + (model.exit_points > 0 ? std::to_string(model.exit_points) : "") +
                            " | " + std::to_string(build_model(model)->exit_points()) + " | " + model.source +
                            " |";
    EXPECT_TRUE(lines.contains(row)) << row;
  }
}

/// Returns the number of multiplications with weights in one forward pass of convolutions and linear layers.
double multiplications(const Network& network, const at::Tensor& input) {
  const auto weights = network.named_parameters();
  NetworkState state{input};
  double total = 0;
  for (const Network::Stage& stage : network.stages()) {
    stage.run(state);
    const at::Tensor* weight = weights.find(stage.name + "_weight");
    if (weight == nullptr || weight->dim() < 2) continue;
    total +=
        static_cast<double>(state.back().numel()) * static_cast<double>(weight->numel() / weight->size(0));
  }
  return total;
}

// Tests strides, paddings and widths at the published input size, which no count of parameters shows.
TEST(Zoo, WorkIsThePublished) {
  at::set_num_threads(1);
  struct Published {
    const char* model;
    double giga;
    double rounding;
  };
  // torchvision 0.14 lists GFLOPS, each a multiplication and addition, to three places; the ResNeSt paper to
  // two; YOLOv5's summary counts both of them apart, to one place, and the activations too.
  const Published published[] = {{"resnet18", 1.814, 5e-4},     {"resnet50", 4.089, 5e-4},
                                 {"densenet121", 2.834, 5e-4},  {"googlenet", 1.498, 5e-4},
                                 {"inception_v3", 5.713, 5e-4}, {"efficientnet-b0", 0.386, 5e-4},
                                 {"resnest50", 5.39, 5e-2},     {"yolov5n", 4.5 / 2, 0.05}};
  for (const auto& [name, giga, rounding] : published) {
    const ZooModel& model = *find_zoo_model(name);
    const at::Tensor input = at::zeros({1, 3, model.input.height, model.input.width});
    EXPECT_NEAR(multiplications(*make_model(model, 1), input) / 1e9, giga, rounding) << name;
  }
}

// Random weights are scaled so that signals neither die nor blow up on the way.
TEST(Zoo, OutputsHaveTheirShapeAndTellImagesApart) {
  at::set_num_threads(1);
  for (const auto& [name, height, width, output] : small_runs()) {
    const ZooModel& model = *find_zoo_model(name);
    at::manual_seed(9);
    at::Tensor images = at::rand({output[0], 3, height, width});
    for (int c = 0; c < 3; ++c)
      images.select(1, c)
          .sub_(model.input.mean[static_cast<std::size_t>(c)])
          .mul_(model.input.scale[static_cast<std::size_t>(c)]);
    const at::Tensor result = test_network(name)->forward(images);
    EXPECT_EQ(result.sizes().vec(), output) << name;
    EXPECT_TRUE(at::isfinite(result).all().item<bool>()) << name;
    if (output[0] > 1) {
      EXPECT_GT((result[0] - result[1]).abs().max().item<float>(), 1e-4F) << name;
    }
    EXPECT_LT(result.abs().max().item<float>(), 1e4F) << name;
  }
}

}  // namespace
}  // namespace harness
