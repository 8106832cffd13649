// The engine's thread: the newest document wins, and the thread can always be stopped.
#include "app/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/attention/config.h"
#include "core/document/document.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

/// A pass of several seconds, most of them within its first step.
DocumentPtr longDocument() {
  AttentionConfig c = sized(4096, 4, 2048);
  c.batch = 2;
  const Tensor weight = Tensor::zeros({c.dModel, c.dModel});
  const Tensor bias = Tensor::zeros({c.dModel});
  Document d;
  d.config = c;
  Input input;
  input.x = Tensor::zeros(shapeOf(TensorId::x, c));
  d.input = std::make_shared<const Input>(std::move(input));
  d.weights = {weight, weight, weight, weight, bias, bias, bias, bias};
  return std::make_shared<const Document>(std::move(d));
}

DocumentPtr shortDocument(std::uint64_t seed = 1) { return randomDocument(sized(24, 4, 6), seed); }

/// A document whose scores overflow.
DocumentPtr refusedDocument() {
  return changed(shortDocument(), [](Document& d) {
    d.weights.bQ = d.weights.bQ.clone();
    d.weights.bK = d.weights.bK.clone();
    std::fill_n(d.weights.bQ.mutableData(), d.weights.bQ.size(), 1e30F);
    std::fill_n(d.weights.bK.mutableData(), d.weights.bK.size(), 1e30F);
  });
}

/// Waits until the pass has run for a while.
void letItRun(const Worker& worker, double seconds = 0.1) {
  while (worker.progress().busy && worker.progress().seconds < seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(Worker, GivesTheTraceOnce) {
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 2);
  EXPECT_FALSE(worker.take());
  EXPECT_FALSE(worker.progress().busy);
  const DocumentPtr document = shortDocument();
  worker.request(document);
  worker.wait();
  EXPECT_FALSE(worker.progress().busy);
  const auto update = worker.take();
  ASSERT_TRUE(update && update->trace);
  EXPECT_EQ(update->error, "");
  EXPECT_EQ(update->trace->documentPtr(), document);
  expectSameBits(*update->trace, *runAttention(document, nullptr, {2, nullptr, nullptr}));
  EXPECT_FALSE(worker.take());
}

TEST(Worker, TakesOverFromTheTraceBefore) {
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 2);
  const DocumentPtr first = shortDocument();
  worker.request(first);
  worker.wait();
  worker.take();
  worker.request(changed(first, [](Document& d) {
    d.weights.wO = randomTensor(d.weights.wO.shape(), 9, "W_O", 0.1F);
  }));
  worker.wait();
  const auto update = worker.take();
  ASSERT_TRUE(update && update->trace);
  EXPECT_EQ(stepsThatRan(*update->trace), std::vector<std::string>{"output"});
}

TEST(Worker, TheNewestWinsAndOlderOnesAreDropped) {
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 2);
  worker.request(longDocument());
  letItRun(worker);
  ASSERT_TRUE(worker.progress().busy);
  DocumentPtr newest;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    newest = shortDocument(seed);
    worker.request(newest);
  }
  worker.wait();
  const auto update = worker.take();
  ASSERT_TRUE(update && update->trace);
  EXPECT_EQ(update->trace->documentPtr(), newest);
  EXPECT_FALSE(worker.take());
}

TEST(Worker, WakesAfterEachUpdateAndOnlyThen) {
  std::atomic<int> wakes{0};
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 2);
  worker.setWake([&] { ++wakes; });
  const auto woken = [&](int times) {
    while (wakes < times) std::this_thread::yield();
    return wakes.load();
  };
  worker.request(shortDocument());
  worker.wait();
  EXPECT_EQ(woken(1), 1);
  worker.request(refusedDocument());
  worker.wait();
  EXPECT_EQ(woken(2), 2);
  worker.request(longDocument());
  letItRun(worker);
  worker.request(shortDocument(2));  // the long pass is cancelled without an update
  worker.wait();
  EXPECT_EQ(woken(3), 3);
}

TEST(Worker, ARefusalIsReportedAndTheNextPassRuns) {
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 2);
  worker.request(refusedDocument());
  worker.wait();
  const auto refused = worker.take();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->trace, nullptr);
  EXPECT_NE(refused->error.find("raw_scores[0, 0, 0, 0]"), std::string::npos) << refused->error;
  worker.request(shortDocument());
  worker.wait();
  const auto good = worker.take();
  ASSERT_TRUE(good);
  EXPECT_NE(good->trace, nullptr);
}

