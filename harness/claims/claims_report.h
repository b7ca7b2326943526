// Judgements as text: a table for people, JSON and JUnit for programs.
#pragma once

#include <string>
#include <vector>

#include "harness/claims/judgement.h"

namespace harness {

/// Returns a table: first the results that are missing, with the number of claims that rest on each; then a
/// row per other claim, its long texts wrapped; then the groups without a value or within noise; then the
/// counts, of kind paper and of the others.
std::string claims_table(const std::vector<Judgement>& judgements);
/// Returns an array of objects; numbers in full, null for a value that does not exist.
std::string claims_json(const std::vector<Judgement>& judgements);
/// Returns JUnit's XML with a test case per claim: "reproduced" passes, "not reproduced" fails, any other
/// verdict is skipped.
std::string claims_junit(const std::vector<Judgement>& judgements);

}  // namespace harness
