// Classes of streams: what a trace of shape streams is made of (SHEPHERD sections 2.2 and 7).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"

namespace harness {

/// How the rate of a class is shared among its streams.
enum class StreamRates { kEqual, kExponential, kLognormal };
/// How the rate of a stream changes from minute to minute.
enum class StreamMinutes { kConstant, kGamma, kRecorded };
/// How the requests of a stream are placed at its rate.
enum class StreamProcess { kPoisson, kUniform, kMmpp, kBursts, kRecorded };

/// [[trace.NAME.streams]]: streams of one kind. The defaults of the numbers are those of the Azure Functions
/// trace (workloads/README.md says from where).
struct StreamClass {
  std::string module;          ///< where they enter; "": the pipeline's entries in turn
  std::vector<double> slo_ms;  ///< given to the streams in turn; empty: the workload's
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
  InputPlace place;                          ///< for messages: of the table
  std::map<std::string, InputPlace> places;  ///< and of its keys

  /// Binds the numbers and choices above; their documentation stands there.
  void list(ParamList& params);
};

/// Whether its requests come at times that no rate scales: bursts, recorded ones.
inline bool has_own_rate(const StreamClass& streams) {
  return streams.process == StreamProcess::kBursts || streams.process == StreamProcess::kRecorded;
}

/// Where a key of the class stands, or its table when that is not known.
InputPlace place_of_field(const StreamClass& streams, const std::string& field);

/// With which value of another key this one has a meaning: "process = mmpp" for mmpp_ratio; "" where it has
/// one in this class. Keys that list() does not name have one always.
std::string needed_for(const StreamClass& streams, const std::string& key);

/// Checks what list() cannot, also that no key was given (`places`) that has no meaning beside the others.
/// Throws InputError at the key's place.
void check_streams(const StreamClass& streams);

/// The classes of a named shape: two-streams, poisson-streams, maf-stable, maf-bursty. None for others.
std::vector<StreamClass> stream_preset(const std::string& shape);
std::vector<std::string> stream_preset_names();

}  // namespace harness