TEST(Worker, ProgressOfALongPass) {
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 2);
  worker.request(longDocument());
  EXPECT_TRUE(worker.progress().busy);
  letItRun(worker, 0.05);
  const Worker::Progress early = worker.progress();
  EXPECT_TRUE(early.busy);
  EXPECT_GT(early.seconds, 0.0);
  EXPECT_LT(early.stepsDone, 9);
  worker.wait(0.05);  // not until it has ended
  const Worker::Progress later = worker.progress();
  EXPECT_TRUE(later.busy);
  EXPECT_GT(later.seconds, early.seconds);
  EXPECT_GE(later.stepsDone, early.stepsDone);
}

/// A pass that finished would have called the wake function.
TEST(Worker, EndsWithoutFinishingALongPass) {
  for (const double after : {0.0, 0.1, 0.4}) {
    std::atomic<int> wakes{0};
    Scheduler scheduler;
    auto worker = std::make_unique<Worker>(scheduler, Priority::edit, 2);
    worker->setWake([&] { ++wakes; });
    worker->request(longDocument());
    letItRun(*worker, after);
    EXPECT_TRUE(worker->progress().busy);
    worker.reset();
    EXPECT_EQ(wakes, 0);
  }
}

/// The engine's tests AfterACancelNoPieceIsBegun and ThePiecesOfALongPassAreSmall check that the
/// new pass gets the thread soon.
TEST(Worker, TheNextEditTakesThePlaceOfAPassWhereverThatIs) {
  const DocumentPtr document = randomDocument(sized(256, 16, 1536), 1);
  for (const int steps : {0, 2, 4, 6, 8}) {
    std::atomic<int> wakes{0};
    Scheduler scheduler;
    Worker worker(scheduler, Priority::edit, 2);
    worker.setWake([&] { ++wakes; });
    worker.request(document);
    while (worker.progress().busy && worker.progress().stepsDone < steps) std::this_thread::yield();
    const DocumentPtr next = shortDocument();
    worker.request(next);
    worker.wait();
    const auto update = worker.take();
    ASSERT_TRUE(update && update->trace);
    EXPECT_EQ(update->trace->documentPtr(), next);
    EXPECT_FALSE(worker.take());
    // one that was cancelled leaves nothing to go on from
    if (wakes < 2) {
      EXPECT_EQ(stepsThatRan(*update->trace).size(), update->trace->steps.size());
    }
  }
}

TEST(Worker, AnEditGivesWhatAWholePassGives) {
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 2);
  DocumentPtr document = randomDocument(sized(256, 8, 128), 1);
  for (const TensorId operand : {TensorId::wQ, TensorId::x, TensorId::wO}) {
    worker.request(document);
    worker.wait();
    ASSERT_TRUE(worker.take());
    const Index item = operand == TensorId::x ? 0 : -1;
    document = edited(document, SetCell{{operand, item, -1, 5, 7}, 0.5F});
    worker.request(document);
    worker.wait();
    const auto update = worker.take();
    ASSERT_TRUE(update && update->trace);
    expectSameBits(*update->trace, *runAttention(document));
  }
}

TEST(Worker, KeepsMemoryForTheNextPassAndGivesItBackAtRest) {
  Scheduler scheduler;
  Worker worker(scheduler, Priority::edit, 1, 0.05);
  const auto pass = [&](std::uint64_t seed) {
    worker.request(shortDocument(seed));
    worker.wait();
    return worker.take()->trace;
  };
  for (int turn = 0; turn < 2; ++turn) {
    pass(1);
    pass(2);  // the first results are no longer in use
    while (worker.keptBytes() > 0) std::this_thread::yield();  // otherwise this test would not end
  }
  Worker busy(scheduler, Priority::edit, 1, 1e6);
  for (const std::uint64_t seed : {1, 2}) {
    busy.request(shortDocument(seed));
    busy.wait();
    busy.take();
  }
  EXPECT_GT(busy.keptBytes(), 0);
}

TEST(Worker, EndsWithoutEverHavingRun) {
  for (int i = 0; i < 50; ++i) {
    Scheduler scheduler;
    const Worker worker(scheduler, Priority::edit, 1);
  }
}

}  // namespace
}  // namespace headscope::test
