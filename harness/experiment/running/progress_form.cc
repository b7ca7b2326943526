#include "harness/experiment/running/progress_form.h"

#include <cstdio>

namespace harness {

void say_event(const std::string& event, const JsonObject& more) {
  const std::string members = more.json().text.substr(1);
  const std::string line = "{\"event\": " + json_of(event) + (members == "}" ? "" : ", ") + members + "\n";
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void say(ProgressForm form, const std::string& note) {
  if (form == ProgressForm::kJson) {
    JsonObject object;
    object.add("text", note);
    say_event("note", object);
  } else if (form == ProgressForm::kText || note.starts_with("warning")) {
    std::fprintf(stderr, "harness: %s\n", note.c_str());
  }
}

}  // namespace harness
