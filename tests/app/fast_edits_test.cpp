// Thousands of edits that arrive faster than they can be computed: each intermediate trace belongs
// to its document, and the last one is right.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/worker.h"
#include "core/attention/config.h"
#include "core/document/document.h"
#include "core/editing/history.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

/// An edit chosen by its number: of a cell, a pin, a mask, a head or a mistake.
Edit editNumber(int n, const Document& document) {
  const AttentionConfig& c = document.config;
  const auto at = [n](Index count, int step) { return static_cast<Index>(n * step) % count; };
  const float value = std::sin(static_cast<float>(n));
  const Index row = at(c.dModel, 7);
  const Index col = at(c.dModel, 13);
  switch (n % 8) {
    case 0:
      return SetCell{{TensorId::x, 0, -1, at(c.seqLen, 5), col}, value};
    case 1:
      return SetCell{{TensorId::wQ, -1, -1, row, col}, value};
    case 2:
      return SetCell{{TensorId::wV, -1, -1, row, col}, value};
    case 3:
      return SetCell{{TensorId::wO, -1, -1, row, col}, value};
    case 4:
      return SetHeadGain{at(c.numHeads, 3), value};
    case 5: {
      Mask mask = c.mask;
      mask.window = 1 + at(c.seqLen, 11);
      return SetMask{mask};
    }
    case 6:
      return SetPin{
          {{TensorId::weights, 0, at(c.numHeads, 3), at(c.seqLen, 5), at(c.seqLen, 3)}, value}};
    default:
      return SetMistake{Mistake::softmaxOverQueries, n % 16 == 7};
  }
}

void editFasterThanItComputes(const AttentionConfig& config, int edits) {
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 3);
  DocumentPtr document = randomDocument(config);
  std::vector<TracePtr> taken;
  for (int n = 0; n < edits; ++n) {
    document = edited(document, editNumber(n, *document));
    worker.request(document);
    if (auto update = worker.take()) {
      ASSERT_TRUE(update->trace) << update->error;
      taken.push_back(std::move(update->trace));
      if (taken.size() > 8) taken.erase(taken.begin());  // older traces are freed while a pass runs
    }
    if (n % 100 == 0) std::this_thread::yield();
  }
  worker.wait();
  if (auto update = worker.take()) taken.push_back(update->trace);
  ASSERT_FALSE(taken.empty());
  ASSERT_EQ(taken.back()->documentPtr(), document);
  expectSameBits(*taken.back(), *runAttention(document));
  for (const TracePtr& trace : taken) {  // no pass has written into these traces
    const TracePtr whole = runAttention(trace->documentPtr());
    for (const TensorId id : {TensorId::weights, TensorId::output}) {
      expectClose(trace->tensor(id), whole->tensor(id).values(), std::string(info(id).name));
    }
  }
}

TEST(FastEdits, OfASmallShape) { editFasterThanItComputes(sized(24, 4, 6), 4000); }
TEST(FastEdits, OfAMediumShape) { editFasterThanItComputes(sized(128, 8, 96), 2000); }
TEST(FastEdits, OfAShapeThatIsPatched) { editFasterThanItComputes(sized(256, 8, 256), 1000); }

/// Undo and redo walk through documents while the engine reads them.
TEST(FastEdits, UndoneAndRedoneWhileTheyAreComputed) {
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 2);
  const DocumentPtr first = randomDocument(sized(128, 8, 96));
  History history(first, kBudget);
  for (int n = 0; n < 400; ++n) {
    history.apply(editNumber(n, *history.current()));
    worker.request(history.current());
    if (n % 5 == 0) {
      history.undo();
      worker.request(history.current());
    }
    if (n % 7 == 0 && history.canRedo()) {
      history.redo();
      worker.request(history.current());
    }
  }
  while (history.canUndo()) {
    history.undo();
    worker.request(history.current());
  }
  worker.wait();
  const auto update = worker.take();
  ASSERT_TRUE(update && update->trace);
  EXPECT_EQ(update->trace->documentPtr(), history.current());
  expectSameBits(*update->trace, *runAttention(first));
}

}  // namespace
}  // namespace headscope::test
