#include "harness/text/junit_text.h"

#include <algorithm>
#include <cstddef>

namespace harness {
namespace {

std::string xml_text(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:  // control characters have no place in XML
        escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

std::string count_of(const std::vector<JUnitCase>& cases, JUnitCase::Result result) {
  return std::to_string(std::count_if(cases.begin(), cases.end(),
                                      [&](const JUnitCase& each) { return each.result == result; }));
}

/// Returns the name of the XML element for a result; nullptr if the test passed.
const char* element_of(JUnitCase::Result result) {
  constexpr const char* kElements[] = {nullptr, "failure", "skipped", "error"};
  return kElements[static_cast<std::size_t>(result)];
}

}  // namespace

std::string junit_text(const std::string& suite, const std::vector<JUnitCase>& cases) {
  const std::string numbers = " tests=\"" + std::to_string(cases.size()) + "\" failures=\"" +
                              count_of(cases, JUnitCase::Result::kFailed) + "\" skipped=\"" +
                              count_of(cases, JUnitCase::Result::kSkipped) + "\" errors=\"" +
                              count_of(cases, JUnitCase::Result::kError) + "\"";
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + numbers +
                    ">\n  <testsuite name=\"" + xml_text(suite) + "\"" + numbers + ">\n";
  for (const JUnitCase& each : cases) {
    out += "    <testcase classname=\"" + xml_text(each.group) + "\" name=\"" + xml_text(each.name) +
           "\" time=\"0\">\n";
    if (const char* element = element_of(each.result))
      out += std::string("      <") + element + " message=\"" + xml_text(each.message) + "\"/>\n";
    out += "      <system-out>" + xml_text(each.output) + "</system-out>\n    </testcase>\n";
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace harness
