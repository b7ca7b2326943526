#include "harness/experiment/stream_reader.h"

namespace harness {
namespace {

constexpr double kLeastSloMs = 1e-3;
constexpr double kMostSloMs = 1e7;

StreamClass read_class(const TableReader& table) {
  StreamClass streams;
  streams.place = table.place("");
  std::vector<Param> params = stream_params(streams);
  std::vector<std::string> known = {"slo_ms"};
  for (const Param& param : params) known.push_back(param.name);
  table.require_known(known);
  streams.slo_ms = table.numbers("slo_ms", kLeastSloMs, kMostSloMs, "numbers from 0.001 to 1e+07");
  for (Param& param : params) {
    const TomlValue* value = table.find(param.name);
    if (value == nullptr) continue;
    streams.places[param.name] = table.place(param.name);
    ParamValue given;
    if (!to_param_value(*value, given) || !param.set(given))
      throw input_error(table.place(param.name), describe(*value), param.allowed);
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
  params.insert(params.end(), list.params().begin(), list.params().end());
  return params;
}

std::vector<StreamClass> read_streams(const TableReader& trace) {
  std::vector<StreamClass> classes;
  for (const TableReader& table : trace.tables(kStreamsKey)) classes.push_back(read_class(table));
  return classes;
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
