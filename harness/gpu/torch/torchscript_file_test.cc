#include "harness/gpu/torch/torchscript_file.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "harness/gpu/inputs/assembler.h"

namespace harness {
namespace {

class TorchScriptFile : public testing::Test {
 protected:
  TorchScriptFile() { std::filesystem::create_directories(folder_); }
  ~TorchScriptFile() override { std::filesystem::remove_all(folder_); }

  ModelSource source_of(const std::string& file) {
    ModelSource source;
    source.model = "mine";
    source.file = (folder_ / file).string();
    source.input_height = 2;
    source.input_width = 3;
    return source;
  }
  /// Saves a module with a weight of 5 numbers, a buffer of 2, and this code.
  ModelSource save(const std::string& code) {
    torch::jit::Module module("mine");
    module.register_parameter("weight", at::full({5}, 0.5), false);
    module.register_buffer("shift", at::full({2}, 3.0));
    if (!code.empty()) module.define(code);
    const ModelSource source = source_of("mine.pt");
    module.save(source.file);
    return source;
  }
  at::Tensor run(const StagedModel& model, const at::Tensor& input) {
    std::vector<at::Tensor> state = {input};
    for (const ModelStage& stage : model.stages) stage(state);
    return state.at(0);
  }
  /// Returns the one line of the DeviceError that loading throws, after "model mine of FILE: ".
  std::string refusal(const ModelSource& source) {
    try {
      const StagedModel model = load_torchscript(source, place_);
      run(model, at::zeros({1, 3, 2, 3}));
    } catch (const DeviceError& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("torchscript_file_test." + std::to_string(getpid()));
  DevicePlace place_{"cpu", "mine of mine.pt", 0};
  const std::string begin_ = "device cpu: model mine of mine.pt: ";
};

TEST_F(TorchScriptFile, RunsAsSaved) {
  const ModelSource source =
      save("def forward(self, x):\n  return x.sum([2, 3]) * self.weight[0] + self.shift[1]\n");
  const StagedModel model = load_torchscript(source, place_);
  EXPECT_EQ(model.stages.size(), 1U);
  EXPECT_EQ(bytes_of(model), 4U * (5 + 2));
  EXPECT_EQ(model.input.height, 2);
  EXPECT_EQ(model.input.width, 3);
  const at::Tensor output = run(model, at::full({4, 3, 2, 3}, 2.0));
  ASSERT_EQ(output.sizes(), (std::vector<std::int64_t>{4, 3}));
  EXPECT_EQ(output.min().item<float>(), 2 * 6 * 0.5F + 3);  // six pixels of value 2
  EXPECT_EQ(output.max().item<float>(), 2 * 6 * 0.5F + 3);
}

// Whole numbers keep their type: they may be indices.
TEST_F(TorchScriptFile, HasThePrecisionThatIsAskedFor) {
  torch::jit::Module module("mine");
  module.register_parameter("weight", at::full({1, 3, 1, 1}, 0.5, at::kHalf), true);
  module.register_buffer("index", at::full({1}, 2, at::kLong));
  module.define(
      "def forward(self, x):\n  return (x * self.weight).index_select(1, self.index).sum([2, 3])\n");
  ModelSource source = source_of("mine.pt");
  module.save(source.file);
  const std::pair<Precision, at::ScalarType> all[] = {
      {Precision::kFp32, at::kFloat}, {Precision::kFp16, at::kHalf}, {Precision::kBf16, at::kBFloat16}};
  for (const auto& [precision, type] : all) {
    source.precision = precision;
    const StagedModel model = load_torchscript(source, place_);
    EXPECT_EQ(model.weights.at(0).scalar_type(), type);
    EXPECT_EQ(model.weights.at(1).scalar_type(), at::kLong);
    const at::Tensor output = run(model, at::full({4, 3, 2, 3}, 2.0));
    EXPECT_EQ(output.scalar_type(), type);
    EXPECT_EQ(output.min().item<float>(), 2 * 6 * 0.5F);
  }
}

TEST_F(TorchScriptFile, TakesImagesAsImageNetDoes) {
  const StagedModel model = load_torchscript(save("def forward(self, x):\n  return x\n"), place_);
  // The published means and deviations of R, G and B, in 0..1.
  const double mean[] = {0.485, 0.456, 0.406};
  const double deviation[] = {0.229, 0.224, 0.225};
  std::vector<float> values(3UL * 2 * 3);
  const std::vector<std::uint8_t> bytes = {255, 128, 0};
  assemble_batch(std::vector<Image>{{bytes, 1, 1}}, model.input, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t channel = i / 6;
    EXPECT_NEAR(values[i], (bytes[channel] / 255.0 - mean[channel]) / deviation[channel], 1e-5);
  }
}

TEST_F(TorchScriptFile, SaysWhatAFileIsThatIsNone) {
  EXPECT_EQ(refusal(source_of("absent.pt")),
            begin_ + "missing model: the file cannot be read: found no such file; allowed: a model's file");
  const ModelSource text = source_of("text.pt");
  std::ofstream(text.file) << "no model at all\n";
  const std::string none = begin_ +
                           "not a model: torch.jit.save() did not write the file, as "
                           "torch.jit.script(model).save(FILE) does: ";
  EXPECT_EQ(refusal(text).substr(0, none.size()), none);
  EXPECT_GT(refusal(text).size(), none.size());
  const ModelSource cut = source_of("cut.pt");
  const ModelSource whole = save("def forward(self, x):\n  return x\n");
  std::ofstream(cut.file, std::ios::binary) << std::ifstream(whole.file, std::ios::binary).rdbuf();
  std::filesystem::resize_file(cut.file, std::filesystem::file_size(cut.file) / 2);
  EXPECT_EQ(refusal(cut).substr(0, none.size()), none);
  EXPECT_EQ(refusal(save("")), begin_ + "not a model: the TorchScript module has no forward()");
  EXPECT_EQ(refusal(save("def forward(self, x):\n  return (x, x)\n")),
            begin_ + "not a model: forward() returns a Tuple, a tensor is needed");
}

TEST_F(TorchScriptFile, NeedsTheSizeOfItsImages) {
  ModelSource source = save("def forward(self, x):\n  return x\n");
  source.input_height = source.input_width = 0;
  const std::string begin = begin_ + "wrong shape: ";
  EXPECT_EQ(refusal(source).substr(0, begin.size()), begin);
}

}  // namespace
}  // namespace harness
