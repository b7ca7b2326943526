// The decisions that `harness claims --decide` has begun: which claims, on which results, and how far.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/record/hdf5/provenance.h"

namespace harness {

/// The file DIR/decide/decisions.txt.
struct DecisionState {
  std::size_t looks = 1;  ///< number of looks whose results are complete
  std::map<std::string, std::string>
      claims;  ///< fingerprint_of() each claim that is judged by looks, by its id
};

/// Returns a hash of what decides the claim and of the origins of the results that it rests on.
std::string fingerprint_of(const Claim& claim, const std::vector<Provenance>& origins);

/// Returns the state that is kept in that folder, if any. Throws InputError if the file is damaged.
std::optional<DecisionState> read_decisions(const std::string& folder);
/// Makes the folder and writes the file. Throws EnvironmentError.
void write_decisions(const std::string& folder, const DecisionState& state);

}  // namespace harness
