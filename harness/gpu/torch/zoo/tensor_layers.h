// Adds stages other than convolutions and pooling to a NetworkBuilder. This header includes nothing of
// LibTorch. layer_functions.h and detection_functions.h describe what each stage computes.
#pragma once

#include <string>

#include "harness/gpu/torch/zoo/network_builder.h"

namespace harness {

/// Replaces the top [b, radix * c, h, w] by its split_mean().
void add_split_mean(NetworkBuilder& network, const std::string& name, int radix);
/// Replaces maps and the logits on top of them by their split_sum().
void add_split_sum(NetworkBuilder& network, const std::string& name, int radix);

/// Replaces queries, keys, values [b, tokens, 3 * width] by their attend().
void add_attend(NetworkBuilder& network, const std::string& name, int heads);
/// Turns patches [b, width, h, w], h * w = `patches`, into tokens [b, 1 + patches, width]: a learned class
/// token comes first, and learned positions are added.
void add_patch_tokens(NetworkBuilder& network, const std::string& name, int patches, int width);
/// Turns an image into token numbers by tokens_of().
void add_tokens(NetworkBuilder& network, const std::string& name, int vocabulary);
/// Turns token numbers [b, n], n <= positions, into the sums of BERT's word, position and segment embeddings;
/// all tokens belong to the first of two segments.
void add_token_embeddings(NetworkBuilder& network, const std::string& name, int vocabulary, int positions,
                          int width);
/// Turns [b, tokens, width] into [b, width], the first token.
void add_first_token(NetworkBuilder& network, const std::string& name);

/// Replaces three maps of 255 channels at strides 8, 16, 32 by the yolo_boxes() of each, one after another.
void add_yolo_boxes(NetworkBuilder& network, const std::string& name);

/// Replaces the two topmost maps by their sum, after enlarging the top to the other's size by repeating.
void add_enlarged(NetworkBuilder& network, const std::string& name);
/// Keeps the pyramid p2 .. p6 (p6 on top) and pushes the outputs of the region proposal network for each
/// level: one stage per level, with shared weights. The stack is then [p2 .. p6, five times (scores [b, n],
/// deltas [b, n, 4])].
void add_proposal_scores(NetworkBuilder& network, const std::string& name, int width);
/// Turns the stack of add_proposal_scores() into [p2 .. p5, proposals [b, count, 4]]: the `count` boxes with
/// the highest scores, in pixels of an image whose sides are four times as long as p2's.
void add_proposals(NetworkBuilder& network, const std::string& name, int count);
/// Turns the stack of add_proposals() into [proposals, regions [b * count, channels * 7 * 7]]; the proposals
/// are then shares of the image's sides.
void add_region_pooling(NetworkBuilder& network, const std::string& name);
/// Turns proposals, class logits [b * count, classes] and deltas [b * count, 4 * classes] into detections [b,
/// count, 5 * classes].
void add_detections(NetworkBuilder& network, const std::string& name, int classes);

}  // namespace harness
