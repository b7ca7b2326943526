#include "harness/gpu/device_desk.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

const std::vector<std::uint8_t> kPixels(3 * 2 * 5);
const std::vector<Picture> kPictures = {{kPixels, 2, 5}};

TEST(DeviceDesk, NamesTheFileOfAModelThatHasOne) {
  DeviceDesk desk("cpu", nullptr);
  ModelSource source;
  source.model = "mine";
  source.file = "models/mine.pt";
  const DeviceModel model = desk.add(source, 0);
  EXPECT_EQ(desk.place(model, 4).model, "mine of models/mine.pt");
  EXPECT_EQ(desk.place(model, 4).batch, 4);
  source.model.clear();
  EXPECT_EQ(desk.place(source).model, "of models/mine.pt");
}

TEST(DeviceDesk, TakesPicturesOfDifferingSizes) {
  DeviceDesk desk("cpu", nullptr);
  ModelSource source;
  source.max_batch = 2;
  const DeviceModel model = desk.add(source, 0);
  const std::vector<Picture> pictures = {{kPixels, 2, 5}, {std::span(kPixels).first(9), 3, 1}};
  desk.admit(1, model, pictures);
  EXPECT_THROW(desk.admit(2, model, std::vector<Picture>{{kPixels, 5, 5}}), DeviceError);
}

TEST(DeviceDesk, AnswersForNoMoreThanTwoAtOnce) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  DeviceDesk desk("cpu", nullptr);
  const DeviceModel model = desk.add({}, 0);
  desk.admit(1, model, kPictures);
  EXPECT_DEATH(desk.admit(1, model, kPictures), "two batches of one tag");
  desk.admit(2, model, kPictures);
  EXPECT_DEATH(desk.admit(3, model, kPictures), "too many batches");
  BatchEnd end;
  end.tag = 1;
  desk.push(end);
  std::vector<BatchEnd> ended;
  EXPECT_TRUE(desk.take(ended));
  EXPECT_FALSE(desk.take(ended));
  desk.admit(3, model, kPictures);
}

}  // namespace
}  // namespace harness
