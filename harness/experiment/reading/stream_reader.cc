#include "harness/experiment/reading/stream_reader.h"

#include "harness/experiment/reading/config_tree.h"

namespace harness {
namespace {

StreamClass read_class(const TableReader& table) {
  StreamClass streams;
  streams.place = table.place("");
  ParamList list;
  streams.list(list);
  for (const std::string& key : list.names()) {
    if (table.has(key)) streams.places[key] = table.place(key);
  }
  table.read(list);
  check_streams(streams);
  return streams;
}

}  // namespace

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
  ParamList list;
  streams.list(list);
  const Param* param = list.find(key);
  if (param == nullptr) throw_unknown(assignment.place, "key", key, list.names());
  if (param->elements != nullptr) param->elements->clear();
  if (!(param->elements != nullptr ? param->elements->add(assignment.value, assignment.place)
                                   : param->set(assignment.value)))
    throw input_error(assignment.place, toml_text(assignment.value), param->allowed);
}

std::string stream_tables(const std::string& trace, const std::vector<StreamClass>& classes) {
  std::string text;
  for (const StreamClass& one : classes) {
    StreamClass copy = one;
    text += "\n[[trace." + toml_key(trace) + "." + kStreamsKey + "]]\n";
    ParamList list;
    copy.list(list);
    for (const Param& param : list.params()) {
      if (!needed_for(one, param.name).empty()) continue;
      const ParamValue value = param.get();
      if (param.elements == nullptr)
        text += param.name + " = " + toml_text(value) + "\n";
      else if (!text_of(value).empty())
        text += param.name + " = [" + text_of(value) + "]\n";
    }
  }
  return text;
}

}  // namespace harness
