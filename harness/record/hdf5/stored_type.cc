#include "harness/record/hdf5/stored_type.h"

namespace harness {
namespace {

Hdf5Handle copy_of(hid_t type) { return Hdf5Handle(H5Tcopy(type), H5Tclose, "copy a type"); }

}  // namespace

Hdf5Handle enumeration(const std::vector<std::string>& names) {
  Hdf5Handle type(H5Tenum_create(H5T_NATIVE_UINT8), H5Tclose, "make an enumeration");
  std::uint8_t value = 0;
  for (const std::string& name : names) {
    checked(H5Tenum_insert(type.get(), name.c_str(), &value), "name a value");
    ++value;
  }
  return type;
}

Hdf5Handle stored_type(const bool*) { return copy_of(H5T_NATIVE_UINT8); }
Hdf5Handle stored_type(const std::uint8_t*) { return copy_of(H5T_NATIVE_UINT8); }
Hdf5Handle stored_type(const std::uint16_t*) { return copy_of(H5T_NATIVE_UINT16); }
Hdf5Handle stored_type(const std::uint32_t*) { return copy_of(H5T_NATIVE_UINT32); }
Hdf5Handle stored_type(const std::uint64_t*) { return copy_of(H5T_NATIVE_UINT64); }
Hdf5Handle stored_type(const TimeNs*) { return copy_of(H5T_NATIVE_INT64); }
Hdf5Handle stored_type(const double*) { return copy_of(H5T_NATIVE_DOUBLE); }
Hdf5Handle stored_type(const std::string*) { return text_type(); }
Hdf5Handle stored_type(const Outcome*) { return enumeration({kOutcomeNames.begin(), kOutcomeNames.end()}); }
Hdf5Handle stored_type(const VisitOutcome*) {
  return enumeration({kVisitOutcomeNames.begin(), kVisitOutcomeNames.end()});
}
Hdf5Handle stored_type(const DropReason*) {
  std::vector<std::string> names;
  for (int i = 0; i < kDropReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    // HDF5 converts enumerations by name: a renamed value would make older files unreadable.
    names.emplace_back(reason == DropReason::kSchedulerQueueFull ? "inbox_full" : name_of(reason));
  }
  return enumeration(names);
}

}  // namespace harness
