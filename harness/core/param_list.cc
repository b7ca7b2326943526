#include "harness/core/param_list.h"

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

}  // namespace

std::string text_of(const ParamValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&value)) return shortest(*number);
  return std::get<std::string>(value);
}

Param& ParamList::number(const char* name, double& field, double low, double high, const char* doc) {
  const std::string allowed = "a number from " + shortest(low) + " to " + shortest(high);
  params_.push_back({name, doc, allowed, [&field] { return ParamValue(field); },
                     [&field, low, high](const ParamValue& value) {
                       const double* number = std::get_if<double>(&value);
                       if (number == nullptr || !(*number >= low && *number <= high)) return false;
                       field = *number;
                       return true;
                     }});
  return params_.back();
}

Param& ParamList::integer(const char* name, int& field, int low, int high, const char* doc) {
  const std::string allowed = "an integer from " + std::to_string(low) + " to " + std::to_string(high);
  params_.push_back({name, doc, allowed, [&field] { return ParamValue(static_cast<double>(field)); },
                     [&field, low, high](const ParamValue& value) {
                       const double* number = std::get_if<double>(&value);
                       if (number == nullptr || !(*number >= low && *number <= high)) return false;
                       if (std::floor(*number) != *number) return false;
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
