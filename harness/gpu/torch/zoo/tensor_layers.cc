#include "harness/gpu/torch/zoo/tensor_layers.h"

#include <ATen/ATen.h>

#include "harness/gpu/torch/zoo/layer_functions.h"
#include "harness/gpu/torch/zoo/network.h"

namespace harness {
namespace {

constexpr WeightRange kEmbeddingRange{0, 0.05F};

}  // namespace

void add_split_mean(NetworkBuilder& network, const std::string& name, int radix) {
  network.layer(name, [radix](const at::Tensor& x) { return split_mean(x, radix); });
}

void add_split_sum(NetworkBuilder& network, const std::string& name, int radix) {
  network.stage(name, 2, [radix](const NetworkState& parts) {
    return NetworkState{split_sum(parts[0], parts[1], radix)};
  });
}

void add_attend(NetworkBuilder& network, const std::string& name, int heads) {
  network.layer(name, [heads](const at::Tensor& x) { return attend(x, heads); });
}

void add_patch_tokens(NetworkBuilder& network, const std::string& name, int patches, int width) {
  const at::Tensor class_token = network.parameter(name + "_class", {width}, kEmbeddingRange);
  const at::Tensor positions = network.parameter(name + "_positions", {1 + patches, width}, kEmbeddingRange);
  network.layer(name, [class_token, positions](const at::Tensor& x) {
    const at::Tensor first = class_token.expand({x.size(0), 1, class_token.size(0)});
    return at::add(at::cat({first, at::flatten(x, 2).transpose(1, 2)}, 1), positions);
  });
}

void add_tokens(NetworkBuilder& network, const std::string& name, int vocabulary) {
  network.layer(name, [vocabulary](const at::Tensor& x) { return tokens_of(x, vocabulary); });
}

void add_token_embeddings(NetworkBuilder& network, const std::string& name, int vocabulary, int positions,
                          int width) {
  const at::Tensor words = network.parameter(name + "_words", {vocabulary, width}, kEmbeddingRange);
  const at::Tensor places = network.parameter(name + "_positions", {positions, width}, kEmbeddingRange);
  const at::Tensor segments = network.parameter(name + "_segments", {2, width}, kEmbeddingRange);
  network.layer(name, [words, places, segments](const at::Tensor& tokens) {
    const at::Tensor fixed = at::add(places.narrow(0, 0, tokens.size(1)), segments.select(0, 0));
    return at::add(at::embedding(words, tokens), fixed);
  });
}

void add_first_token(NetworkBuilder& network, const std::string& name) {
  network.layer(name, [](const at::Tensor& x) { return x.select(1, 0); });
}

}  // namespace harness
