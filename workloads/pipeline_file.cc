#include "workloads/catalogue.h"
#include "workloads/data_home.h"
#include "workloads/file_bytes.h"
#include "workloads/toml_tree.h"

namespace harness {

Pipeline parse_pipeline(const std::string& file, std::string_view text) {
  const TomlValue document = parse_toml(file, text);
  const TomlFields top(file, document);
  top.require_known({"description", "slo_ms", "module"});
  Pipeline pipeline;
  pipeline.name = stem_of(file);
  pipeline.description = top.text_or("description", "");
  pipeline.slo_ns = ms_to_ns(top.number("slo_ms", 1e-3, 1e9));
  std::vector<std::vector<std::string>> pres;
  std::vector<std::vector<std::string>> subs;
  for (const TomlFields& fields : top.tables("module")) {
    fields.require_known({"name", "model", "source", "pres", "subs"});
    Module module;
    module.name = fields.text("name");
    module.model = fields.text("model");
    module.source = fields.text_or("source", "");
    pipeline.modules.push_back(std::move(module));
    pres.push_back(fields.has("pres") ? fields.texts("pres") : std::vector<std::string>{});
    subs.push_back(fields.has("subs") ? fields.texts("subs") : std::vector<std::string>{});
  }
  if (const std::string wrong = link_modules(pipeline, pres, subs); !wrong.empty()) {
    throw input_error({file, 0, "module"}, wrong,
                      "a directed acyclic graph with one entry (pres, subs by name)");
  }
  return pipeline;
}

Pipeline load_pipeline(const std::string& name_or_path) {
  const std::string path = path_in("pipelines", "pipeline", name_or_path);
  return parse_pipeline(path, read_file(path));
}

std::vector<std::string> pipeline_names() { return names_in("pipelines", ".toml"); }

}  // namespace harness
