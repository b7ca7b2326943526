// The modules of pipelines, in PARD's terms (name, pres, subs; PARD section 5.1), and tasks that several of
// them can do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/types.h"

namespace harness {

/// Rule by which a module sends on a request that it has served: to all of its `subs`; to one of them, chosen
/// at random for each request (PARD section 5.2, request-specific dynamic paths); or to each with a
/// probability of its own, so perhaps to no sub (InferLine section 3: conditional paths).
enum class Branches : std::uint8_t { kAll, kOne, kEach };

/// One module, which hosts one model on its workers.
struct Module {
  std::string name;            ///< name, unique in the pipeline
  std::string model;           ///< name of a model in the profile set
  std::string file;            ///< TorchScript file that devices run as `model`; empty: the zoo's network
  std::string source;          ///< source for the choice of the model in place of the paper's, one line
  std::vector<ModuleId> pres;  ///< modules whose outputs it needs; empty only for an entry
  std::vector<ModuleId> subs;  ///< modules that take its output; empty only for sinks
  Branches branches = Branches::kAll;
  std::uint32_t input_bytes = 0;  ///< size in bytes of the tensor that a visit brings; 0: not declared
  /// Height in pixels, 24 bits each, of the image that a visit brings; 0: not declared.
  int input_height = 0;
  int input_width = 0;  ///< width in pixels of the same image
  /// One weight per entry of `subs`. kOne: positive; kEach: probabilities above 0, at most 1; kAll: empty.
  std::vector<double> branch_weights;
  ModuleId task = 0;  ///< first module of its task, if it belongs to a task tree
  /// Accuracy of the model, above 0 and at most 1, relative to the best model of its task (Loki, section
  /// 6.1).
  double accuracy = 1;
  std::string accuracy_source;  ///< citation of the accuracy, one line; empty if not given
  /// For tasks only, by entry of `subs`: the mean number of visits there that a visit causes (Loki, section
  /// 4.1: the multiplicative factor times the branch ratio).
  std::vector<double> fan_out;
  InputPlace place;  ///< place of its name, for messages; empty if it is not in a file
};

/// Several modules that can do the same work: model variants of different accuracy and speed, of which the
/// system chooses one for each visit (Loki, sections 2.1 and 4.1: the vertices of the augmented graph).
struct Task {
  std::string name;    ///< name, unique in the pipeline
  ModuleId first = 0;  ///< first of its variants, which follow one another, the most accurate first
  int variants = 1;
};

}  // namespace harness
