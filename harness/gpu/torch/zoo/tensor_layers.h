// Stages beyond convolutions and pooling, as additions to a NetworkBuilder. No LibTorch here. In
// layer_functions.h and detection_functions.h stands what each computes.
#pragma once

#include <string>

#include "harness/gpu/torch/zoo/network_builder.h"

namespace harness {

/// The top [b, radix * c, h, w] becomes split_mean() of it.
void add_split_mean(NetworkBuilder& network, const std::string& name, int radix);
/// Maps and, on top, logits become split_sum() of them.
void add_split_sum(NetworkBuilder& network, const std::string& name, int radix);

/// Queries, keys, values [b, tokens, 3 * width] become attend() of them.
void add_attend(NetworkBuilder& network, const std::string& name, int heads);
/// Patches [b, width, h, w], h * w = `patches`, become tokens [b, 1 + patches, width]: a learned class token
/// first, learned positions added.
void add_patch_tokens(NetworkBuilder& network, const std::string& name, int patches, int width);
/// An image becomes token numbers, tokens_of().
void add_tokens(NetworkBuilder& network, const std::string& name, int vocabulary);
/// Token numbers [b, n], n <= positions, become the sums of word, position and segment embeddings (BERT's;
/// all in the first of two segments).
void add_token_embeddings(NetworkBuilder& network, const std::string& name, int vocabulary, int positions,
                          int width);
/// [b, tokens, width] becomes [b, width], the first token.
void add_first_token(NetworkBuilder& network, const std::string& name);

/// Three maps of 255 channels at strides 8, 16, 32 become yolo_boxes() of each, one after another.
void add_yolo_boxes(NetworkBuilder& network, const std::string& name);

/// [.., low, high] becomes [.., low + high enlarged to low's size by repeating].
void add_enlarged(NetworkBuilder& network, const std::string& name);
/// Keeps the pyramid p2 .. p6 (p6 on top) and pushes for each level what the region proposal network says: a
/// stage a level, weights shared. Ends with [p2 .. p6, five times (scores [b, n], deltas [b, n, 4])].
void add_proposal_scores(NetworkBuilder& network, const std::string& name, int width);
/// From there to [p2 .. p5, proposals [b, count, 4]]: the `count` of highest score, boxes in pixels of a
/// image whose sides are four times p2's.
void add_proposals(NetworkBuilder& network, const std::string& name, int count);
/// From there to [proposals as shares of the image's sides, regions [b * count, channels * 7 * 7]].
void add_region_pooling(NetworkBuilder& network, const std::string& name);
/// Proposals, class logits [b * count, classes] and deltas [b * count, 4 * classes] become detections
/// [b, count, 5 * classes].
void add_detections(NetworkBuilder& network, const std::string& name, int classes);

}  // namespace harness
