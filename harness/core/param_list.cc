#include "harness/core/param_list.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "harness/core/wording.h"

namespace harness {
namespace {

std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

/// Returns the value if it is a number within the limits, else null.
const double* number_within(const ParamValue& value, double low, double high) {
  const double* number = std::get_if<double>(&value);
  return number != nullptr && *number >= low && *number <= high ? number : nullptr;
}

}  // namespace

std::string text_of(const ParamValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return shortest(*number);
  return std::get<std::string>(value);
}

Param& ParamList::add_number(const char* name, std::function<double()> get, std::function<void(double)> set,
                             double low, double high, const char* doc) {
  const std::string allowed = "a number from " + shortest(low) + " to " + shortest(high);
  params_.push_back({name, doc, allowed, [get = std::move(get)] { return ParamValue(get()); },
                     [set = std::move(set), low, high](const ParamValue& value) {
                       const double* number = number_within(value, low, high);
                       if (number == nullptr) return false;
                       set(*number);
                       return true;
                     }});
  return params_.back();
}

Param& ParamList::add_text(const char* name, std::string& field, std::string allowed, const char* doc,
                           std::function<bool(const std::string&)> may_be) {
  params_.push_back({name, doc, std::move(allowed), [&field] { return ParamValue(field); },
                     [&field, may_be = std::move(may_be)](const ParamValue& value) {
                       const std::string* text = std::get_if<std::string>(&value);
                       if (text == nullptr || !may_be(*text)) return false;
                       field = *text;
                       return true;
                     }});
  return params_.back();
}

Param& ParamList::number(const char* name, double& field, double low, double high, const char* doc) {
  return add_number(
      name, [&field] { return field; }, [&field](double value) { field = value; }, low, high, doc);
}

Param& ParamList::seconds(const char* name, TimeNs& field, double low, double high, const char* doc) {
  return add_number(
      name, [&field] { return ns_to_s(field); }, [&field](double value) { field = s_to_ns(value); }, low,
      high, doc);
}

Param& ParamList::milliseconds(const char* name, TimeNs& field, double low, double high, const char* doc) {
  return add_number(
      name, [&field] { return ns_to_ms(field); }, [&field](double value) { field = ms_to_ns(value); }, low,
      high, doc);
}

Param& ParamList::text(const char* name, std::string& field, const char* allowed, const char* doc) {
  Param& param = add_text(name, field, allowed, doc, [](const std::string& text) { return !text.empty(); });
  param.allowed_in_messages = "a string that is not empty";
  return param;
}

Param& ParamList::any_text(const char* name, std::string& field, const char* allowed, const char* doc) {
  return add_text(name, field, allowed, doc, [](const std::string&) { return true; });
}

Param& ParamList::one_of(const char* name, std::string& field, std::vector<std::string> names,
                         const char* doc) {
  const std::string allowed = "one of " + join_names(names);
  return add_text(name, field, allowed, doc, [names = std::move(names)](const std::string& text) {
    return std::find(names.begin(), names.end(), text) != names.end();
  });
}

Param& ParamList::number_axis(const char* name, std::vector<double>& field, double low, double high,
                              const char* doc) {
  return axis<double>(
      name, field, "numbers from " + shortest(low) + " to " + shortest(high), doc,
      [low, high](const ParamValue& value, const InputPlace&) -> std::optional<double> {
        const double* number = number_within(value, low, high);
        return number == nullptr ? std::nullopt : std::optional(*number);
      },
      shortest);
}

Param& ParamList::text_axis(const char* name, std::vector<NamedAt>& field, const char* allowed,
                            const char* doc) {
  Param& param = axis<NamedAt>(
      name, field, "strings that are not empty", doc,
      [](const ParamValue& value, const InputPlace& place) -> std::optional<NamedAt> {
        const std::string* text = std::get_if<std::string>(&value);
        if (text == nullptr || text->empty()) return std::nullopt;
        return NamedAt{*text, place};
      },
      [](const NamedAt& named) { return named.name; });
  param.allowed = allowed;
  param.allowed_in_messages = "a string";
  return param;
}

Param& ParamList::numbers(const char* name, std::vector<double>& field, double low, double high,
                          const char* doc) {
  Param& param = number_axis(name, field, low, high, doc);
  param.allowed_in_messages = "an array of numbers";
  param.elements->allowed = "a number from " + shortest(low) + " to " + shortest(high);
  param.elements->is_axis = false;
  return param;
}

Param& ParamList::texts(const char* name, std::vector<std::string>& field, const char* allowed,
                        const char* doc) {
  Param& param = axis<std::string>(
      name, field, "an array of strings", doc,
      [](const ParamValue& value, const InputPlace&) -> std::optional<std::string> {
        const std::string* text = std::get_if<std::string>(&value);
        return text == nullptr ? std::nullopt : std::optional(*text);
      },
      [](const std::string& text) { return text; });
  param.allowed_in_messages = param.allowed;
  param.allowed = allowed;
  param.elements->is_axis = false;
  return param;
}

Param& ParamList::other(const char* name, const char* allowed, const char* doc) {
  params_.push_back({name, doc, allowed, [] { return ParamValue(std::string()); }, nullptr});
  return params_.back();
}

Param& ParamList::integer(const char* name, int& field, int low, int high, const char* doc) {
  const std::string allowed = "an integer from " + std::to_string(low) + " to " + std::to_string(high);
  params_.push_back({name, doc, allowed, [&field] { return ParamValue(static_cast<double>(field)); },
                     [&field, low, high](const ParamValue& value) {
                       const double* number = number_within(value, low, high);
                       if (number == nullptr || std::floor(*number) != *number) return false;
                       field = static_cast<int>(*number);
                       return true;
                     }});
  return params_.back();
}

Param& ParamList::flag(const char* name, bool& field, const char* doc) {
  params_.push_back({name,
                     doc,
                     "true or false",
                     [&field] { return ParamValue(field); },
                     [&field](const ParamValue& value) {
                       const bool* flag = std::get_if<bool>(&value);
                       if (flag == nullptr) return false;
                       field = *flag;
                       return true;
                     },
                     {false, true}});
  return params_.back();
}

Param& ParamList::add_choice(const char* name, std::function<int()> get, std::function<void(int)> set,
                             std::vector<std::string> names, const char* doc) {
  const std::string allowed = "one of " + join_names(names);
  std::vector<ParamValue> values(names.begin(), names.end());
  params_.push_back(
      {name, doc, allowed,
       [get = std::move(get), names] { return ParamValue(names[static_cast<std::size_t>(get())]); },
       [set = std::move(set), names](const ParamValue& value) {
         const std::string* text = std::get_if<std::string>(&value);
         if (text == nullptr) return false;
         for (std::size_t i = 0; i < names.size(); ++i) {
           if (names[i] != *text) continue;
           set(static_cast<int>(i));
           return true;
         }
         return false;
       },
       std::move(values)});
  return params_.back();
}

std::string Param::default_text() const {
  if (!required_as.empty()) return "(needed)";
  if (!default_in_words.empty()) return default_in_words;
  const std::string text = text_of(get());
  return text.empty() ? "(none)" : text;
}

Param& Param::only_with(const std::string& beside, std::vector<std::string> any_of) {
  other = beside;
  other_values = std::move(any_of);
  std::string needed_text = beside + " = ";
  for (const std::string& value : other_values)
    needed_text += (&value == &other_values.front() ? "" : " or ") + value;
  doc = needed_text + ": " + doc;
  return *this;
}

void ParamList::move_to(std::vector<Param>& params) {
  params.insert(params.end(), std::make_move_iterator(params_.begin()),
                std::make_move_iterator(params_.end()));
  params_.clear();
}

std::vector<std::string> ParamList::names() const {
  std::vector<std::string> result;
  for (const Param& param : params_) result.push_back(param.name);
  return result;
}

const Param* ParamList::find(const std::string& name) const {
  for (const Param& param : params_) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

}  // namespace harness
