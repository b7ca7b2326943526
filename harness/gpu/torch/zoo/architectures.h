// One function per family of networks: each appends an architecture's stages, from the image to its output.
#pragma once

#include <array>

#include "harness/gpu/torch/zoo/network_builder.h"

namespace harness {

/// The number of blocks in each of the four stages of a residual network.
using FourDepths = std::array<int, 4>;

/// The gain of the last normalisation of a residual branch: with it the sum over tens of blocks stays of the
/// input's order.
inline constexpr double kResidualGain = 0.25;

/// Describes ResNet-18 and -34 (He et al., CVPR'16), with two 3x3 convolutions per block. Output [b, 1000].
void describe_basic_resnet(NetworkBuilder& network, const FourDepths& blocks);
/// Describes ResNet-50, -101, -152: bottlenecks, with the stride in the 3x3 convolution as in torchvision.
/// Output [b, 1000].
void describe_resnet(NetworkBuilder& network, const FourDepths& blocks);
/// Describes the four stages of bottlenecks. Leaves the maps at strides 4, 8, 16, 32 on the stack if
/// `keep_maps`, else the last alone. If `frozen`, scale and shift of normalisations are not parameters.
void describe_resnet_body(NetworkBuilder& network, const FourDepths& blocks, bool keep_maps, bool frozen);

/// Describes ResNeSt (Zhang et al., 2020): radix 2, cardinality 1, deep stem, average downsampling. Output
/// [b, 1000].
void describe_resnest(NetworkBuilder& network, const FourDepths& blocks, int stem_width);

/// Describes DenseNet-BC (Huang et al., CVPR'17). Output [b, 1000].
void describe_densenet(NetworkBuilder& network, const FourDepths& layers, int growth, int stem_width);

/// Describes GoogLeNet with batch normalisation as in torchvision (Szegedy et al., CVPR'15), without
/// auxiliary classifiers. Output [b, 1000].
void describe_googlenet(NetworkBuilder& network);

/// Describes Inception v3 (Szegedy et al., CVPR'16), without auxiliary classifier. Output [b, 1000].
void describe_inception_v3(NetworkBuilder& network);

/// Describes EfficientNet (Tan and Le, ICML'19): B0 scaled in width and depth. Output [b, 1000].
void describe_efficientnet(NetworkBuilder& network, double width, double depth, double norm_epsilon);

/// Describes VGG-16 (Simonyan and Zisserman, ICLR'15). Output [b, classes].
void describe_vgg16(NetworkBuilder& network, int classes);

/// Describes LeNet-5 (LeCun et al., 1998) for images of 32 x 32 in colour, with rectifiers and max pooling.
/// Output [b, 10].
void describe_lenet(NetworkBuilder& network);

/// Describes the image encoder of CLIP (Radford et al., ICML'21): a vision transformer on patches of `patch`
/// pixels of an image of 224 x 224. Output [b, embedding].
void describe_clip_vit(NetworkBuilder& network, int patch, int width, int layers, int embedding);

/// Describes BERT (Devlin et al., NAACL'19), uncased vocabulary, with the pooler. An image's pixels are the
/// token numbers (tokens_of), at most 512. Output [b, width].
void describe_bert(NetworkBuilder& network, int width, int layers);

/// Describes YOLOv5 v6 (Jocher, 2020), 80 classes, normalisations folded into the convolutions as it is run;
/// sides are multiples of 32. Output [b, boxes, 85]: centre, size (pixels), objectness, class probabilities,
/// before suppression.
void describe_yolov5(NetworkBuilder& network, double depth, double width);

/// Describes Faster R-CNN on ResNet-50 with a feature pyramid (Ren et al., NIPS'15; Lin et al., CVPR'17), 91
/// classes. Sides are multiples of 4, at least 64. Output [b, proposals, 91 * 5]: for each of the `proposals`
/// of highest objectness the class probabilities, then a box for each class (corners as shares of the sides),
/// before suppression.
void describe_faster_rcnn(NetworkBuilder& network, int proposals);

}  // namespace harness
