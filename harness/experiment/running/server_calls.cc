#include "harness/experiment/running/server_calls.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/cell_failed.h"
#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/experiment/reading/settings.h"
#include "harness/files/file_bytes.h"
#include "harness/remote/http_client.h"
#include "harness/remote/http_end.h"
#include "harness/remote/http_headers.h"
#include "harness/remote/kserve_server.h"

namespace harness {
namespace {

std::string body_of(const ServerParams& params) {
  constexpr std::size_t kLargest = std::size_t{64} << 20;
  return params.body_file.empty() ? "{}" : read_file(params.body_file, kLargest, {"", 0, "server.body_file"});
}

std::string name_on_server(const RunSpec& spec, const Settings& settings, ModuleId module) {
  const std::string& name = spec.pipeline.modules[module].name;
  const auto found = settings.modules.find(name);
  return found == settings.modules.end() || found->second.remote.empty() ? name : found->second.remote;
}

/// Returns the sizes in ascending order, each once, as a list: "4, 8". Triton itself fills in the maximum,
/// which means the same as no size; it is left out if it is alone.
std::string sizes_text(std::vector<std::int64_t> sizes, std::int64_t most) {
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes == std::vector<std::int64_t>{most}) sizes.clear();
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

/// Returns the numbers in a text such as "4, 8", which the system has checked.
std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != std::string::npos;) {
    std::size_t length = 0;
    numbers.push_back(std::stoll(text.substr(at), &length));
    at += length;
  }
  return numbers;
}

/// Throws CellFailed if the server's model is configured otherwise than the system `triton` of the cell: then
/// the cell would name a policy that the server does not have.
void check_same_policy(const PreparedCell& prepared, ModuleId module, const ModelConfig& config,
                       const std::string& url) {
  const auto compare = [&](const std::string& key, const std::string& has, const std::string& wanted) {
    if (has != wanted)
      throw CellFailed(url + ": the server has " + key + " " + (has.empty() ? "(none)" : has) +
                       ", the cell " + (wanted.empty() ? "(none)" : wanted));
  };
  const std::unique_ptr<System> system = make_one_system("triton", prepared.settings);
  const std::vector<Param> params = system_params(*system);
  const auto wanted = [&](const std::string& name) {
    return text_of(std::ranges::find(params, name, &Param::name)->get());
  };
  const ModulePlan& plan = prepared.plan.modules[module];
  compare("instances", std::to_string(config.instances), std::to_string(plan.workers));
  compare("dynamic_batching", config.dynamic_batching ? "true" : "false", wanted("dynamic_batching"));
  if (!config.dynamic_batching) return;
  const std::int64_t limit = std::stoll(wanted("max_batch_size"));
  const std::int64_t most = limit > 0 ? std::min<std::int64_t>(limit, plan.max_batch) : plan.max_batch;
  compare("max_batch_size", std::to_string(config.max_batch_size), std::to_string(most));
  compare("preferred_batch_size", sizes_text(config.preferred_batch_size, most),
          sizes_text(numbers_in(wanted("preferred_batch_size")), most));
  compare("max_queue_delay_us", std::to_string(config.max_queue_delay_us), wanted("max_queue_delay_us"));
  compare("max_queue_size", std::to_string(config.max_queue_size), wanted("max_queue_size"));
  compare("default_timeout_us", std::to_string(config.default_timeout_us), wanted("default_timeout_us"));
  if (config.default_timeout_us > 0)
    compare("timeout_action", config.timeout_action == "DELAY" ? "delay" : "reject",
            wanted("timeout_action"));
}

ServerRun::Module kserve_module(KserveServer& server, const PreparedCell& prepared, ModuleId module,
                                const std::string& name, std::uint64_t seed) {
  const ModelMetadata model = server.model(name);
  if (prepared.identity.system == "triton")
    check_same_policy(prepared, module, server.config(name), model_url(server.url(), name, "/config"));
  return {infer_request(server.url(), model, 1, prepared.settings.server.free_size, seed),
          [model](const HttpEnd& end) { return fault_of(model, end); }};
}

ServerRun::Module post_module(const ServerParams& params, const std::string& server,
                              const std::string& path) {
  HttpRequest request;
  request.method = HttpMethod::kPost;
  request.url = server + (path.starts_with("/") ? "" : "/") + path;
  request.body = std::make_shared<const std::string>(body_of(params));
  return {std::move(request), [](const HttpEnd& end) { return end.error_text; }};
}

}  // namespace

void check_server_input(const ServerParams& params) {
  check_http_url(params.url, {"", 0, "server.url"});
  server_headers(params.content_type);
  body_of(params);
}

ServerRun server_run(const PreparedCell& prepared, const RunSpec& spec, const CellRun& how) {
  if (!spec.faults.empty()) throw CellFailed("faults cannot be made on a running server");
  if (prepared.settings.planner.autoscale)
    throw CellFailed("a running server has fixed instances: planner.autoscale has no effect on it");
  const ServerParams& params = prepared.settings.server;
  const bool is_kserve = params.protocol == ServerProtocol::kKserve;
  ServerRun run;
  run.connections = static_cast<std::size_t>(params.connections);
  run.spin = prepared.settings.live.spin;
  run.spin_core = prepared.settings.live.spin_core;
  run.limit_s = how.limit_s;
  run.check_signal = how.check_signal;
  try {
    HttpClient({.connections = run.connections});  // which fails if the system does not allow them
  } catch (const EnvironmentError& failed) {
    throw CellFailed(failed.what());
  }
  try {
    const auto headers = server_headers(params.content_type);
    KserveServer server(params.url, headers, how.check_signal);
    if (is_kserve) server.check_ready();
    for (ModuleId module = 0; module < spec.pipeline.modules.size(); ++module) {
      const std::string name = name_on_server(spec, prepared.settings, module);
      ServerRun::Module made = is_kserve ? kserve_module(server, prepared, module, name, spec.seed)
                                         : post_module(params, server.url(), name);
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
