// The table [server], for cells with runtime = "server": where the server is and how it is asked.
#pragma once

#include <string>

#include "harness/core/param_list.h"

namespace harness {

/// The way in which a visit is asked for: KServe's protocol v2 (Triton, MLServer, OpenVINO Model Server), or
/// a plain POST (Ray Serve, BentoML, LitServe).
enum class ServerProtocol { kKserve, kPost };

struct ServerParams {
  std::string url = "http://127.0.0.1:8000";
  ServerProtocol protocol = ServerProtocol::kKserve;
  double timeout_ms = 10'000;
  int connections = 1000;
  int free_size = 1;
  std::string body_file;
  std::string content_type = "application/json";

  void list(ParamList& params) {
    params.text("url", url, "http:// or https://, a host and a port",
                "the server; module.NAME.remote says which model or path of it a module's visits go to");
    params.choice("protocol", protocol, {"kserve", "post"},
                  "kserve: the Open Inference Protocol (KServe v2) in JSON; post: a plain POST");
    params.number("timeout_ms", timeout_ms, 1, 1e7,
                  "a call that has no answer for so long ends its request as dropped (server_timeout)");
    params.integer("connections", connections, 1, 60'000,
                   "calls that are under way at once, at most; others wait in the client, which counts as "
                   "latency");
    params
        .integer("free_size", free_size, 1, 1'000'000,
                 "the size of input dimensions that the model leaves open, but for the batch's")
        .only_with("protocol", {"kserve"});
    params.any_text("body_file", body_file, "a file", "what each call sends; empty: {}")
        .only_with("protocol", {"post"});
    params.text("content_type", content_type, "a media type", "of the body");
  }
};

}  // namespace harness
