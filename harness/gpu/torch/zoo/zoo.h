// The networks that the papers measure, by the names of workloads/profiles, with random weights.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/gpu/inputs/assembly.h"

namespace harness {

class Network;
class NetworkBuilder;

/// A row of the zoo's table (zoo.cc).
struct ZooModel {
  const char* name;
  std::int64_t parameters;  ///< as published; a test compares
  const char* source;       ///< who published the count, and of what
  const char* rebuilt;      ///< what stands here in place of something unpublished or of text, and why; ""
                            ///< if nothing
  int exit_points;          ///< SHEPHERD's Table 4; 0: not in it. The model has at least as many
  InputFormat input;        ///< what the first stage takes
  void (*describe)(NetworkBuilder&);
};

/// All, in the order of the table.
std::span<const ZooModel> zoo_models();

/// nullptr when there is none of that name.
const ZooModel* find_zoo_model(std::string_view name);

/// For messages: "no model of the zoo; allowed: ..." with the nearest name first.
std::string unknown_zoo_model(std::string_view name);

/// The network without weights: memory is reserved, not touched, so that a giant costs nothing.
std::shared_ptr<Network> build_model(const ZooModel& model);

/// The network with weights drawn from `seed`, on the CPU, ready to run. Equal seeds give equal bits.
std::shared_ptr<Network> make_model(const ZooModel& model, std::uint64_t seed);

}  // namespace harness
