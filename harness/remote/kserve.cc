#include "harness/remote/kserve.h"

#define JSON_DIAGNOSTICS 1  // errors name the place of a value
#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"
#include "harness/core/wording.h"
#include "harness/text/json.h"

namespace harness {
namespace {

constexpr std::int64_t kMostElements = 10'000'000;
constexpr std::int64_t kAnySize = -1;

using JsonValue = nlohmann::json;

/// Returns what `read` makes of an answer. Throws InputError if it has another form.
template <typename Read>
auto read_answer(std::string_view body, const std::string& source, const Read& read) {
  const std::string wrong = "an answer of another form: ";
  try {
    return read(JsonValue::parse(body));
  } catch (const InputError& fault) {
    throw input_refusal({source, 0, ""}, wrong + fault.what());
  } catch (const JsonValue::exception& fault) {
    const std::string_view text = fault.what();  // "[json.exception.type_error.302] (/inputs/0) type must be"
    throw input_refusal({source, 0, ""}, wrong + std::string(text.substr(text.find("] ") + 2)));
  }
}

/// Returns a whole number. Throws an error of JSON, or InputError if it is below `least`.
std::int64_t whole(const JsonValue& value, std::int64_t least = 0) {
  const auto number = value.get_ref<const JsonValue::number_integer_t&>();
  if (number < least)
    throw input_error({}, std::to_string(number), "a whole number of at least " + std::to_string(least));
  return number;
}

std::vector<std::int64_t> wholes(const JsonValue& list, std::int64_t least = 0) {
  std::vector<std::int64_t> numbers;
  for (const JsonValue& one : list.get_ref<const JsonValue::array_t&>()) numbers.push_back(whole(one, least));
  return numbers;
}

/// Calls `read` with the member of an object, unless it is missing or null.
template <typename Read>
void if_there(const JsonValue& object, const char* name, const Read& read) {
  const auto found = object.find(name);
  if (found != object.end() && !found->is_null()) read(*found);
}

std::vector<ModelMetadata::Tensor> tensors_of(const JsonValue& list) {
  std::vector<ModelMetadata::Tensor> tensors;
  for (const JsonValue& tensor : list.get_ref<const JsonValue::array_t&>()) {
    tensors.push_back({tensor.at("name"), tensor.at("datatype"), wholes(tensor.at("shape"), kAnySize)});
  }
  return tensors;
}

/// The form of an element's data.
enum class Form { kBoolean, kWhole, kReal, kText };

Form form_of(const ModelMetadata::Tensor& input) {
  static const std::vector<std::string> kWholes = {"UINT8", "UINT16", "UINT32", "UINT64",
                                                   "INT8",  "INT16",  "INT32",  "INT64"};
  const std::string& type = input.datatype;
  if (type == "BOOL") return Form::kBoolean;
  if (type == "BYTES") return Form::kText;
  if (type == "FP32" || type == "FP64") return Form::kReal;
  if (std::ranges::find(kWholes, type) != kWholes.end()) return Form::kWhole;
  throw input_error({"", 0, "input " + input.name}, "the datatype " + type,
                    "BOOL, BYTES, FP32, FP64, " + join_names(kWholes) + " (others have no form in JSON)");
}

std::string element(Form form, RandomStream& random) {
  constexpr std::uint64_t kBelow = 100;  // fits every datatype and every vocabulary
  constexpr std::uint64_t kSteps = 1000;
  switch (form) {
    case Form::kBoolean:
      return random.below(2) == 1 ? "true" : "false";
    case Form::kWhole:
      return std::to_string(random.below(kBelow));
    case Form::kText:
      return "\"word " + std::to_string(random.below(kBelow)) + "\"";
    case Form::kReal:
      break;
  }
  return "0." + std::to_string(kSteps + random.below(kSteps)).substr(1);
}

std::vector<std::int64_t> shape_of(const ModelMetadata::Tensor& input, std::int64_t rows,
                                   std::int64_t free_size) {
  std::vector<std::int64_t> shape = input.shape;
  std::replace(shape.begin(), shape.end(), kAnySize, free_size);
  if (!shape.empty() && input.shape.front() == kAnySize) shape.front() = rows;
  return shape;
}

std::int64_t elements_of(const ModelMetadata::Tensor& input, const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || (size > 0 && elements > kMostElements / size)) {
      throw input_error({"", 0, "input " + input.name}, "the shape " + json_of(shape),
                        "sizes of at least 0, at most 10 million elements in all");
    }
    elements *= size;
  }
  return elements;
}

}  // namespace

std::string model_url(const std::string& server, const std::string& model, const std::string& end) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::string url = server + "/v2/models/";
  for (const char c : model) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~')) {
      url += c;
    } else {
      url += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return url + end;
}

bool is_ready(int status, std::string_view body) {
  constexpr int kLeast = 200;
  constexpr int kAbove = 300;
  if (status < kLeast || status >= kAbove) return false;
  const JsonValue answer =
      JsonValue::parse(body, nullptr, false);  // the body is free: many servers send none
  const auto denies = [&](const char* word) { return answer.contains(word) && answer.at(word) == false; };
  return !answer.is_object() || (!denies("ready") && !denies("live"));
}

