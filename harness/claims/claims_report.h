// Judgements as text: a table for people, JSON and JUnit for programs.
#pragma once

#include <string>
#include <vector>

#include "harness/claims/verdict.h"

namespace harness {

/// A row per claim, its long texts wrapped, then what is missing or within noise, then the counts.
std::string claims_table(const std::vector<Judgement>& judgements);
/// An array of objects; numbers in full, null where there is none.
std::string claims_json(const std::vector<Judgement>& judgements);
/// JUnit's XML: a test case per claim; "not reproduced" fails, "partly" and "not run" are skipped.
std::string claims_junit(const std::vector<Judgement>& judgements);

}  // namespace harness
