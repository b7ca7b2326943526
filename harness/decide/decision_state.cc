#include "harness/decide/decision_state.h"

#include <filesystem>
#include <sstream>
#include <system_error>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/files/file_bytes.h"
#include "harness/files/sha256.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

std::string path_in(const std::string& folder) { return folder + "/decisions.txt"; }

std::string text_of(const Filter& filter) {
  std::string text = filter.key + (filter.range ? filter.range->text() : "");
  for (const FieldValue& value : filter.any) text += "=" + value.text;
  return text;
}

/// Returns all of the claim that decides its verdict.
std::string text_of(const Claim& claim) {
  std::ostringstream text;
  text.precision(17);
  text << claim.id << '\n' << claim.expression_text << '\n' << claim.expect.text() << '\n';
  text << (claim.partly ? claim.partly->text() : "") << '\n' << claim.equal.value_or(-1) << '\n';
  text << static_cast<int>(claim.combine) << '\n';
  for (const std::string& key : claim.for_each) text << key << '\n';
  for (const Filter& filter : claim.where) text << text_of(filter) << '\n';
  return text.str();
}

}  // namespace

std::string fingerprint_of(const Claim& claim, const std::vector<Provenance>& origins) {
  std::string text = text_of(claim);
  for (const Provenance& of : origins) {
    for (const std::string& part : {of.git_commit, of.versions, of.experiment_inputs, of.experiment_toml})
      text += part + "\n";
  }
  return sha256_of(text);
}

std::optional<DecisionState> read_decisions(const std::string& folder) {
  std::error_code error;
  if (!fs::exists(path_in(folder), error)) return std::nullopt;
  std::istringstream lines(read_file(path_in(folder)));
  DecisionState state;
  std::string word, id, fingerprint;
  if (!(lines >> word >> state.looks) || word != "looks" || state.looks == 0)
    throw input_error({path_in(folder), 1, ""}, "no number of looks",
                      "\"looks N\", as `harness claims --decide` writes it");
  while (lines >> id >> fingerprint) state.claims[id] = fingerprint;
  return state;
}

void write_decisions(const std::string& folder, const DecisionState& state) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw EnvironmentError(folder + ": cannot make the folder: " + error.message());
  std::string text = "looks " + std::to_string(state.looks) + "\n";
  for (const auto& [id, fingerprint] : state.claims) text += id + " " + fingerprint + "\n";
  write_file(path_in(folder), text);
}

}  // namespace harness
