#include "harness/record/hdf5/hdf5_handle.h"

namespace harness {
namespace {

void write_scalar(hid_t object, const char* name, hid_t type, const void* value) {
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose, "make a dataspace");
  const Hdf5Handle attribute(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                             "make an attribute");
  checked(H5Awrite(attribute.get(), type, value), "write an attribute");
}

constexpr const char* kReadAttribute = "read an attribute";

void read_scalar(hid_t object, const char* name, hid_t type, void* value) {
  const Hdf5Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, kReadAttribute);
  const Hdf5Handle space(H5Aget_space(attribute.get()), H5Sclose, kReadAttribute);
  if (H5Sget_simple_extent_npoints(space.get()) != 1) throw Hdf5Failure(kReadAttribute);
  checked(H5Aread(attribute.get(), type, value), kReadAttribute);
}

}  // namespace

Hdf5Handle open_group(hid_t parent, const std::string& path) {
  return Hdf5Handle(H5Gopen2(parent, path.c_str(), H5P_DEFAULT), H5Gclose, "open a group");
}

Hdf5Handle make_group(hid_t parent, const std::string& path) {
  const Hdf5Handle untimed(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, "make properties");
  checked(H5Pset_obj_track_times(untimed.get(), false), "set properties");
  // HDF5 keeps more than 8 attributes elsewhere, and 1.10 crashes when it copies text from there.
  constexpr unsigned kMaxAttributes = 32;
  checked(H5Pset_attr_phase_change(untimed.get(), kMaxAttributes, 0), "set properties");
  // Groups that the library makes on the way would carry the time.
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string outer = path.substr(0, slash);
    if (outer.empty() || H5Lexists(parent, outer.c_str(), H5P_DEFAULT) > 0) continue;
    const Hdf5Handle made(H5Gcreate2(parent, outer.c_str(), H5P_DEFAULT, untimed.get(), H5P_DEFAULT),
                          H5Gclose, "make a group");
  }
  return Hdf5Handle(H5Gcreate2(parent, path.c_str(), H5P_DEFAULT, untimed.get(), H5P_DEFAULT), H5Gclose,
                    "make a group");
}

Hdf5Handle text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type");
  checked(H5Tset_size(type.get(), H5T_VARIABLE), "size a text type");
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), "encode a text type");
  return type;
}

void write_attribute(hid_t object, const char* name, const std::string& value) {
  const char* text = value.c_str();
  write_scalar(object, name, text_type().get(), &text);
}

void write_attribute(hid_t object, const char* name, std::int64_t value) {
  write_scalar(object, name, H5T_NATIVE_INT64, &value);
}

void write_attribute(hid_t object, const char* name, double value) {
  write_scalar(object, name, H5T_NATIVE_DOUBLE, &value);
}

bool has_attribute(hid_t object, const char* name) { return H5Aexists(object, name) > 0; }

std::string read_text_attribute(hid_t object, const char* name) {
  char* text = nullptr;
  read_scalar(object, name, text_type().get(), &text);
  std::string value = text == nullptr ? "" : text;
  H5free_memory(text);
  return value;
}

std::int64_t read_integer_attribute(hid_t object, const char* name) {
  std::int64_t value = 0;
  read_scalar(object, name, H5T_NATIVE_INT64, &value);
  return value;
}

double read_real_attribute(hid_t object, const char* name) {
  double value = 0;
  read_scalar(object, name, H5T_NATIVE_DOUBLE, &value);
  return value;
}

}  // namespace harness
