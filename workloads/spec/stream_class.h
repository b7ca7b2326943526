// Classes of streams, the parts of a trace of shape streams (SHEPHERD sections 2.2 and 7).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"

namespace harness {

/// The way in which the rate of a class is shared among its streams.
enum class StreamRates { kEqual, kExponential, kLognormal };
/// The way in which the rate of a stream changes from minute to minute.
enum class StreamMinutes { kConstant, kGamma, kRecorded };
/// The way in which the requests of a stream are placed at its rate.
enum class StreamProcess { kPoisson, kUniform, kMmpp, kBursts, kRecorded };

/// [[trace.NAME.streams]]: streams of one kind. The numbers' defaults fit the Azure Functions trace
/// (workloads/README.md says from where).
struct StreamClass {
  std::string module;          ///< module at which they enter; "": the pipeline's entries in turn
  std::vector<double> slo_ms;  ///< SLOs given to the streams in turn; empty: the workload's
  int count = 1;
  double rps = 1;
  StreamRates rates = StreamRates::kEqual;
  double sigma = 4.36;
  double cut_below = 1.34;
  double cut_above = 2.89;
  StreamMinutes minutes = StreamMinutes::kConstant;
  double minute_s = 60;
  double minute_cv_from = 2.0;
  double minute_cv_to = 3.6;
  double minute_cv_knee = 600;
  double minute_cv_slope = 0.6;
  int population = 1;
  StreamProcess process = StreamProcess::kPoisson;
  double mmpp_ratio = 5;
  double mmpp_high_share = 0.2;
  double mmpp_high_s = 2;
  int mmpp_chains = 0;
  int burst = 1;
  double period_ms = 1;
  double offset_ms = 0;
  InputPlace place;                          ///< place of the table, for messages
  std::map<std::string, InputPlace> places;  ///< places of its keys, for messages

  /// Binds the fields above to keys, with their documentation.
  void list(ParamList& params);
};

/// True if its requests come at times that no rate scales: bursts, recorded ones.
inline bool has_own_rate(const StreamClass& streams) {
  return streams.process == StreamProcess::kBursts || streams.process == StreamProcess::kRecorded;
}

/// Returns the place of a key of the class, or of its table if that is not known.
InputPlace place_of_field(const StreamClass& streams, const std::string& field);

/// Returns the value of another key with which this one has a meaning, such as "process = mmpp" for
/// mmpp_ratio; "" if the key has one in this class.
std::string needed_for(const StreamClass& streams, const std::string& key);

/// Checks what list() cannot check, also that no key was given (`places`) that has no meaning beside the
/// others. Throws InputError at the key's place.
void check_streams(const StreamClass& streams);

/// Returns the classes of a named shape: two-streams, poisson-streams, maf-stable, maf-bursty; empty for
/// others.
std::vector<StreamClass> stream_preset(const std::string& shape);
std::vector<std::string> stream_preset_names();

}  // namespace harness
