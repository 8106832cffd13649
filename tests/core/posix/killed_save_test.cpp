// A save that kill -9 ends at any moment: the disk holds the previous session or the new one, bit
// for bit.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "core/document/document.h"
#include "core/formats/session.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;
using formats::Session;

constexpr int kMoments = 50;
constexpr unsigned kSeed = 6;

/// Large enough that most of a save is spent inside it.
Session lecture(const std::string& name) {
  Tensor x = randomTensor({1, 2048, 256}, 1, name, 1.0F);
  const TensorSource source{name, std::move(x), {}, {}, {}};
  return {fromSource(source, sized(256, 4, 2048)), "{}", {}, {}};
}

/// Both files of a session.
struct Saved {
  std::string json, tensors;

  bool operator==(const Saved&) const = default;
};

class KilledSave : public testing::Test {
 protected:
  fs::path path() const { return folder_ / "lecture.headscope.json"; }
  Saved saved() const {
    const std::string text = readAll(path());
    const std::string tensors = nlohmann::json::parse(text).at("tensors");
    return {text, readAll(folder_ / tensors)};
  }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_.path()), {}); }

  /// Starts a process that saves two sessions in turn until it is killed.
  pid_t saveWithoutEnd(const Session& first, const Session& second) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (true) {
      formats::saveSession(path(), first);
      formats::saveSession(path(), second);
    }
  }

  TempFolder folder_;
};

TEST_F(KilledSave, LeavesTheOldOrTheNewAtRandomMoments) {
  const Session a = lecture("a");
  const Session b = lecture("b");
  formats::saveSession(path(), a);
  const Saved savedA = saved();
  // in a process of its own, as those that are killed: there a save takes longer
  const auto start = std::chrono::steady_clock::now();
  const pid_t once = ::fork();
  if (once == 0) {
    formats::saveSession(path(), b);
    ::_exit(0);
  }
  ::waitpid(once, nullptr, 0);
  const auto one = std::chrono::nanoseconds(std::chrono::steady_clock::now() - start).count();
  const Saved savedB = saved();
  ASSERT_NE(savedA, savedB);

  std::mt19937_64 random(kSeed);
  int interrupted = 0;
  int old = 0;
  bool isA = false;  // what is on the disk
  // more, and later ones, where a busy machine let none of them be in the middle of a save
  for (int i = 0; i < kMoments || interrupted == 0 || old == 0 || old == i; ++i) {
    const long span = 2 * one * (1 + i / kMoments);
    const auto moment = static_cast<long>(random() % static_cast<std::uint64_t>(span));
    const pid_t child = isA ? saveWithoutEnd(b, a) : saveWithoutEnd(a, b);
    ASSERT_GT(child, 0);
    const timespec wait{moment / 1'000'000'000, moment % 1'000'000'000};
    ::nanosleep(&wait, nullptr);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    const Saved found = saved();
    ASSERT_TRUE(found == savedA || found == savedB) << "moment " << i << " of seed " << kSeed;
    const bool wasA = isA;
    isA = found == savedA;
    const Session& whole = isA ? a : b;
    const Session loaded = formats::loadSession(path(), kBudget);
    EXPECT_EQ(std::get<TensorSource>(*loaded.document->source).name,
              std::get<TensorSource>(*whole.document->source).name);
    old += isA == wasA ? 1 : 0;
    interrupted += files() > 2 ? 1 : 0;
  }
  RecordProperty("in_the_middle", interrupted);

  formats::saveSession(path(), a);
  EXPECT_EQ(saved(), savedA);
  EXPECT_EQ(files(), 2) << "what the killed ones have left goes with the next save";
}

}  // namespace
}  // namespace headscope::test
