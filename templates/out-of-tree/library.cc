#include "harness/serving/system_library.h"
#include "systems/my_system/my_system.h"

const harness::SystemLibrary* harness_systems() {
  static constexpr harness::SystemEntry kSystems[] = {
      {"my_system", "one line with the paper", harness::make_my_system}};
  static constexpr harness::SystemLibrary kLibrary = {harness::kSdkVersion, kSystems};
  return &kLibrary;
}
