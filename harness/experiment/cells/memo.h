// Values by key, each made once.
#pragma once

#include <cstddef>
#include <map>

namespace harness {

/// References to the values stay valid until clear(). A value whose making throws is not kept. Keys are
/// structs with a defaulted <=>; clang-tidy 14 takes the 0 in it for a pointer, hence their NOLINT.
template <class Key, class Value>
class Memo {
 public:
  /// Returns the value of `key`, which `make()` returns when it is first asked for.
  template <class Make>
  const Value& of(const Key& key, const Make& make) {
    const auto found = values_.find(key);
    return found != values_.end() ? found->second : values_.emplace(key, make()).first->second;
  }
  std::size_t size() const { return values_.size(); }
  void clear() { values_.clear(); }

 private:
  std::map<Key, Value> values_;
};

}  // namespace harness
