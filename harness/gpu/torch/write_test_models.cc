// Writes TorchScript models that fail on images, though not on the zeros that a device warms up with (the
// last one fails on both), for tests that run the program. "uneven" runs only batches of 1 and 4 images;
// "endless" never returns, "endless_at_once" not even on zeros.
//
//     write_test_models FOLDER
#include <torch/csrc/jit/api/module.h>

#include <cstdio>
#include <exception>
#include <string>

namespace {

struct TestModel {
  const char* name;
  const char* on_images;  ///< expression that forward(x) returns for images
  const char* on_zeros = "x.mean([2, 3])";
};

constexpr TestModel kModels[] = {
    {"good", "x.mean([2, 3])"},
    {"giant", "torch.zeros([1125899906842624])"},
    {"shrinking", "x.mean()"},
    {"failing", "x.view([7, 7])"},
    {"uneven", "x.mean([2, 3]) if x.size(0) == 1 or x.size(0) == 4 else x.view([7, 7])"},
    {"fixed", "x.view([x.size(0), 192])", "x.view([x.size(0), 192])"},  // fits images of 8 x 8
};

void write(const TestModel& model, const std::string& folder) {
  torch::jit::Module module(model.name);
  module.define(std::string("def forward(self, x):\n"
                            "    if bool(x.abs().sum() > 0):\n"
                            "        return ") +
                model.on_images + "\n    return " + model.on_zeros + "\n");
  module.save(folder + "/" + model.name + ".pt");
}

/// Writes a model that never returns if `condition` holds.
void write_endless(const std::string& name, const std::string& condition, const std::string& folder) {
  torch::jit::Module module(name);
  module.define(
      "def forward(self, x):\n"
      "    i = 0\n"
      "    if " +
      condition +
      ":\n"
      "        while i >= 0:\n"
      "            i = (i + 1) % 7\n"
      "    return x.mean([2, 3])\n");
  module.save(folder + "/" + name + ".pt");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_test_models FOLDER\n");
    return 2;
  }
  try {
    for (const TestModel& model : kModels) write(model, argv[1]);
    write_endless("endless", "bool(x.abs().sum() > 0)", argv[1]);
    write_endless("endless_at_once", "True", argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_test_models: %s\n", error.what());
    return 3;
  }
  return 0;
}
