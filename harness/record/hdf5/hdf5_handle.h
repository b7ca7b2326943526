// Owning handles of HDF5 objects. Internal to record/.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>

#include "harness/record/hdf5/hdf5_failure.h"

namespace harness {

/// Owns an identifier and closes it with the function given. A negative identifier throws.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Handle() = default;
  Hdf5Handle(hid_t id, Close close, const char* task) : id_(checked(id, task)), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { reset(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Closes the object. Returns false if the library reports a failure.
  bool reset() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id < 0 || close_(id) >= 0;
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// Opens a group that exists.
Hdf5Handle open_group(hid_t parent, const std::string& path);
/// Makes a new group, and its missing parents.
Hdf5Handle make_group(hid_t parent, const std::string& path);

/// Returns the type of every string in the files: UTF-8 text of variable length.
Hdf5Handle text_type();

/// Writes an attribute of an object. Text may be of any length.
void write_attribute(hid_t object, const char* name, const std::string& value);
void write_attribute(hid_t object, const char* name, std::int64_t value);
void write_attribute(hid_t object, const char* name, double value);
bool has_attribute(hid_t object, const char* name);
std::string read_text_attribute(hid_t object, const char* name);
std::int64_t read_integer_attribute(hid_t object, const char* name);
double read_real_attribute(hid_t object, const char* name);

}  // namespace harness
