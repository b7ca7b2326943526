// The types that values have in the files, and their places in memory. Internal to record/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/run/request_row.h"
#include "harness/record/run/visit_row.h"

namespace harness {

/// Returns the type that a value of this C++ type has in the file. The pointer only selects the overload.
Hdf5Handle stored_type(const bool*);
Hdf5Handle stored_type(const std::uint8_t*);
Hdf5Handle stored_type(const std::uint16_t*);
Hdf5Handle stored_type(const std::uint32_t*);
Hdf5Handle stored_type(const std::uint64_t*);
Hdf5Handle stored_type(const TimeNs*);
Hdf5Handle stored_type(const double*);
Hdf5Handle stored_type(const std::string*);
Hdf5Handle stored_type(const Outcome*);
Hdf5Handle stored_type(const VisitOutcome*);
Hdf5Handle stored_type(const DropReason*);
/// Returns an enumeration type with these names for the values from 0 on.
Hdf5Handle enumeration(const std::vector<std::string>& names);

template <class Value>
inline constexpr std::size_t kStoredBytes = std::is_same_v<Value, std::string> ? sizeof(char*)
                                                                               : sizeof(Value);

/// Puts the value at the place where HDF5 reads it, and returns the place of the next one. A text is put as a
/// pointer; the row still owns it.
template <class Value>
char* put_value(char* at, const Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    const char* text = value.c_str();
    std::memcpy(at, &text, sizeof text);
  } else {
    std::memcpy(at, &value, sizeof value);
  }
  return at + kStoredBytes<Value>;
}

/// Gets a value from its place, and returns the place of the next one. A text that an older file lacks is "".
template <class Value>
const char* get_value(const char* at, Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    const char* text = nullptr;
    std::memcpy(&text, at, sizeof text);
    value = text == nullptr ? "" : text;
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = *at != 0;
  } else {
    std::memcpy(&value, at, sizeof value);
  }
  return at + kStoredBytes<Value>;
}

}  // namespace harness
