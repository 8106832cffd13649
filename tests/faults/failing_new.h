// Failing new: an operator new for this program that can be made to run out of memory.
#pragma once

namespace headscope {

/// While it lives, the n-th allocation from now (1: the next) throws, once: std::bad_alloc, or a
/// std::runtime_error in place of a defect of the program.
class FailingNew {
 public:
  enum class Where { thisThread, otherThreads };
  enum class Fault { memory, defect };

  FailingNew(Where where, long n, Fault fault = Fault::memory);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;

  /// The number of allocations on the chosen threads since it was made.
  static long count();
};

}  // namespace headscope
