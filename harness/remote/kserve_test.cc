#include "harness/remote/kserve.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/core/test_refusal.h"

namespace harness {
namespace {

constexpr const char* kModel = R"({"name":"resnet","versions":["1"],"platform":"onnxruntime_onnx",
  "inputs":[{"name":"image","datatype":"FP32","shape":[-1,3,2]},{"name":"ids","datatype":"INT64","shape":[-1,-1]}],
  "outputs":[{"name":"scores","datatype":"FP32","shape":[-1,1000]},{"name":"label","datatype":"BYTES","shape":[-1]}]})";

constexpr const char* kStatistics =
    R"({"model_stats":[{"name":"resnet","version":"1","last_inference":1700000000000,
  "inference_count":120,"execution_count":30,"inference_stats":{"success":{"count":100,"ns":5000},
  "fail":{"count":2,"ns":10},"queue":{"count":100,"ns":1500},"compute_input":{"count":100,"ns":300},
  "compute_infer":{"count":100,"ns":3000},"compute_output":{"count":100,"ns":200},"cache_hit":{"count":0,"ns":0}},
  "batch_stats":[{"batch_size":4,"compute_infer":{"count":30,"ns":3000}}]}]})";

constexpr const char* kConfig = R"({"name":"resnet","platform":"","backend":"onnxruntime","max_batch_size":8,
  "dynamic_batching":{"preferred_batch_size":[4,8],"max_queue_delay_microseconds":100,"preserve_ordering":false},
  "instance_group":[{"name":"resnet_0","kind":"KIND_GPU","count":2,"gpus":[0,1],"passive":false},
                    {"name":"resnet_1","kind":"KIND_CPU","count":1,"gpus":[]}]})";

TEST(Kserve, ReadsMetadata) {
  const ServerMetadata server =
      server_metadata(R"({"name":"triton","version":"2.28.0","extensions":["statistics"]})", "/v2");
  EXPECT_EQ(server.name, "triton");
  EXPECT_EQ(server.extensions, (std::vector<std::string>{"statistics"}));
  const ModelMetadata model = model_metadata(kModel, "/v2/models/resnet");
  ASSERT_EQ(model.inputs.size(), 2U);
  EXPECT_EQ(model.inputs[0].shape, (std::vector<std::int64_t>{-1, 3, 2}));
  EXPECT_EQ(model.outputs[1].datatype, "BYTES");
}

TEST(Kserve, ReadsStatistics) {
  const ModelStatistics one = model_statistics(kStatistics, "/stats");
  EXPECT_EQ(one.inference_count, 120);
  EXPECT_EQ(one.execution_count, 30);
  EXPECT_EQ(one.queue.count, 100);
  EXPECT_EQ(one.queue.total_ns, 1500);
  EXPECT_EQ(one.compute.count, 100);
  EXPECT_EQ(one.compute.total_ns, 300 + 3000 + 200);
  const std::string text = kStatistics;
  const std::string version = text.substr(text.find("[") + 1, text.rfind("]") - text.find("[") - 1);
  const ModelStatistics two =
      model_statistics("{\"model_stats\":[" + version + "," + version + "]}", "/stats");
  EXPECT_EQ(two.inference_count, 240) << "the versions together";
  EXPECT_EQ(two.queue.total_ns, 3000);
}

TEST(Kserve, ReadsTheConfigurationOfBatching) {
  const ModelConfig config = model_config(kConfig, "/config");
  EXPECT_EQ(config.max_batch_size, 8);
  EXPECT_TRUE(config.dynamic_batching);
  EXPECT_EQ(config.preferred_batch_size, (std::vector<std::int64_t>{4, 8}));
  EXPECT_EQ(config.max_queue_delay_us, 100);
  EXPECT_EQ(config.instances, 2 * 2 + 1);
  EXPECT_FALSE(model_config(R"({"name":"m","max_batch_size":0})", "/config").dynamic_batching);
}

TEST(Kserve, AModelsUrlIsEscaped) {
  EXPECT_EQ(model_url("http://h:8000", "a b/ü", "/infer"), "http://h:8000/v2/models/a%20b%2F%C3%BC/infer");
}

TEST(Kserve, ReadinessIsTheStatusUnlessTheBodyDeniesIt) {
  EXPECT_TRUE(is_ready(200, ""));
  EXPECT_TRUE(is_ready(200, R"({"name":"m","ready":true})"));
  EXPECT_FALSE(is_ready(200, R"({"name":"m","ready":false})"));
  EXPECT_FALSE(is_ready(400, ""));
  EXPECT_TRUE(is_ready(204, "[[["));
}

TEST(Kserve, ARequestHasDataOfTheDeclaredShapes) {
  const ModelMetadata model = model_metadata(kModel, "m");
  const std::string body = infer_body(model, 2, 5, 7);
  EXPECT_EQ(body, infer_body(model, 2, 5, 7));
  EXPECT_NE(body, infer_body(model, 2, 5, 8));
  const nlohmann::json inputs = nlohmann::json::parse(body).at("inputs");
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].at("name"), "image");
  EXPECT_EQ(inputs[0].at("shape"), (std::vector<std::int64_t>{2, 3, 2}));
  EXPECT_EQ(inputs[0].at("data").size(), 12U);
  EXPECT_EQ(inputs[1].at("shape"), (std::vector<std::int64_t>{2, 5}));
  EXPECT_EQ(inputs[1].at("data").size(), 10U);
}

