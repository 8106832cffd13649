#include "bench/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <memory>
#include <string>

#include "app/host/offscreen.h"
#include "bench/documents.h"
#include "core/attention/ledger.h"
#include "core/attention/switches.h"
#include "core/base/memory_budget.h"
#include "core/document/trace.h"
#include "core/editing/edit.h"
#include "core/editing/history.h"
#include "core/platform/memory.h"

namespace headscope::bench {
namespace {

constexpr std::string_view kFlag = "--memory=";
constexpr int kWidth = 1600;
constexpr int kHeight = 1000;

/// The peak of this process's resident memory since its start.
Index peakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Index{1024} * usage.ru_maxrss;
}

}  // namespace

bool measureMemory(std::string_view argument) {
  if (!argument.starts_with(kFlag)) return false;
  long long d = 0;
  long long h = 0;
  long long t = 0;
  const std::string sizes(argument.substr(kFlag.size()));
  if (std::sscanf(sizes.c_str(), "%lld,%lld,%lld", &d, &h, &t) != 3) return false;

  platform::useOneHeap();  // as the program does
  const Index budget = 2 * defaultMemoryBudget();
  host::Offscreen offscreen(kWidth, kHeight);
  History history(documentOf(d, h, t), budget);
  history.apply(SetSwitch{&Switches::bias, false});
  history.undo();
  const Ledger cost = ledger(history.current()->config);
  AppOptions options;
  options.history = std::make_shared<const History>(std::move(history));
  options.view.preferences.animate = false;
  options.memoryBudget = budget;
  App app(std::move(options));
  offscreen.draw(app);
  const Index opened = peakBytes();
  // Every result is computed again while the previous ones are still on the screen.
  offscreen.input().press(app, ui::Key{'Y'}, true);
  offscreen.draw(app);
  fmt::print(
      R"({{"counted": {}, "counted_edited": {}, "steps": {}, "peak": {}, "peak_edited": {}}})"
      "\n",
      cost.residentBytes, cost.residentBytes + cost.resultBytes, app.trace()->stepsRun(), opened,
      peakBytes());
  return true;
}

}  // namespace headscope::bench
