#include "core/formats/cell_changes.h"

#include <bit>
#include <cstdint>

namespace headscope::formats {

std::vector<CellChange> changedCells(const Tensor& tensor, const Tensor& base, Index most) {
  std::vector<CellChange> cells;
  if (tensor.sameAs(base)) return cells;
  const Tensor now = tensor.contiguous() ? tensor : tensor.clone();
  const Tensor before = base.contiguous() ? base : base.clone();
  for (Index i = 0; i < now.size() && std::ssize(cells) <= most; ++i) {
    if (std::bit_cast<std::uint32_t>(now.data()[i]) !=
        std::bit_cast<std::uint32_t>(before.data()[i])) {
      cells.push_back({i, now.data()[i]});
    }
  }
  return cells;
}

Tensor withCells(const Tensor& base, const std::vector<CellChange>& cells) {
  Tensor tensor = base.clone();
  for (const CellChange& cell : cells) tensor.mutableData()[cell.place] = cell.value;
  return tensor;
}

Json cellsJson(const std::vector<CellChange>& cells) {
  Json list = Json::emptyList();
  for (const CellChange& cell : cells) {
    Json pair = Json::emptyList();
    pair.push_back(cell.place);
    pair.push_back(cell.value);
    list.push_back(std::move(pair));
  }
  return list;
}

std::vector<CellChange> cellsFrom(const JsonField& field, Index cells) {
  std::vector<CellChange> changes;
  for (const JsonField& cell : field.items()) {
    const auto parts = cell.items();
    if (parts.size() != 2) cell.fail("must be a place and a value");
    const Index place = parts[0].whole();
    if (place < 0 || place >= cells) parts[0].fail("is no place of the tensor");
    changes.push_back({place, parts[1].float32()});
  }
  return changes;
}

}  // namespace headscope::formats
