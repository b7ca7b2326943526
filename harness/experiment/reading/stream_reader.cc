#include "harness/experiment/reading/stream_reader.h"

#include "harness/experiment/reading/config_tree.h"
#include "harness/experiment/reading/settings.h"

namespace harness {
namespace {

constexpr double kMinSloMs = 1e-3;
constexpr double kMaxSloMs = 1e7;
constexpr const char* kSlosAllowed = "numbers from 0.001 to 1e+07";

StreamClass read_class(const TableReader& table) {
  StreamClass streams;
  streams.place = table.place("");
  std::vector<Param> params = stream_params(streams);
  std::vector<std::string> known = {"slo_ms"};
  for (const Param& param : params) known.push_back(param.name);
  table.require_known(known);
  streams.slo_ms = table.number_axis("slo_ms", kMinSloMs, kMaxSloMs, kSlosAllowed);
  for (Param& param : params) {
    if (!table.has(param.name)) continue;
    streams.places[param.name] = table.place(param.name);
    if (!param.set(table.value(param.name, param.allowed)))
      throw input_error(table.place(param.name), describe(*table.find(param.name)), param.allowed);
  }
  check_streams(streams);
  return streams;
}

}  // namespace

std::vector<Param> stream_params(StreamClass& streams) {
  std::vector<Param> params = {text_param("module", streams.module, "a module without pres",
                                          "where the streams enter; empty: the pipeline's entries in turn")};
  ParamList list;
  streams.list(list);
  list.move_to(params);
  return params;
}

std::vector<StreamClass> read_streams(const TableReader& trace) {
  std::vector<StreamClass> classes;
  for (const TableReader& table : trace.tables(kStreamsKey)) classes.push_back(read_class(table));
  return classes;
}

void assign_to_streams(TraceSpec& trace, const std::string& field, const Assignment& assignment) {
  const std::string rest = field.substr(std::string(kStreamsKey).size() + 1);
  const std::size_t dot = rest.find('.');
  const std::size_t index = class_of_part(assignment.place, rest.substr(0, dot), trace.streams.size());
  StreamClass& streams = trace.streams[index];
  const std::string key = dot == std::string::npos ? "" : rest.substr(dot + 1);
  streams.places[key] = assignment.place;
  if (key == "slo_ms") {
    const auto* slo_ms = std::get_if<double>(&assignment.value);
    if (slo_ms == nullptr || !(*slo_ms >= kMinSloMs && *slo_ms <= kMaxSloMs))
      throw input_error(assignment.place, text_of(assignment.value), kSlosAllowed);
    streams.slo_ms = {*slo_ms};
    return;
  }
  std::vector<std::string> known = {"slo_ms"};
  for (Param& param : stream_params(streams)) {
    known.push_back(param.name);
    if (param.name != key) continue;
    if (!param.set(assignment.value))
      throw input_error(assignment.place, toml_text(assignment.value), param.allowed);
    return;
  }
  throw_unknown(assignment.place, "key", key, known);
}

std::string stream_tables(const std::string& trace, const std::vector<StreamClass>& classes) {
  std::string text;
  for (const StreamClass& one : classes) {
    StreamClass copy = one;
    text += "\n[[trace." + toml_key(trace) + "." + kStreamsKey + "]]\n";
    for (const Param& param : stream_params(copy)) {
      if (needed_for(one, param.name).empty()) text += param.name + " = " + toml_text(param.get()) + "\n";
    }
    std::string slos;
    for (const double slo_ms : one.slo_ms) slos += (slos.empty() ? "" : ", ") + text_of(slo_ms);
    if (!slos.empty()) text += "slo_ms = [" + slos + "]\n";
  }
  return text;
}

}  // namespace harness