ServerMetadata server_metadata(std::string_view body, const std::string& source) {
  return read_answer(body, source, [](const JsonValue& answer) {
    ServerMetadata metadata;
    metadata.name = answer.at("name");
    if_there(answer, "version", [&](const JsonValue& value) { metadata.version = value; });
    if_there(answer, "extensions", [&](const JsonValue& value) { metadata.extensions = value; });
    return metadata;
  });
}

ModelMetadata model_metadata(std::string_view body, const std::string& source) {
  return read_answer(body, source, [](const JsonValue& answer) {
    ModelMetadata metadata;
    metadata.name = answer.at("name");
    metadata.inputs = tensors_of(answer.at("inputs"));
    metadata.outputs = tensors_of(answer.at("outputs"));
    return metadata;
  });
}

ModelStatistics model_statistics(std::string_view body, const std::string& source) {
  return read_answer(body, source, [](const JsonValue& answer) {
    ModelStatistics all;
    for (const JsonValue& model : answer.at("model_stats").get_ref<const JsonValue::array_t&>()) {
      const JsonValue& sums = model.at("inference_stats");
      all.inference_count += whole(model.at("inference_count"));
      all.execution_count += whole(model.at("execution_count"));
      all.queue.count += whole(sums.at("queue").at("count"));
      all.queue.total_ns += whole(sums.at("queue").at("ns"));
      all.compute.count += whole(sums.at("compute_infer").at("count"));
      for (const char* step : {"compute_input", "compute_infer", "compute_output"})
        all.compute.total_ns += whole(sums.at(step).at("ns"));
    }
    return all;
  });
}

ModelConfig model_config(std::string_view body, const std::string& source) {
  return read_answer(body, source, [](const JsonValue& answer) {
    ModelConfig config;
    const auto number = [](std::int64_t& into) {
      return [&](const JsonValue& value) { into = whole(value); };
    };
    config.max_batch_size = whole(answer.at("max_batch_size"));
    if_there(answer, "dynamic_batching", [&](const JsonValue& batching) {
      config.dynamic_batching = true;
      if_there(batching, "preferred_batch_size",
               [&](const JsonValue& sizes) { config.preferred_batch_size = wholes(sizes); });
      if_there(batching, "max_queue_delay_microseconds", number(config.max_queue_delay_us));
      if_there(batching, "default_queue_policy", [&](const JsonValue& policy) {
        if_there(policy, "max_queue_size", number(config.max_queue_size));
        if_there(policy, "default_timeout_microseconds", number(config.default_timeout_us));
        if_there(policy, "timeout_action", [&](const JsonValue& action) { config.timeout_action = action; });
      });
    });
    if_there(answer, "instance_group", [&](const JsonValue& groups) {
      for (const JsonValue& group : groups.get_ref<const JsonValue::array_t&>()) {
        std::int64_t devices = 1;  // a group has `count` instances on each of its GPUs
        if_there(group, "gpus", [&](const JsonValue& gpus) {
          devices = std::max<std::int64_t>(static_cast<std::int64_t>(gpus.size()), 1);
        });
        config.instances += whole(group.at("count")) * devices;
      }
    });
    return config;
  });
}

std::string infer_body(const ModelMetadata& metadata, std::int64_t rows, std::int64_t free_size,
                       std::uint64_t seed) {
  std::string inputs;
  std::int64_t left = kMostElements;
  for (const ModelMetadata::Tensor& input : metadata.inputs) {
    const Form form = form_of(input);
    const std::vector<std::int64_t> shape = shape_of(input, rows, free_size);
    const std::int64_t elements = elements_of(input, shape);
    left -= elements;
    if (left < 0)
      throw input_refusal({"", 0, "input " + input.name}, "the inputs have more than 10 million elements");
    inputs += (inputs.empty() ? "" : ", ") + ("{\"name\": " + json_of(input.name)) + ", \"datatype\": \"" +
              input.datatype + "\", \"shape\": " + json_of(shape) + ", \"data\": [";
    RandomStream random(seed, input.name);
    for (std::int64_t i = 0; i < elements; ++i) inputs += (i == 0 ? "" : ",") + element(form, random);
    inputs += "]}";
  }
  return "{\"inputs\": [" + inputs + "]}";
}

bool is_inference_answer(const ModelMetadata& metadata, std::string_view body) {
  try {
    const JsonValue answer = JsonValue::parse(body);
    std::vector<std::string> names;
    for (const JsonValue& output : answer.at("outputs").get_ref<const JsonValue::array_t&>()) {
      names.push_back(output.at("name"));
    }
    return std::ranges::all_of(metadata.outputs, [&](const ModelMetadata::Tensor& declared) {
      return std::ranges::find(names, declared.name) != names.end();
    });
  } catch (const JsonValue::exception&) {
    return false;
  }
}

}  // namespace harness
