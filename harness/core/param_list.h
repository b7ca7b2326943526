// Parameter structs list their fields once; parsing, help, documentation and recording walk that list.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/types.h"

namespace harness {

/// A value as written in an experiment file.
using ParamValue = std::variant<bool, double, std::string>;

/// Returns the value as it would be written in TOML, without quotes: "true", "0.1", "early". A number has the
/// shortest form that reads back.
std::string text_of(const ParamValue& value);

struct Param;
struct NamedAt;

/// The list of a struct's parameters. A struct `P` provides `void list(ParamList&)`, which binds each field
/// once. The references that the methods return are valid until the next parameter is added.
class ParamList {
 public:
  /// Binds a real number within [low, high].
  Param& number(const char* name, double& field, double low, double high, const char* doc);
  /// Binds an integer within [low, high].
  Param& integer(const char* name, int& field, int low, int high, const char* doc);
  Param& flag(const char* name, bool& field, const char* doc);
  /// Binds a time that is written as a number of seconds within [low, high].
  Param& seconds(const char* name, TimeNs& field, double low, double high, const char* doc);
  /// Binds a time that is written as a number of milliseconds within [low, high].
  Param& milliseconds(const char* name, TimeNs& field, double low, double high, const char* doc);
  /// Binds a text that is not empty.
  Param& text(const char* name, std::string& field, const char* allowed, const char* doc);
  /// Binds a text that may be empty.
  Param& any_text(const char* name, std::string& field, const char* allowed, const char* doc);
  /// Binds a text that is one of `names`.
  Param& one_of(const char* name, std::string& field, std::vector<std::string> names, const char* doc);
  /// Binds an enumeration whose values 0, 1, ... have the given names.
  template <class Enum>
  Param& choice(const char* name, Enum& field, std::vector<std::string> names, const char* doc) {
    return add_choice(
        name, [&field] { return static_cast<int>(field); },
        [&field](int value) { field = static_cast<Enum>(value); }, std::move(names), doc);
  }

  // Axes take one value, or a list of at least one, all different.
  Param& number_axis(const char* name, std::vector<double>& field, double low, double high, const char* doc);
  /// Binds texts that are not empty.
  Param& text_axis(const char* name, std::vector<NamedAt>& field, const char* allowed, const char* doc);
  /// Binds any values. `read` returns the element for a value, or nothing if the value is not allowed; `text`
  /// returns it as it is written.
  template <class Element>
  Param& axis(const char* name, std::vector<Element>& field, std::string allowed, const char* doc,
              std::function<std::optional<Element>(const ParamValue&, const InputPlace&)> read,
              std::function<std::string(const Element&)> text);

  // Lists of any length, which may hold a value twice.
  Param& numbers(const char* name, std::vector<double>& field, double low, double high, const char* doc);
  Param& texts(const char* name, std::vector<std::string>& field, const char* allowed, const char* doc);

  /// Adds a key without a field, which other code reads; it is listed for help and documentation only.
  Param& other(const char* name, const char* allowed, const char* doc);

  const std::vector<Param>& params() const { return params_; }
  /// Moves the parameters to the end of `params`.
  void move_to(std::vector<Param>& params);
  std::vector<std::string> names() const;
  /// Returns the parameter of that name, or null.
  const Param* find(const std::string& name) const;

 private:
  Param& add_choice(const char* name, std::function<int()> get, std::function<void(int)> set,
                    std::vector<std::string> names, const char* doc);
  Param& add_number(const char* name, std::function<double()> get, std::function<void(double)> set,
                    double low, double high, const char* doc);
  Param& add_text(const char* name, std::string& field, std::string allowed, const char* doc,
                  std::function<bool(const std::string&)> may_be);
  std::vector<Param> params_;
};

/// A name and the place at which it was written.
struct NamedAt {
  std::string name;
  InputPlace place;
};

/// The list that a key takes.
struct ParamElements {
  std::string allowed;  ///< allowed values of one element, for messages
  bool is_axis = true;  ///< true: one value, or a list of at least one, all different; false: any list
  std::function<void()> clear;
  /// Adds an element to the field; returns false if the value is not allowed.
  std::function<bool(const ParamValue&, const InputPlace&)> add;
};

/// One parameter of a struct, bound to the field of one instance.
struct Param {
  std::string name;
  std::string doc;      ///< one line: the parameter's effect, unit and source
  std::string allowed;  ///< allowed values in words: "a number from 0 to 1", "one of early, late"
  std::function<ParamValue()> get;
  /// Sets the field; returns false if the value is not allowed, and leaves the field unchanged then. Null for
  /// a list and for a key without a field.
  std::function<bool(const ParamValue&)> set;
  std::vector<ParamValue> values = {};  ///< all allowed values of a flag or a choice; else empty
  /// Values worth trying if a paper leaves the parameter open; else empty.
  std::vector<ParamValue> readings = {};
  std::shared_ptr<ParamElements> elements = nullptr;  ///< the list that it takes; null: one value
  std::string other = {};                             ///< the table's key on which its effect depends, or ""
  std::vector<std::string> other_values = {};         ///< values of `other` with which it has an effect
  /// The default in words, such as "the file's stem"; empty: the field's value.
  std::string default_in_words = {};
  std::string allowed_in_messages = {};  ///< allowed values in messages about a table; empty: `allowed`
  std::string required_as = {};  ///< value that messages expect of a table without the key; empty: not needed

  /// Returns the default as documentation has it.
  std::string default_text() const;
  const std::string& wanted_text() const {
    return allowed_in_messages.empty() ? allowed : allowed_in_messages;
  }

  Param& by_default(const char* in_words) {
    default_in_words = in_words;
    return *this;
  }
  /// Replaces the words for the allowed values.
  Param& allowing(const char* in_words) {
    allowed = in_words;
    return *this;
  }
  /// Says that a table must have the key; a message then expects `what`, or the allowed values.
  Param& needed(const std::string& what = "") {
    required_as = what.empty() ? wanted_text() : what;
    return *this;
  }
  /// Says that the parameter has an effect only where the table's key `beside` has one of these values.
  Param& only_with(const std::string& beside, std::vector<std::string> any_of);
  /// Marks the parameter as a reading of a paper that leaves it open: `harness robust` tries these values or,
  /// without any, all values of a flag or a choice. The system's README names it under its reconstructions.
  Param& reading(std::vector<ParamValue> worth_trying = {}) {
    readings = worth_trying.empty() ? values : std::move(worth_trying);
    return *this;
  }
};

template <class Element>
Param& ParamList::axis(const char* name, std::vector<Element>& field, std::string allowed, const char* doc,
                       std::function<std::optional<Element>(const ParamValue&, const InputPlace&)> read,
                       std::function<std::string(const Element&)> text) {
  const auto get = [&field, text = std::move(text)] {
    std::string all;
    for (const Element& element : field) all += (all.empty() ? "" : ", ") + text(element);
    return ParamValue(all);
  };
  const auto add = [&field, read = std::move(read)](const ParamValue& value, const InputPlace& place) {
    std::optional<Element> element = read(value, place);
    if (element) field.push_back(std::move(*element));
    return element.has_value();
  };
  params_.push_back({name, doc, allowed, get, nullptr});
  params_.back().elements = std::make_shared<ParamElements>(
      ParamElements{std::move(allowed), true, [&field] { field.clear(); }, add});
  return params_.back();
}

}  // namespace harness
