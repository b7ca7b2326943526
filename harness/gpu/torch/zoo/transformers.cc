#include <string>

#include "harness/gpu/torch/zoo/architectures.h"
#include "harness/gpu/torch/zoo/tensor_layers.h"

namespace harness {
namespace {

constexpr int kHeadWidth = 64;

void self_attention(NetworkBuilder& network, const std::string& name, int width) {
  network.linear(name + "_qkv", width, 3 * width);
  add_attend(network, name + "_attend", width / kHeadWidth);
  network.linear(name + "_out", width, width);
}

void feed_forward(NetworkBuilder& network, const std::string& name, int width, Activation activation) {
  network.linear(name + "_1", width, 4 * width);
  network.activation(name + "_activation", activation);
  network.linear(name + "_2", 4 * width, width);
}

}  // namespace

void describe_clip_vit(NetworkBuilder& network, int patch, int width, int layers, int embedding) {
  constexpr double kEpsilon = 1e-5;
  const int side = 224 / patch;
  network.conv("patches", {.in = 3, .out = width, .kernel = {patch, patch}, .stride = {patch, patch}});
  add_patch_tokens(network, "tokens", side * side, width);
  network.layer_norm("first_norm", width, kEpsilon);
  for (int i = 0; i < layers; ++i) {
    const std::string name = "block" + std::to_string(i);
    network.copy();
    network.layer_norm(name + "_norm1", width, kEpsilon);
    self_attention(network, name + "_attention", width);
    network.add(name + "_add1");
    network.copy();
    network.layer_norm(name + "_norm2", width, kEpsilon);
    feed_forward(network, name + "_mlp", width, Activation::kQuickGelu);
    network.add(name + "_add2");
  }
  add_first_token(network, "class_token");
  network.layer_norm("last_norm", width, kEpsilon);
  network.linear("projection", width, embedding, /*bias=*/false);
}

void describe_bert(NetworkBuilder& network, int width, int layers) {
  constexpr double kEpsilon = 1e-12;
  constexpr int kVocabulary = 30522, kPositions = 512;
  add_tokens(network, "tokens", kVocabulary);
  add_token_embeddings(network, "embeddings", kVocabulary, kPositions, width);
  network.layer_norm("embeddings_norm", width, kEpsilon);
  for (int i = 0; i < layers; ++i) {
    const std::string name = "layer" + std::to_string(i);
    network.copy();
    self_attention(network, name + "_attention", width);
    network.add(name + "_attention_add");
    network.layer_norm(name + "_attention_norm", width, kEpsilon);
    network.copy();
    feed_forward(network, name + "_feed_forward", width, Activation::kGelu);
    network.add(name + "_add");
    network.layer_norm(name + "_norm", width, kEpsilon);
  }
  add_first_token(network, "class_token");
  network.linear("pooler", width, width);
  network.activation("pooler_tanh", Activation::kTanh);
}

}  // namespace harness
