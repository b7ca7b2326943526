#include "harness/experiment/reading/fault_reader.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace harness {
namespace {

constexpr int kMaxGpus = 1'000'000;

std::string joined(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + text_of(value);
  return text;
}

/// Returns the only kind that has the key, and needs it; nothing for a key of all kinds.
std::optional<FaultKind> kind_with(const std::string& key) {
  if (key == "factor") return FaultKind::kSlow;
  if (key == "delay_ms") return FaultKind::kDelay;
  return std::nullopt;
}

void check_kind(const std::string& key, FaultKind kind, const InputPlace& place) {
  const std::optional<FaultKind> only = kind_with(key);
  if (!only || *only == kind) return;
  throw input_error(place, std::string("a fault of kind \"") + name_of(kind) + "\"",
                    std::string("only with kind = \"") + name_of(*only) + "\"");
}

void read_range(const TableReader& table, Fault& fault) {
  const std::string allowed = "[FIRST, LAST], integers from 0 to workers - 1, FIRST < LAST";
  if (table.has("count"))
    throw input_error(table.place("count"), "count beside gpus", "count beside gpu, or gpus = [FIRST, LAST]");
  const std::vector<double> places = table.number_axis("gpus", 0, kMaxGpus - 1, allowed);
  const bool whole =
      std::floor(places.front()) == places.front() && std::floor(places.back()) == places.back();
  if (places.size() != 2 || !whole || places[0] > places[1]) {
    throw input_error(table.place("gpus"), joined(places), allowed);
  }
  fault.first_gpu = static_cast<int>(places.front());
  fault.gpus = static_cast<int>(places.back() - places.front()) + 1;
}

void read_gpus(const TableReader& table, Fault& fault) {
  const bool one = table.has("gpu");
  if (one == (table.has("gpus"))) {
    throw input_error(table.place("gpu"), one ? "both gpu and gpus" : "nothing",
                      "gpu = PLACE, or gpus = [FIRST, LAST]");
  }
  if (!one) read_range(table, fault);
}

FaultAt read_fault(const TableReader& table) {
  FaultAt at;
  ParamList list;
  at.list(list);
  table.read(list);
  at.place = table.place("gpu");
  if (!at.name.empty() && toml_key(at.name) != at.name)  // keys contain it, and results show the keys
    throw input_error(table.place("name"), toml_text(at.name), "letters, digits, - and _");
  for (const Param& param : list.params()) {
    const std::optional<FaultKind> only = kind_with(param.name);
    if (table.has(param.name))
      check_kind(param.name, at.fault.kind, table.place(param.name));
    else if (only && *only == at.fault.kind)
      throw input_error(table.place(param.name), "nothing", param.allowed);
  }
  read_gpus(table, at.fault);
  return at;
}

void assign_to_fault(FaultAt& at, const std::string& field, const Assignment& assignment) {
  check_kind(field, at.fault.kind, assignment.place);
  ParamList list;
  at.list(list);
  const Param* param = list.find(field);
  if (!param->set(assignment.value))
    throw input_error(assignment.place, toml_text(assignment.value), param->allowed);
  if (field == "gpu" || field == "count") at.place = assignment.place;
}

/// Returns the keys that a key fault.NAME.KEY may set.
std::vector<std::string> settable_keys() {
  FaultAt at;
  ParamList list;
  at.list(list);
  std::vector<std::string> keys = list.names();
  std::erase_if(keys, [](const std::string& key) { return key == "name" || key == "kind" || key == "gpus"; });
  return keys;
}

/// Returns the names that keys may use, each once.
std::vector<std::string> names_in(const std::vector<FaultAt>& faults) {
  std::vector<std::string> names;
  for (const FaultAt& at : faults) {
    if (!at.name.empty() && std::find(names.begin(), names.end(), at.name) == names.end())
      names.push_back(at.name);
  }
  return names;
}

}  // namespace

