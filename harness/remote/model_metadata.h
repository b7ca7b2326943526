// What a server says of its models and of itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// The answer to GET /v2/models/M.
struct ModelMetadata {
  /// An input or output of a model.
  struct Tensor {
    std::string name;
    std::string datatype;             ///< name of the protocol's: FP32, INT64, BYTES ...
    std::vector<std::int64_t> shape;  ///< sizes of the dimensions; -1: any size
  };

  std::string name;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
};

/// The answer to GET /v2.
struct ServerMetadata {
  std::string name;
  std::string version;
  std::vector<std::string> extensions;  ///< names of extensions: "statistics", "model_configuration" ...
};

}  // namespace harness
