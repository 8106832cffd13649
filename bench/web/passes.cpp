// Passes as a browser computes them, on one thread: best time of a repeated pass, and of the first.
// Node runs it (bench/README.md); headscope_peer gives the native times next to it.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/execution.h"
#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "tests/core/support/document_of_size.h"

int main() {
  using namespace headscope;
  struct Size {
    Index dModel, heads, tokens;
  };
  for (const Size& size :
       {Size{512, 8, 6}, {256, 8, 30}, {512, 8, 30}, {768, 12, 128}, {768, 12, 1024}}) {
    DocumentPtr document =
        test::documentOfSize(size.dModel, size.heads, size.tokens, defaultMemoryBudget());
    DocumentPtr other = test::withNewInput(document);
    ExecutionContext execution;
    execution.threads = 1;
    execution.memory = std::make_shared<BlockStore>();
    TracePtr last = runAttention(document, nullptr, execution);
    const double first = last->ms;
    double best = std::numeric_limits<double>::infinity();
    const double start = clockSeconds();
    for (int runs = 0; runs < 3 || clockSeconds() - start < 1.0; ++runs) {
      std::swap(document, other);
      last = runAttention(document, last, execution);
      best = std::min(best, last->ms);
    }
    std::printf("%lld, %lld, %lld: %.3f ms, the first %.3f\n", static_cast<long long>(size.dModel),
                static_cast<long long>(size.heads), static_cast<long long>(size.tokens), best,
                first);
  }
}