void FaultAt::list(ParamList& params) {
  std::vector<std::string> kinds;
  for (int i = 0; i < kFaultKinds; ++i) kinds.emplace_back(name_of(static_cast<FaultKind>(i)));
  params.text("name", name, "letters, digits, - and _",
              "what the keys fault.NAME.KEY of a [[sweep]] and of --set call it, alone or with others of "
              "that name");
  params.flag("on", on, "whether it happens: swept, the same cells with it and without");
  params
      .choice("kind", fault.kind, kinds,
              "the GPUs stop; batches that start take longer; messages to and from their queues take longer, "
              "or are lost")
      .needed();
  params.seconds("at_s", fault.at_ns, 0, 1e9, "when it begins, in time of the load").needed();
  params.seconds("for_s", fault.for_ns, 1e-9, 1e9, "how long it lasts")
      .allowing("a number above 0, at most 1e+09")
      .needed();
  params.integer("gpu", fault.first_gpu, 0, kMaxGpus - 1, "the one that it concerns")
      .allowing("an integer from 0 to workers - 1")
      .by_default("(this or gpus)");
  params.other("gpus", "[FIRST, LAST], two of these integers", "all from the first to the last")
      .by_default("(this or gpu)");
  params.integer("count", fault.gpus, 1, kMaxGpus, "beside gpu: so many from that one on")
      .allowing("an integer from 1 to workers - gpu");
  params.number("factor", fault.factor, 1, 1e3, "slow: execution times are multiplied by this")
      .by_default("(needed by slow)");
  params.milliseconds("delay_ms", fault.delay_ns, 1e-6, 1e6, "delay: every message takes longer by this")
      .allowing("a number above 0, at most 1e+06")
      .by_default("(needed by delay)");
}

std::vector<FaultAt> read_faults(const TableReader& document) {
  std::vector<FaultAt> faults;
  for (const TableReader& table : document.tables("fault")) faults.push_back(read_fault(table));
  return faults;
}

void assign_to_faults(std::vector<FaultAt>& faults, const std::string& name, const std::string& field,
                      const Assignment& assignment) {
  const std::vector<std::string> named = names_in(faults);
  if (named.empty())
    throw input_error(assignment.place, assignment.key,
                      "the name of a [[fault]], which needs name = \"...\"");
  if (std::find(named.begin(), named.end(), name) == named.end())
    throw_unknown(assignment.place, "fault", name, named);
  const std::vector<std::string> known = settable_keys();
  if (std::find(known.begin(), known.end(), field) == known.end())
    throw_unknown(assignment.place, "key", field, known);
  for (FaultAt& at : faults) {
    if (at.name == name) assign_to_fault(at, field, assignment);
  }
}

void check_faults(const std::vector<FaultAt>& faults, int workers) {
  for (const FaultAt& at : faults) {
    const int last = at.fault.first_gpu + at.fault.gpus - 1;
    if (last < workers || !at.on) continue;
    throw input_error(at.place, "GPU " + std::to_string(last) + " of a cluster of " + std::to_string(workers),
                      "places from 0 to " + std::to_string(workers - 1));
  }
}

std::vector<Fault> faults_that_happen(const std::vector<FaultAt>& faults) {
  std::vector<Fault> happen;
  for (const FaultAt& at : faults) {
    if (at.on) happen.push_back(at.fault);
  }
  return happen;
}

std::string fault_tables(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    text += std::string("\n[[fault]]\nkind = \"") + name_of(fault.kind) + "\"\n";
    text += "at_s = " + text_of(ns_to_s(fault.at_ns)) + "\nfor_s = " + text_of(ns_to_s(fault.for_ns)) + "\n";
    text += fault.gpus == 1 ? "gpu = " + std::to_string(fault.first_gpu) + "\n"
                            : "gpus = [" + std::to_string(fault.first_gpu) + ", " +
                                  std::to_string(fault.first_gpu + fault.gpus - 1) + "]\n";
    if (fault.kind == FaultKind::kSlow) text += "factor = " + text_of(fault.factor) + "\n";
    if (fault.kind == FaultKind::kDelay) text += "delay_ms = " + text_of(ns_to_ms(fault.delay_ns)) + "\n";
  }
  return text;
}

}  // namespace harness
