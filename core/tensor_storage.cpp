#include "core/tensor_storage.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace headscope {
namespace {

constexpr std::align_val_t kLine{64};
/// Blocks from here on are mapped each by itself: among the small ones that the history keeps, they
/// would leave holes in the heap that no next one fits into (from 2 MB on, a thousand presets left
/// 30 to 45 MB of them, and never as many).
constexpr std::size_t kMapped = std::size_t{1} << 20;
/// From here on in pages of 2 MB: filling 100 MB then waits for 50 page faults instead of 25,000.
constexpr std::size_t kManyPages = std::size_t{2} << 20;

std::size_t bytesOf(Index count) { return static_cast<std::size_t>(count) * sizeof(float); }

bool mapped(std::size_t bytes) {
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
  return bytes >= kMapped;
#else
  return bytes > std::numeric_limits<std::size_t>::max() / 2;  // the sanitizer watches the heap's
#endif
}

float* allocate(Index count) {
  if (count > std::numeric_limits<Index>::max() / 8) throw std::bad_alloc();
  const std::size_t bytes = bytesOf(count);
  if (!mapped(bytes)) return static_cast<float*>(::operator new[](bytes, kLine));
#ifdef __linux__
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  if (bytes >= kManyPages) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; refused is fine
  return static_cast<float*>(memory);
#else
  throw std::bad_alloc();
#endif
}

void release(float* memory, Index count) {
  const std::size_t bytes = bytesOf(count);
  if (!mapped(bytes)) return ::operator delete[](memory, kLine);
#ifdef __linux__
  ::munmap(memory, bytes);
#endif
}

}  // namespace

class TensorStorage::Lineage {
 public:
  explicit Lineage(Index count) : count_(count) {}
  ~Lineage() {
    if (spare_) release(spare_->data, count_);
  }
  Lineage(const Lineage&) = delete;
  Lineage& operator=(const Lineage&) = delete;

  struct Memory {
    float* data;
    std::uint64_t version;  // it holds
  };
  struct Begun {
    float* data;
    std::uint64_t version;
    Change stale;
  };

  Begun begin(std::uint64_t parent, const Change& change) {
    const std::lock_guard lock(mutex_);
    Begun begun{nullptr, 0, Change::all()};
    if (spare_) {
      begun.data = spare_->data;
      begun.stale = between(spare_->version, parent);
      spare_.reset();
    } else {
      begun.data = allocate(count_);
    }
    begun.version = ++newest_;
    steps_.push_back({begun.version, parent, change});
    if (steps_.size() > kMostSteps) steps_.pop_front();
    return begun;
  }

  void end(float* data, std::uint64_t version, bool last) {
    std::optional<Memory> left = Memory{data, version};
    {
      const std::lock_guard lock(mutex_);
      if (!last && (!spare_ || spare_->version < version)) std::swap(left, spare_);
    }
    if (left) release(left->data, count_);
  }

  Change since(std::uint64_t a, std::uint64_t b) const {
    const std::lock_guard lock(mutex_);
    return between(a, b);
  }

 private:
  static constexpr std::size_t kMostSteps = 256;

  struct Step {
    std::uint64_t version;
    std::uint64_t parent;  // older, so smaller
    Change change;
  };

  /// Along the way from either to the version they both come from.
  Change between(std::uint64_t a, std::uint64_t b) const {
    Change sum;
    while (a != b && !sum.isAll()) {
      std::uint64_t& younger = a > b ? a : b;
      const auto step = std::lower_bound(
          steps_.begin(), steps_.end(), younger,
          [](const Step& s, std::uint64_t version) { return s.version < version; });
      if (step == steps_.end() || step->version != younger) return Change::all();
      sum.add(step->change);
      younger = step->parent;
    }
    return sum;
  }

  const Index count_;
  mutable std::mutex mutex_;
  std::optional<Memory> spare_;
  std::deque<Step> steps_;  // by version
  std::uint64_t newest_ = 0;
};

TensorStorage::TensorStorage(Index count)
    : lineage_(std::make_shared<Lineage>(count)),
      data_(allocate(count)),
      count_(count),
      version_(0) {}

TensorStorage::TensorStorage(std::shared_ptr<Lineage> lineage, float* data, Index count,
                             std::uint64_t version)
    : lineage_(std::move(lineage)), data_(data), count_(count), version_(version) {}

TensorStorage::~TensorStorage() { lineage_->end(data_, version_, lineage_.use_count() == 1); }

TensorStorage::Next TensorStorage::next(const Change& change) const {
  Lineage::Begun begun = lineage_->begin(version_, change);
  struct Made : TensorStorage {
    Made(std::shared_ptr<Lineage> lineage, const Lineage::Begun& begun, Index count)
        : TensorStorage(std::move(lineage), begun.data, count, begun.version) {}
  };
  return {std::make_shared<Made>(lineage_, begun, count_), std::move(begun.stale)};
}

Change TensorStorage::since(const TensorStorage& other) const {
  if (lineage_ != other.lineage_) return Change::all();
  return lineage_->since(version_, other.version_);
}

}  // namespace headscope
