#include "harness/gpu/torch/zoo/zoo.h"

#include <vector>

#include "harness/core/wording.h"
#include "harness/gpu/torch/zoo/architectures.h"
#include "harness/gpu/torch/zoo/network.h"
#include "harness/gpu/torch/zoo/network_builder.h"

namespace harness {
namespace {

/// Returns the format for RGB of [0, 1], normalised by the statistics of ImageNet (torchvision's transforms).
constexpr InputFormat imagenet(int side) {
  return {side, side, {0.485F, 0.456F, 0.406F}, {1 / 0.229F, 1 / 0.224F, 1 / 0.225F}};
}

constexpr InputFormat kClipInput{
    224, 224, {0.48145466F, 0.4578275F, 0.40821073F}, {1 / 0.26862954F, 1 / 0.26130258F, 1 / 0.27577711F}};
constexpr InputFormat kLenetInput{32, 32, {0.5F, 0.5F, 0.5F}, {2, 2, 2}};
constexpr InputFormat kYoloInput{640, 640, {0, 0, 0}, {1, 1, 1}};
/// The format of 512 tokens: one pixel each, as values 0 to 255.
constexpr InputFormat kTokenInput{16, 32, {0, 0, 0}, {255, 255, 255}};

constexpr const char* kTorchvision = "torchvision 0.14, num_params of its weights";
constexpr const char* kResnest = "zhanghang1989/ResNeSt, as counted by osmr/imgclsmob";
constexpr const char* kClip = "openai/CLIP: all parameters but the text encoder's";
constexpr const char* kYolo = "ultralytics/yolov5 v6.0 to v7.0, model summary after fusing";
constexpr const char* kBert = "huggingface/transformers, BertModel";

/// ResNeSt was published for 224, 256, 320 and 416 pixels; Table 4's times fit 224 for all four.
constexpr InputFormat kResnestInput = imagenet(224);
constexpr const char* kResnestNote =
    "run at 224 x 224, which Table 4's alpha fits; published for 256 and more";

constexpr ZooModel kModels[] = {
    {"resnet18", 11'689'512, kTorchvision, "", 40, imagenet(224),
     [](NetworkBuilder& n) {
       describe_basic_resnet(n, {2, 2, 2, 2});
     }},
    {"resnet34", 21'797'672, kTorchvision, "", 46, imagenet(224),
     [](NetworkBuilder& n) {
       describe_basic_resnet(n, {3, 4, 6, 3});
     }},
    {"resnet50", 25'557'032, kTorchvision, "", 46, imagenet(224),
     [](NetworkBuilder& n) {
       describe_resnet(n, {3, 4, 6, 3});
     }},
    {"resnet101", 44'549'160, kTorchvision, "", 39, imagenet(224),
     [](NetworkBuilder& n) {
       describe_resnet(n, {3, 4, 23, 3});
     }},
    {"resnet152", 60'192'808, kTorchvision, "", 84, imagenet(224),
     [](NetworkBuilder& n) {
       describe_resnet(n, {3, 8, 36, 3});
     }},
    {"resnest50", 27'483'240, kResnest, "", 78, kResnestInput,
     [](NetworkBuilder& n) {
       describe_resnest(n, {3, 4, 6, 3}, 32);
     }},
    {"resnest101", 48'275'016, kResnest, kResnestNote, 57, kResnestInput,
     [](NetworkBuilder& n) {
       describe_resnest(n, {3, 4, 23, 3}, 64);
     }},
    {"resnest200", 70'201'544, kResnest, kResnestNote, 96, kResnestInput,
     [](NetworkBuilder& n) {
       describe_resnest(n, {3, 24, 36, 3}, 64);
     }},
    {"resnest269", 110'929'480, kResnest, kResnestNote, 128, kResnestInput,
     [](NetworkBuilder& n) {
       describe_resnest(n, {3, 30, 48, 8}, 64);
     }},
    {"densenet121", 7'978'856, kTorchvision, "", 129, imagenet(224),
     [](NetworkBuilder& n) {
       describe_densenet(n, {6, 12, 24, 16}, 32, 64);
     }},
    {"densenet161", 28'681'000, kTorchvision, "", 171, imagenet(224),
     [](NetworkBuilder& n) {
       describe_densenet(n, {6, 12, 36, 24}, 48, 96);
     }},
    {"densenet169", 14'149'480, kTorchvision, "", 120, imagenet(224),
     [](NetworkBuilder& n) {
       describe_densenet(n, {6, 12, 32, 32}, 32, 64);
     }},
    {"densenet201", 20'013'928, kTorchvision, "", 142, imagenet(224),
     [](NetworkBuilder& n) {
       describe_densenet(n, {6, 12, 48, 32}, 32, 64);
     }},
    {"googlenet", 6'624'904, kTorchvision, "without the auxiliary classifiers, which inference never runs",
     44, imagenet(224), describe_googlenet},
    {"inception_v3", 23'834'568, "osmr/imgclsmob; torchvision's 27161264 less its auxiliary classifier",
     "without the auxiliary classifier, which inference never runs", 122, imagenet(299),
     describe_inception_v3},
    {"rcnn", 41'755'286, "torchvision 0.14, fasterrcnn_resnet50_fpn",
     "Table 4 says R-CNN alone: Faster R-CNN on ResNet-50 with a feature pyramid, torchvision's detector; "
     "the side of "
     "300 pixels and the 100 proposals without suppression keep shapes fixed and fit Table 4's alpha",
     51, imagenet(300), [](NetworkBuilder& n) { describe_faster_rcnn(n, 100); }},
    {"bert", 109'482'240, kBert,
     "Table 4 says BERT alone: base, uncased, 512 tokens; its alpha of 41 ms is nearer to bert-large; each "
     "pixel of an image of 16 x 32 is a token",
     43, kTokenInput, [](NetworkBuilder& n) { describe_bert(n, 768, 12); }},
    {"bert-large", 335'141'888, kBert, "each pixel of an image of 16 x 32 is a token", 0, kTokenInput,
     [](NetworkBuilder& n) { describe_bert(n, 1024, 24); }},
    {"yolov5n", 1'867'405, kYolo, "", 0, kYoloInput,
     [](NetworkBuilder& n) { describe_yolov5(n, 0.33, 0.25); }},
    {"yolov5s", 7'225'885, kYolo, "", 0, kYoloInput,
     [](NetworkBuilder& n) { describe_yolov5(n, 0.33, 0.50); }},
    {"yolov5m", 21'172'173, kYolo, "", 0, kYoloInput,
     [](NetworkBuilder& n) { describe_yolov5(n, 0.67, 0.75); }},
    {"yolov5l", 46'533'693, kYolo, "", 0, kYoloInput,
     [](NetworkBuilder& n) { describe_yolov5(n, 1.00, 1.00); }},
    {"yolov5x", 86'705'005, kYolo, "", 0, kYoloInput,
     [](NetworkBuilder& n) { describe_yolov5(n, 1.33, 1.25); }},
    {"efficientnet-b0", 5'288'548, kTorchvision, "", 0, imagenet(224),
     [](NetworkBuilder& n) { describe_efficientnet(n, 1.0, 1.0, 1e-5); }},
    {"efficientnet-b1", 7'794'184, kTorchvision, "", 0, imagenet(240),
     [](NetworkBuilder& n) { describe_efficientnet(n, 1.0, 1.1, 1e-5); }},
    {"efficientnet-b2", 9'109'994, kTorchvision, "", 0, imagenet(288),
     [](NetworkBuilder& n) { describe_efficientnet(n, 1.1, 1.2, 1e-5); }},
    {"efficientnet-b3", 12'233'232, kTorchvision, "", 0, imagenet(300),
     [](NetworkBuilder& n) { describe_efficientnet(n, 1.2, 1.4, 1e-5); }},
    {"efficientnet-b4", 19'341'616, kTorchvision, "", 0, imagenet(380),
     [](NetworkBuilder& n) { describe_efficientnet(n, 1.4, 1.8, 1e-5); }},
    {"efficientnet-b5", 30'389'784, kTorchvision, "", 0, imagenet(456),
     [](NetworkBuilder& n) { describe_efficientnet(n, 1.6, 2.2, 1e-3); }},
    {"efficientnet-b6", 43'040'704, kTorchvision, "", 0, imagenet(528),
     [](NetworkBuilder& n) { describe_efficientnet(n, 1.8, 2.6, 1e-3); }},
    {"efficientnet-b7", 66'347'960, kTorchvision, "", 0, imagenet(600),
     [](NetworkBuilder& n) { describe_efficientnet(n, 2.0, 3.1, 1e-3); }},
    {"vgg16", 138'357'544, kTorchvision, "", 0, imagenet(224),
     [](NetworkBuilder& n) { describe_vgg16(n, 1000); }},
    {"gendernet", 134'268'738, "VGG-16 of two classes, Keras' summary",
     "Loki names VGG and this name, not the layers: VGG-16 of two classes, as the gender network of DEX "
     "(Rothe et al., "
     "ICCVW'15)",
     0, imagenet(224), [](NetworkBuilder& n) { describe_vgg16(n, 2); }},
    {"lenet", 62'006, "torchsummary of PyTorch's CIFAR-10 tutorial network",
     "LeNet-5 for three channels of 32 x 32; with one channel it is the 61706 of LeCun et al.'s widths", 0,
     kLenetInput, describe_lenet},
    {"clip-vit-b32", 87'849'216, kClip, "", 0, kClipInput,
     [](NetworkBuilder& n) { describe_clip_vit(n, 32, 768, 12, 512); }},
    {"clip-vit-b16", 86'192'640, kClip, "", 0, kClipInput,
     [](NetworkBuilder& n) { describe_clip_vit(n, 16, 768, 12, 512); }},
    {"clip-vit-l14", 303'966'208, kClip, "", 0, kClipInput,
     [](NetworkBuilder& n) { describe_clip_vit(n, 14, 1024, 24, 768); }},
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const ZooModel& model : kModels) all.emplace_back(model.name);
  return all;
}

}  // namespace

std::span<const ZooModel> zoo() { return kModels; }

const ZooModel* find_zoo_model(std::string_view name) {
  for (const ZooModel& model : kModels)
    if (name == model.name) return &model;
  return nullptr;
}

std::string unknown_zoo_model(std::string_view name) {
  const std::string near = nearest_name(name, names());
  return "the zoo has no model " + std::string(name) + (near.empty() ? "" : ", did you mean " + near + "?") +
         " It has " + join_names(names());
}

std::shared_ptr<Network> build_model(const ZooModel& model) {
  NetworkBuilder builder(model.name);
  model.describe(builder);
  return builder.finish();
}

std::shared_ptr<Network> make_model(const ZooModel& model, std::uint64_t seed) {
  std::shared_ptr<Network> network = build_model(model);
  network->fill_weights(seed);
  return network;
}

}  // namespace harness
