// pass_count D H T: one warm pass on one thread inside counted_pass, whose instructions count.py
// counts. Without arguments: what the counts depend on.
#include <dnnl.h>

#include <cstdlib>
#include <iostream>

#include "core/base/memory_budget.h"
#include "core/document/attention.h"
#include "core/tensor/gemm.h"
#include "tests/core/support/document_of_size.h"

using namespace headscope;

namespace {

DocumentPtr documentOf(Index dModel, Index heads, Index tokens) {
  return test::documentOfSize(dModel, heads, tokens, defaultMemoryBudget());
}

}  // namespace

/// By this name it is found among the program's functions.
extern "C" [[gnu::noinline]] void counted_pass(const DocumentPtr& document, TracePtr& trace,
                                               const ExecutionContext& execution) {
  trace = runAttention(document, trace, execution);
}

int main(int argc, char** argv) {
  if (argc != 4) {
    const dnnl_version_t* dnnl = dnnl_version();
    std::cout << "g++ " << __GNUC__ << ", oneDNN " << dnnl->major << '.' << dnnl->minor << '\n';
    return 0;
  }
  prepareGemm();
  ExecutionContext execution;
  execution.threads = 1;
  execution.memory = std::make_shared<BlockStore>();
  const DocumentPtr document =
      documentOf(std::atoi(argv[1]), std::atoi(argv[2]), std::atoi(argv[3]));
  const DocumentPtr next = test::withNewInput(document);
  TracePtr trace = runAttention(document, nullptr, execution);
  trace = runAttention(next, trace, execution);
  trace = runAttention(document, trace, execution);  // from here on in memory there is
  counted_pass(next, trace, execution);
  return 0;
}
