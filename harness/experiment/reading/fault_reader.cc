#include "harness/experiment/reading/fault_reader.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "harness/core/wording.h"
#include "harness/experiment/reading/plain_keys.h"

namespace harness {
namespace {

constexpr double kMaxGpus = 1e6;

/// A number of a fault, set in its table or by a key that names the fault.
struct NumberKey {
  const char* name;
  double low;
  double high;
  const char* allowed;
  std::optional<FaultKind> only;  ///< the only kind that has it, and needs it; absent: all kinds
  bool of_gpus;                   ///< true: it says which GPUs, and must be an integer
  void (*set)(Fault& fault, double value);
};

constexpr NumberKey kNumbers[] = {
    {"at_s",
     0,
     1e9,
     "a number from 0 to 1e+09",
     {},
     false,
     [](Fault& fault, double value) { fault.at_ns = s_to_ns(value); }},
    {"for_s",
     1e-9,
     1e9,
     "a number above 0, at most 1e+09",
     {},
     false,
     [](Fault& fault, double value) { fault.for_ns = s_to_ns(value); }},
    {"factor", 1, 1e3, "a number from 1 to 1000", FaultKind::kSlow, false,
     [](Fault& fault, double value) { fault.factor = value; }},
    {"delay_ms", 1e-6, 1e6, "a number above 0, at most 1e+06", FaultKind::kDelay, false,
     [](Fault& fault, double value) { fault.delay_ns = ms_to_ns(value); }},
    {"gpu",
     0,
     kMaxGpus - 1,
     "an integer from 0 to workers - 1",
     {},
     true,
     [](Fault& fault, double value) { fault.first_gpu = static_cast<int>(value); }},
    {"count",
     1,
     kMaxGpus,
     "an integer from 1 to workers - gpu",
     {},
     true,
     [](Fault& fault, double value) { fault.gpus = static_cast<int>(value); }},
};

std::string joined(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + text_of(value);
  return text;
}

void check_kind(const NumberKey& key, FaultKind kind, const InputPlace& place) {
  if (!key.only || *key.only == kind) return;
  throw input_error(place, std::string("a fault of kind \"") + name_of(kind) + "\"",
                    std::string("only with kind = \"") + name_of(*key.only) + "\"");
}

void set_number(const NumberKey& key, double value, Fault& fault, const InputPlace& place) {
  if (key.of_gpus && std::floor(value) != value) throw input_error(place, text_of(value), key.allowed);
  key.set(fault, value);
}

/// Reads the number if the table has the key; returns true if it has.
bool read_number(const TableReader& table, const NumberKey& key, Fault& fault) {
  if (!table.has(key.name)) return false;
  check_kind(key, fault.kind, table.place(key.name));
  set_number(key, table.number(key.name, key.low, key.high, key.allowed), fault, table.place(key.name));
  return true;
}

FaultKind kind_in(const TableReader& table) {
  std::vector<std::string> known;
  const std::string name = table.text_or("kind", "");
  for (int i = 0; i < kFaultKinds; ++i) {
    known.emplace_back(name_of(static_cast<FaultKind>(i)));
    if (name == known.back()) return static_cast<FaultKind>(i);
  }
  throw input_error(table.place("kind"), name.empty() ? "nothing" : "\"" + name + "\"",
                    "one of " + join_names(known));
}

/// Returns the fault's name. Keys contain it, and results show the keys.
std::string name_in(const TableReader& table) {
  std::string name = table.text_or("name", "");
  if (!name.empty() && toml_key(name) != name)
    throw input_error(table.place("name"), toml_text(name), "letters, digits, - and _");
  return name;
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
  if (!one) return read_range(table, fault);
  for (const NumberKey& key : kNumbers) {
    if (key.of_gpus) read_number(table, key, fault);
  }
}

FaultAt read_fault(const TableReader& table) {
  table.require_known(plain_keys_of("fault"));
  FaultAt at;
  at.place = table.place("gpu");
  at.name = name_in(table);
  at.on = table.flag_or("on", true);
  at.fault.kind = kind_in(table);
  for (const NumberKey& key : kNumbers) {
    if (key.of_gpus || read_number(table, key, at.fault)) continue;
    if (!key.only || *key.only == at.fault.kind)
      throw input_error(table.place(key.name), "nothing", key.allowed);
  }
  read_gpus(table, at.fault);
  return at;
}

void assign_to_fault(FaultAt& at, const NumberKey& key, const Assignment& assignment) {
  check_kind(key, at.fault.kind, assignment.place);
  const double* value = std::get_if<double>(&assignment.value);
  if (value == nullptr || !(*value >= key.low && *value <= key.high))
    throw input_error(assignment.place, toml_text(assignment.value), key.allowed);
  set_number(key, *value, at.fault, assignment.place);
  if (key.of_gpus) at.place = assignment.place;
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
  const auto* key = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                 [&field](const NumberKey& number) { return field == number.name; });
  if (key == std::end(kNumbers) && field != "on") {
    std::vector<std::string> known = {"on"};
    for (const NumberKey& number : kNumbers) known.emplace_back(number.name);
    throw_unknown(assignment.place, "key", field, known);
  }
  for (FaultAt& at : faults) {
    if (at.name != name) continue;
    if (key != std::end(kNumbers)) {
      assign_to_fault(at, *key, assignment);
      continue;
    }
    const bool* on = std::get_if<bool>(&assignment.value);
    if (on == nullptr) throw input_error(assignment.place, toml_text(assignment.value), "true or false");
    at.on = *on;
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
