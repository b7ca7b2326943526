// The networks that the papers measure, by the names of workloads/profiles, with random weights.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/gpu/inputs/input_format.h"

namespace harness {

class Network;
class NetworkBuilder;

/// A row of the zoo's table (zoo.cc).
struct ZooModel {
  const char* name;
  std::int64_t parameters;  ///< number of parameters as published, which a test compares
  const char* source;       ///< publisher of the count, and the network that was counted
  const char* rebuilt;      ///< substitute for something unpublished or for text, and why; may be ""
  /// The number of exit points in SHEPHERD's Table 4; 0: it is not in the table. The model has at least as
  /// many.
  int exit_points;
  InputFormat input;  ///< format of the first stage's input
  void (*describe)(NetworkBuilder&);
};

/// Returns all models, in the order of the table.
std::span<const ZooModel> zoo();

/// Returns the model of this name; nullptr if the zoo does not have it.
const ZooModel* find_zoo_model(std::string_view name);

/// Returns the text for messages: "no model of the zoo; allowed: ..." with the nearest name first.
std::string unknown_zoo_model(std::string_view name);

/// Makes the network without weights: memory is reserved, not touched, so that a giant costs nothing.
std::shared_ptr<Network> build_model(const ZooModel& model);

/// Makes the network with weights drawn from `seed`, on the CPU, ready to run. Equal seeds give equal bits.
std::shared_ptr<Network> make_model(const ZooModel& model, std::uint64_t seed);

}  // namespace harness
