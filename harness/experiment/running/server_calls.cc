#include "harness/experiment/running/server_calls.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/cell_failed.h"
#include "harness/core/input_error.h"
#include "harness/experiment/reading/settings.h"
#include "harness/files/file_bytes.h"
#include "harness/remote/http_end.h"
#include "harness/remote/http_headers.h"
#include "harness/remote/kserve_server.h"

namespace harness {
namespace {

std::string name_on_server(const RunSpec& spec, const Settings& settings, ModuleId module) {
  const std::string& name = spec.pipeline.modules[module].name;
  const auto found = settings.modules.find(name);
  return found == settings.modules.end() || found->second.remote.empty() ? name : found->second.remote;
}

/// Returns the sizes as a sorted list: "4, 8".
std::string sizes_text(std::vector<std::int64_t> sizes) {
  std::ranges::sort(sizes);
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

/// Throws CellFailed if the server's model is configured otherwise than the system `triton` of the cell: then
/// the cell would name a policy that the server does not have.
void check_same_policy(const PreparedCell& prepared, ModuleId module, const ModelConfig& config,
                       const std::string& url) {
  const std::unique_ptr<System> system = make_one_system("triton", prepared.settings);
  const ModulePlan& plan = prepared.plan.modules[module];
  std::int64_t instances = 0;
  for (const auto& group : config.instance_groups) instances += group.count;
  std::vector<std::int64_t> preferred = config.preferred_batch_size;
  if (preferred == std::vector<std::int64_t>{config.max_batch_size}) preferred.clear();  // Triton fills it in
  const std::map<std::string, std::string> server = {
      {"dynamic_batching", config.dynamic_batching ? "true" : "false"},
      {"preferred_batch_size", sizes_text(std::move(preferred))},
      {"max_queue_delay_us", std::to_string(config.max_queue_delay_us)},
      {"max_queue_size", std::to_string(config.max_queue_size)},
      {"default_timeout_us", std::to_string(config.default_timeout_us)},
      {"timeout_action", config.timeout_action == "DELAY" ? "delay" : "reject"}};
  const auto refuse = [&](const std::string& key, const std::string& has, const std::string& wanted) {
    throw CellFailed(url + ": the server has " + key + " " + has + ", the cell " + wanted);
  };
  for (const Param& param : system_params(*system)) {
    const auto found = server.find(param.name);
    if (found == server.end() || text_of(param.get()) == found->second) continue;
    if (!config.dynamic_batching && param.name != "dynamic_batching") continue;
    refuse(param.name, found->second, text_of(param.get()));
  }
  if (plan.max_batch != std::max<std::int64_t>(config.max_batch_size, 1))
    refuse("max_batch_size", std::to_string(config.max_batch_size),
           "batches of at most " + std::to_string(plan.max_batch));
  if (plan.workers != instances)
    refuse("instances", std::to_string(instances), std::to_string(plan.workers) + " workers");
}

ServerRun::Module kserve_module(KserveServer& server, const PreparedCell& prepared, ModuleId module,
                                const std::string& name, std::uint64_t seed) {
  const ModelMetadata model = server.model(name);
  if (prepared.identity.system == "triton")
    check_same_policy(prepared, module, server.config(name), model_url(server.url(), name, "/config"));
  return {infer_request(server.url(), model, 1, prepared.settings.server.free_size, seed),
          [model](const HttpEnd& end) { return fault_of(model, end); }};
}

ServerRun::Module post_module(const ServerParams& params, const std::string& path) {
  HttpRequest request;
  request.method = HttpMethod::kPost;
  request.url = params.url + (path.starts_with("/") ? "" : "/") + path;
  request.body = std::make_shared<const std::string>(
      params.body_file.empty() ? "{}" : read_file(params.body_file, std::size_t{64} << 20, {}));
  return {std::move(request), [](const HttpEnd& end) { return end.error_text; }};
}

}  // namespace

ServerRun server_run(const PreparedCell& prepared, const RunSpec& spec, const CellRun& how) {
  const ServerParams& params = prepared.settings.server;
  const bool is_kserve = params.protocol == ServerProtocol::kKserve;
  ServerRun run;
  run.connections = static_cast<std::size_t>(params.connections);
  run.spin = prepared.settings.live.spin;
  run.limit_s = how.limit_s;
  run.check_signal = how.check_signal;
  try {
    std::vector<std::string> lines = headers_from_environment();
    lines.push_back("Content-Type: " + params.content_type);
    const auto headers = std::make_shared<const HttpHeaders>(lines, kHeadersVariable);
    KserveServer server(params.url, headers, how.check_signal);
    if (is_kserve) server.check_ready();
    for (ModuleId module = 0; module < spec.pipeline.modules.size(); ++module) {
      const std::string name = name_on_server(spec, prepared.settings, module);
      ServerRun::Module made =
          is_kserve ? kserve_module(server, prepared, module, name, spec.seed) : post_module(params, name);
      made.request.headers = headers;
      made.request.timeout_ms = static_cast<std::int64_t>(params.timeout_ms);
      const std::string fault = made.fault(server.ask(made.request));
      if (!fault.empty()) throw ServerFault(made.request.url + ": " + fault);
      run.modules.push_back(std::move(made));
    }
  } catch (const InputError& wrong) {
    throw CellFailed(wrong.what());
  } catch (const ServerFault& failed) {
    throw CellFailed(failed.what());
  }
  return run;
}

}  // namespace harness
