// What a run prints on standard error, for people or for programs.
#pragma once

#include <string>

#include "harness/text/json.h"

namespace harness {

/// The form in which a run says how far it is: lines for people, lines of JSON (docs/commands.md), or no
/// lines.
enum class ProgressForm { kText, kJson, kQuiet };

/// Prints a note on standard error; with kQuiet only a warning.
void say(ProgressForm form, const std::string& note);
/// Prints a line of JSON on standard error: `event`, then the members of `more`.
void say_event(const std::string& event, const JsonObject& more);

}  // namespace harness
