// TensorStorage: the memory of one version of a tensor. Versions of one lineage know what they
// differ in, and the newest that nobody holds any more leaves its memory to the next.
//
// So an edit of one cell of a large tensor moves that cell and the one before, not the tensor; and
// repeated passes ask for no large memory.
#pragma once

#include <cstdint>
#include <memory>

#include "core/change.h"

namespace headscope {

class TensorStorage {
 public:
  /// Memory for `count` floats, 64-byte aligned; contents are undefined.
  explicit TensorStorage(Index count);
  /// Safe on any thread.
  ~TensorStorage();
  TensorStorage(const TensorStorage&) = delete;
  TensorStorage& operator=(const TensorStorage&) = delete;

  float* data() const { return data_; }
  Index count() const { return count_; }

  struct Next {
    std::shared_ptr<TensorStorage> storage;
    Change stale;  // what its memory holds otherwise than this version does
  };
  /// Memory for the version that differs from this one in `change`. Boxes of all versions are to be
  /// of one shape.
  Next next(const Change& change) const;

  /// What may differ from another version; all for one of another lineage.
  Change since(const TensorStorage& other) const;

 private:
  class Lineage;
  TensorStorage(std::shared_ptr<Lineage> lineage, float* data, Index count, std::uint64_t version);

  std::shared_ptr<Lineage> lineage_;
  float* data_;
  Index count_;
  std::uint64_t version_;
};

}  // namespace headscope