TEST(Kserve, ARequestHasTheFormOfItsDatatype) {
  const auto data_of = [](const std::string& datatype, std::vector<std::int64_t> shape) {
    const std::string body = infer_body({"m", {{"x", datatype, std::move(shape)}}, {}}, 1, 1, 1);
    const std::size_t at = body.find("\"data\": ") + 8;
    return body.substr(at, body.find(']', at) + 1 - at);
  };
  EXPECT_EQ(data_of("BOOL", {1}).find_first_not_of("[truefals]"), std::string::npos);
  EXPECT_TRUE(data_of("BYTES", {1}).starts_with("[\"word "));
  EXPECT_TRUE(data_of("FP64", {1}).starts_with("[0."));
  EXPECT_EQ(data_of("UINT8", {2}).find_first_not_of("[0123456789,]"), std::string::npos);
  EXPECT_EQ(data_of("FP32", {0, 4}), "[]");
  EXPECT_TRUE(holds(refusal_of([&] { data_of("FP16", {1}); }), "input x: found the datatype FP16", "FP32"));
  EXPECT_TRUE(holds(refusal_of([&] { data_of("FP32", {9'000'000'000'000'000'000, 9, 9}); }), "10 million"));
  EXPECT_TRUE(
      holds(refusal_of([] {
              infer_body({"m", {{"x", "BOOL", {6'000'000}}, {"y", "BOOL", {6'000'000}}}, {}}, 1, 1, 1);
            }),
            "input y: ", "10 million"));
}

TEST(Kserve, AnAnswerHasEveryDeclaredOutput) {
  const ModelMetadata model = model_metadata(kModel, "m");
  EXPECT_TRUE(is_inference_answer(
      model,
      R"({"model_name":"resnet","outputs":[{"name":"label"},{"name":"scores","data":[1]},{"name":"x"}]})"));
  for (const char* other :
       {R"({"outputs":[{"name":"label"}]})", R"({"error":"no memory"})", "", "[]",
        "{\"outputs\":", R"({"outputs":[{"name":1}]})", R"({"outputs":{"name":"label"}})"}) {
    EXPECT_FALSE(is_inference_answer(model, other)) << other;
  }
}

TEST(Kserve, EachWrongFormIsOneLineWithItsPlace) {
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  struct Case {
    std::string line;
    std::string place;
  };
  for (const Case& one : std::vector<Case>{
           {refusal_of([&] { model_metadata(changed(kModel, "\"FP32\"", "7"), "S"); }),
            "S: an answer of another form: (/inputs/0/datatype) type must be string"},
           {refusal_of([&] { model_metadata(changed(kModel, "[-1,3,2]", "[-2,3]"), "S"); }),
            "S: an answer of another form: found -2; allowed: a whole number of at least -1"},
           {refusal_of([&] { model_metadata(changed(kModel, "[-1,3,2]", "[1e99]"), "S"); }),
            "S: an answer of another form: (/inputs/0/shape/0) "},
           {refusal_of([&] { model_metadata("{\"name\":\"m\"}", "S"); }), "key 'inputs' not found"},
           {refusal_of([&] { model_metadata("[]", "S"); }), "S: an answer of another form: "},
           {refusal_of([&] { model_statistics(changed(kStatistics, "120", "-120"), "S"); }), "found -120"},
           {refusal_of([&] { model_statistics(changed(kStatistics, "120", "18446744073709551615"), "S"); }),
            "found -1"},
           {refusal_of([&] { model_statistics(changed(kStatistics, "\"ns\":1500", "\"n\":1"), "S"); }),
            "(/model_stats/0/inference_stats/queue) key 'ns' not found"},
           {refusal_of([&] { model_config(changed(kConfig, "[4,8]", "\"4\""), "S"); }),
            "(/dynamic_batching/preferred_batch_size)"},
           {refusal_of([&] { server_metadata(std::string(100'000, '['), "S"); }), "parse error"},
       }) {
    EXPECT_TRUE(holds(one.line, one.place, std::string(": "))) << one.line;
    EXPECT_EQ(one.line.find('\n'), std::string::npos);
  }
}

TEST(Kserve, EveryBeginningOfAnAnswerIsRefused) {
  for (const std::string& whole : {std::string(kModel), std::string(kStatistics), std::string(kConfig)}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const std::string cut = whole.substr(0, length);
      EXPECT_NE(refusal_of([&] { model_metadata(cut, "S"); }), "no error") << cut;
      EXPECT_NE(refusal_of([&] { model_statistics(cut, "S"); }), "no error") << cut;
      EXPECT_NE(refusal_of([&] { model_config(cut, "S"); }), "no error") << cut;
    }
  }
}

}  // namespace
}  // namespace harness
