#include "workloads/catalogue/profile_notes.h"

#include <gtest/gtest.h>

#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

using Notes = std::vector<std::string>;

Profile profile_of(const std::string& keys) {
  return parse_profiles("f.toml", "device = 'L4'\n[[profile]]\nmodel = 'm'\n" + keys).profiles.at("m");
}
Notes notes_of(const std::string& keys) { return odd_latencies(profile_of(keys)); }

TEST(ProfileNotes, LatenciesInAnotherUnitAreTooShortOrTooLong) {
  EXPECT_EQ(notes_of("latency_ms = [5.2, 6.1, 7.0]"), Notes());
  EXPECT_EQ(
      notes_of("latency_ms = [0.0052, 0.0061, 0.0070]"),
      Notes{"a batch of 1 takes 0.0052 ms, too short for most models: are the latencies in milliseconds?"});
  EXPECT_EQ(
      notes_of("latency_ms = [5200, 6100, 7000]"),
      Notes{"a batch of 1 takes 5200 ms, too long for most models: are the latencies in milliseconds?"});
  EXPECT_EQ(notes_of("alpha_ms = 0.001\nbeta_ms = 0.004\nmax_batch = 8").size(), 1U);
  EXPECT_EQ(notes_of("alpha_ms = 0\nbeta_ms = 0.001\nmax_batch = 8"), Notes())
      << "a stage that computes nothing";
}

TEST(ProfileNotes, TheLargestFallBeyondATenthIsTold) {
  EXPECT_EQ(notes_of("latency_ms = [5, 4, 7, 3]"),
            Notes{"a batch of 4 takes 3 ms, less than one of 3 with 7 ms"});
  EXPECT_EQ(notes_of("latency_ms = [10, 9.3, 12]"), Notes()) << "as libraries' choice of kernels does";
}

TEST(ProfileNotes, SizesFarApartLeaveBatchesThatNobodyMeasured) {
  const std::string gap =
      "latencies of batches between 4 and 128 were not measured: they lie on a line between the latencies of "
      "the two";
  const Profile profile = profile_of("batch = [1, 2, 4, 128]\nlatency_ms = [5, 6, 8, 300]");
  EXPECT_EQ(odd_latencies(profile), Notes{gap});
  for (const int batch : {1, 2, 3, 4, 128}) EXPECT_EQ(unmeasured_batch(profile, batch), "") << batch;
  for (const int batch : {5, 23, 127}) EXPECT_EQ(unmeasured_batch(profile, batch), gap) << batch;
  EXPECT_EQ(notes_of("batch = [1, 2, 4, 8, 16]\nlatency_ms = [5, 6, 8, 12, 20]"), Notes());
  EXPECT_EQ(unmeasured_batch(profile_of("alpha_ms = 1\nbeta_ms = 5\nmax_batch = 64"), 40), "") << "a line";
}

TEST(ProfileNotes, NoShippedSetIsOdd) {
  for (const std::string& name : profile_set_names()) {
    for (const auto& [device, profiles] : load_profiles(name).devices) {
      for (const auto& [model, profile] : profiles)
        EXPECT_EQ(odd_latencies(profile), Notes()) << name << " " << model;
    }
  }
}

}  // namespace
}  // namespace harness
