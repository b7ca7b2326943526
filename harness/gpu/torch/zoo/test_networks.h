// Networks of every family for tests: they have all kinds of layers and little of the work.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/gpu/torch/zoo/architectures.h"
#include "harness/gpu/torch/zoo/network.h"
#include "harness/gpu/torch/zoo/zoo.h"

namespace harness {

/// Returns the zoo's network of this name, except for transformers, which are narrow and have two layers with
/// the same patches or vocabulary, and rcnn, which has ten proposals, because linear layers are slow on a CPU
/// without a tuned BLAS.
inline std::shared_ptr<Network> test_network(const std::string& name, std::uint64_t seed = 1) {
  NetworkBuilder builder(name);
  if (name.starts_with("clip"))
    describe_clip_vit(builder, name == "clip-vit-b32" ? 32 : name == "clip-vit-b16" ? 16 : 14, 128, 2, 64);
  else if (name.starts_with("bert"))
    describe_bert(builder, 128, 2);
  else if (name == "rcnn")
    describe_faster_rcnn(builder, 10);
  else
    find_zoo_model(name)->describe(builder);
  std::shared_ptr<Network> network = builder.finish();
  network->fill_weights(seed);
  return network;
}

}  // namespace harness
