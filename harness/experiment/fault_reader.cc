#include "harness/experiment/fault_reader.h"

#include <cmath>

namespace harness {
namespace {

constexpr double kLargestGpu = 999'999;
constexpr double kLongestS = 1e9;
constexpr double kShortestS = 1e-9;

/// One number within [low, high]; nothing when the key is missing.
std::optional<double> number_at(const TableReader& table, const char* key, double low, double high,
                                const std::string& allowed) {
  const std::vector<double> values = table.numbers(key, low, high, allowed);
  if (values.size() > 1) throw input_error(table.place(key), "several values", allowed);
  return values.empty() ? std::nullopt : std::optional(values[0]);
}

double needed_number(const TableReader& table, const char* key, double low, double high,
                     const std::string& allowed) {
  const std::optional<double> value = number_at(table, key, low, high, allowed);
  if (!value) throw input_error(table.place(key), "nothing", allowed);
  return *value;
}

FaultKind kind_in(const TableReader& table) {
  std::vector<std::string> known;
  const std::string name = table.text("kind").value_or("");
  for (int i = 0; i < kFaultKinds; ++i) {
    known.emplace_back(name_of(static_cast<FaultKind>(i)));
    if (name == known.back()) return static_cast<FaultKind>(i);
  }
  throw input_error(table.place("kind"), name.empty() ? "nothing" : "\"" + name + "\"",
                    "one of " + join_names(known));
}

/// A number that faults of one kind need, and others may not have.
double number_of_kind(const TableReader& table, FaultKind has, FaultKind kind, const char* key, double low,
                      double high, const std::string& allowed, double standard) {
  if (kind == has) return needed_number(table, key, low, high, allowed);
  if (table.find(key) == nullptr) return standard;
  throw input_error(table.place(key), std::string("a fault of kind \"") + name_of(kind) + "\"",
                    std::string("only with kind = \"") + name_of(has) + "\"");
}

void read_gpus(const TableReader& table, Fault& fault) {
  const bool one = table.find("gpu") != nullptr;
  if (one == (table.find("gpus") != nullptr)) {
    throw input_error(table.place("gpu"), one ? "both gpu and gpus" : "nothing",
                      "gpu = PLACE, or gpus = [FIRST, LAST]");
  }
  const char* key = one ? "gpu" : "gpus";
  const std::string allowed = one ? "an integer from 0 to workers - 1"
                                  : "[FIRST, LAST], integers from 0 to workers - 1, FIRST < LAST";
  const std::vector<double> places = table.numbers(key, 0, kLargestGpu, allowed);
  const bool whole =
      std::floor(places.front()) == places.front() && std::floor(places.back()) == places.back();
  if (places.size() != (one ? 1U : 2U) || !whole || (!one && places[0] > places[1])) {
    std::string found;
    for (const double place : places) found += (found.empty() ? "" : ", ") + text_of(place);
    throw input_error(table.place(key), found, allowed);
  }
  fault.first_gpu = static_cast<int>(places.front());
  fault.gpus = static_cast<int>(places.back() - places.front()) + 1;
}

Fault read_fault(const TableReader& table) {
  table.require_known(plain_keys_of("fault"));
  Fault fault;
  fault.kind = kind_in(table);
  fault.at_ns = s_to_ns(needed_number(table, "at_s", 0, kLongestS, "a number from 0 to 1e+09"));
  fault.for_ns =
      s_to_ns(needed_number(table, "for_s", kShortestS, kLongestS, "a number above 0, at most 1e+09"));
  read_gpus(table, fault);
  fault.factor =
      number_of_kind(table, FaultKind::kSlow, fault.kind, "factor", 1, 1e3, "a number from 1 to 1000", 1);
  fault.delay_ns = ms_to_ns(number_of_kind(table, FaultKind::kDelay, fault.kind, "delay_ms", 1e-6, 1e6,
                                           "a number above 0, at most 1e+06", 0));
  return fault;
}

}  // namespace

void read_faults(const TableReader& document, ExperimentSpec& spec) {
  for (const TableReader& table : document.tables("fault"))
    spec.faults.push_back({read_fault(table), table.place("gpu")});
}

void check_faults(const std::vector<FaultAt>& faults, int workers) {
  for (const FaultAt& at : faults) {
    const int last = at.fault.first_gpu + at.fault.gpus - 1;
    if (last < workers) continue;
    throw input_error(at.place, "GPU " + std::to_string(last) + " of a cluster of " + std::to_string(workers),
                      "places from 0 to " + std::to_string(workers - 1));
  }
}

std::string fault_tables(const std::vector<FaultAt>& faults) {
  std::string text;
  for (const FaultAt& at : faults) {
    const Fault& fault = at.fault;
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
