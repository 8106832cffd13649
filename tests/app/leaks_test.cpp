// Leaks: the memory of the process is the same after a day of edits and of preset changes.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"
#include "core/platform/memory.h"
#include "tests/core/support/sanitized.h"

namespace headscope::ui {
namespace {

constexpr Index kMegabyte = Index{1} << 20;
constexpr Index kHistory = 8 * kMegabyte;  // full well within the first quarter

// sanitizers keep what was freed; AddressSanitizer looks for leaks itself
const bool kMeasured = !test::kSanitized;
const int kPart = test::kSanitized ? 20 : 1;  // edits

/// The resident memory of this process now, in bytes.
Index residentBytes() {
  Index pages = 0;
  Index resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

class Leaks : public testing::Test {
 protected:
  Leaks() : host_(800, 500) {
    platform::useOneHeap();  // as the program does
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

  /// Applies this number of edits and records the resident memory after every 25. It varies with
  /// the view, but a leak raises its lowest value, which must rise by less than `flat` in the
  /// second half.
  template <typename Make>
  void expectFlat(int edits, Index flat, Make edit) {
    const Index start = residentBytes();
    std::vector<Index> held;
    for (int i = 0; i < edits; ++i) {
      app_->apply(edit(i));
      host_.frame(*app_);
      ASSERT_NE(app_->trace(), nullptr);
      if (i % 25 != 24) continue;
      settle();
      held.push_back(residentBytes() - start);
    }
    ASSERT_EQ(app_->trace()->documentPtr(), app_->document());
    if (!kMeasured) return;
    const auto lowestOfQuarter = [&held](int quarter) {
      const auto count = static_cast<std::ptrdiff_t>(held.size()) / 4;
      return *std::min_element(held.begin() + quarter * count,
                               held.begin() + (quarter + 1) * count);
    };
    const Index middle = lowestOfQuarter(1);
    const Index end = lowestOfQuarter(3);
    RecordProperty("held_bytes", std::to_string(middle));
    RecordProperty("more_bytes", std::to_string(end - middle));
    EXPECT_LT(middle, kHistory + kHeld);
    EXPECT_LT(end - middle, flat);
  }

  static constexpr Index kHeld = 32 * kMegabyte;  // besides the history: results, caches

  host::Headless host_;
  std::unique_ptr<App> app_;
};

TEST_F(Leaks, TenThousandEdits) {
  expectFlat(10'000 / kPart, 2 * kMegabyte, [](int i) -> Edit {
    if (i % 10 == 7) return SetSwitch{&Switches::temperature, 1.0 + 0.001 * i};
    if (i % 10 == 9) return SetPin{{{TensorId::rawScores, 0, i % 2, i % 3, 1}, 0.5F * i}};
    return SetCell{{TensorId::wQ, -1, -1, i % 8, i / 8 % 8}, 0.001F * i};
  });
}

TEST_F(Leaks, AThousandPresets) {
  const std::vector<std::string_view> names{"by-hand", "amnl", "alphafold2-evoformer", "rul"};
  // where documents of megabytes come and go, the lowest varies by half of this
  expectFlat(1'000 / kPart, 8 * kMegabyte, [&](int i) -> Edit {
    const std::string_view name = names[static_cast<std::size_t>(i) % names.size()];
    return Open{presetDocument(name), std::string(name)};
  });
}

}  // namespace
}  // namespace headscope::ui
