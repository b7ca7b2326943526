// KServe's protocol for inference (version 2, the Open Inference Protocol) over HTTP with JSON, and the two
// extensions of Triton that tell how a server batches. Every reader takes the body of a 2xx answer and
// `source`, a name for it in messages, such as its URL; it throws InputError if the body has another form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/remote/model_config.h"
#include "harness/remote/model_metadata.h"
#include "harness/remote/model_statistics.h"

namespace harness {

/// Returns SERVER/v2/models/MODEL and `end`, such as "/infer". Escapes the model's name. `server` does not
/// end with a slash.
std::string model_url(const std::string& server, const std::string& model, const std::string& end = "");

/// True if an answer to GET /v2/health/ready or /v2/models/M/ready says so: its status does, and its body
/// does not deny it.
bool is_ready(int status, std::string_view body);
ServerMetadata server_metadata(std::string_view body, const std::string& source);
ModelMetadata model_metadata(std::string_view body, const std::string& source);
ModelStatistics model_statistics(std::string_view body, const std::string& source);
ModelConfig model_config(std::string_view body, const std::string& source);

/// Returns the body of a request for a batch of `rows`. A first dimension of any size is the batch; the other
/// ones of any size get `free_size`. The data are drawn by `seed`, alike everywhere: numbers in [0, 1), whole
/// numbers and words below 100. Throws InputError if a datatype has no form in JSON, or there are more than
/// 10 million elements.
std::string infer_body(const ModelMetadata& metadata, std::int64_t rows, std::int64_t free_size,
                       std::uint64_t seed);

/// True if the body of a 2xx answer has an output of each declared name.
bool is_inference_answer(const ModelMetadata& metadata, std::string_view body);

}  // namespace harness
