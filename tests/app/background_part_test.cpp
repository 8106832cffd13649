// Background parts: what the application does with each part reaches the part.
#include "app/background_part.h"

#include <gtest/gtest.h>

#include <functional>

namespace headscope {
namespace {

struct Part {
  void setWake(const std::function<void()>& given) { wake = given; }
  bool finish() { return ++finished == 1; }
  void stop() { ++stopped; }

  std::function<void()> wake;
  int finished = 0, stopped = 0;
};

struct PartWithoutResults {
  void setWake(const std::function<void()>& /*wake*/) {}
  void finish() { ++finished; }
  void stop() {}

  int finished = 0;
};

TEST(BackgroundPart, PassesEverythingOn) {
  Part part;
  double followedAt = 0.0;
  const BackgroundPart of(part, [&](double now) { followedAt = now; });
  int woken = 0;
  of.setWake([&] { ++woken; });
  part.wake();
  EXPECT_EQ(woken, 1);
  of.beginFrame(2.5);
  EXPECT_EQ(followedAt, 2.5);
  EXPECT_TRUE(of.finish());
  EXPECT_FALSE(of.finish());
  of.stop();
  EXPECT_EQ(part.stopped, 1);
}

TEST(BackgroundPart, HasNoResultsWhereFinishReturnsNone) {
  PartWithoutResults part;
  const BackgroundPart of(part, [](double) {});
  EXPECT_FALSE(of.finish());
  EXPECT_EQ(part.finished, 1);
}

}  // namespace
}  // namespace headscope
