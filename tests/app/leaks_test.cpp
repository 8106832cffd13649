// Nothing leaks: a day of edits and of preset changes, and what the process holds after it.
#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/one_heap.h"
#include "app_driver.h"

namespace headscope::ui {
namespace {

constexpr Index kMegabyte = Index{1} << 20;
constexpr Index kHistory = 8 * kMegabyte;  // full long before the first half is over

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasured = false;  // sanitizers keep what was freed; ASan's looks for leaks itself
constexpr int kPart = 20;          // of the edits
#else
constexpr bool kMeasured = true;
constexpr int kPart = 1;
#endif

/// Of this process, now.
Index residentBytes() {
  Index pages = 0;
  Index resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

class Leaks : public testing::Test {
 protected:
  Leaks() : host_(800, 500) {
    useOneHeap();  // as the program does
    AppOptions options;
    options.history =
        std::make_shared<const History>(presetDocument("by-hand"), kTestBudget, kHistory);
    options.memoryBudget = kTestBudget;
    options.threads = 1;
    app_ = std::make_unique<App>(std::move(options));
    settle();
  }

  void settle() {
    for (int i = 0; i < 3; ++i) {
      app_->finish();
      host_.frame(*app_);
    }
  }

  /// Twice so many edits; what the process holds after the first half and at the end.
  template <typename Make>
  void expectFlat(int half, Make edit) {
    const Index start = residentBytes();
    Index middle = 0;
    for (int i = 0; i < 2 * half; ++i) {
      app_->apply(edit(i));
      host_.frame(*app_);
      if (i % 50 == 49) settle();
      ASSERT_NE(app_->trace(), nullptr);
      if (i + 1 == half) middle = residentBytes();
    }
    settle();
    ASSERT_EQ(app_->trace()->documentPtr(), app_->document());
    const Index end = residentBytes();
    RecordProperty("first_half_bytes", std::to_string(middle - start));
    RecordProperty("second_half_bytes", std::to_string(end - middle));
    if (!kMeasured) return;
    EXPECT_LT(middle - start, kHistory + kHeld);
    EXPECT_LT(end - middle, kFlat);
  }

  static constexpr Index kHeld = 32 * kMegabyte;  // beside the history: results, caches
  static constexpr Index kFlat = 2 * kMegabyte;   // of 5,000 edits: 400 bytes each

  host::Headless host_;
  std::unique_ptr<App> app_;
};

TEST_F(Leaks, TenThousandEdits) {
  expectFlat(5'000 / kPart, [](int i) -> Edit {
    if (i % 10 == 7) return SetTemperature{1.0 + 0.001 * i};
    if (i % 10 == 9) return SetPin{{{TensorId::rawScores, 0, i % 2, i % 3, 1}, 0.5F * i}};
    return SetCell{{TensorId::wQ, -1, -1, i % 8, i / 8 % 8}, 0.001F * i};
  });
}

TEST_F(Leaks, AThousandPresets) {
  const std::vector<std::string_view> names{"by-hand", "amnl", "alphafold2-evoformer", "rul"};
  expectFlat(500 / kPart, [&](int i) -> Edit {
    const std::string_view name = names[static_cast<std::size_t>(i) % names.size()];
    return Open{presetDocument(name), std::string(name)};
  });
}

}  // namespace
}  // namespace headscope::ui
