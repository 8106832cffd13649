#include "edits.h"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "core/attention/switches.h"
#include "core/presets/presets.h"
#include "extremes.h"
#include "starts.h"

namespace headscope::monkey {
namespace {

class Maker {
 public:
  Maker(Random& random, const DocumentPtr& document)
      : random_(random), document_(document), config_(document->config) {}

  Edit edit() {
    switch (random_.below(27)) {
      case 0:
        return dimensions();
      case 1:
        return SetTokens{anyCount(random_)};
      case 2:
        return SetBatch{random_.oneIn(4) ? anyCount(random_) : 1};
      case 3:
      case 4:
      case 5:
      case 6: {
        const Switch& which = random_.of(allSwitches());
        return setSwitch(which, which.isFlag() ? (flip() ? 1.0 : 0.0) : anyDouble(random_));
      }
      case 7:
      case 8:
        return SetMask{mask()};
      case 9:
        return SetPositions{
            random_.of(std::array{Positions::named, Positions::sinusoidal, Positions::none})};
      case 10:
        return SetText{place(config_.batch), random_.oneIn(5), anyText(random_)};
      case 11:
        return MoveToken{place(config_.batch), random_.oneIn(5), place(config_.seqLen),
                         place(config_.seqLen)};
      case 12:
        return DrawWeights{init(), random_.below(1000)};
      case 13:
      case 14:
        return SetHeadGain{place(config_.numHeads), gain()};
      case 15:
      case 16:
      case 17:
        return SetCell{cell(), anyFloat(random_)};
      case 18:
        return FillRegion{region(), fill()};
      case 19:
        return CopyHead{tensor(), place(config_.numHeads), place(config_.numHeads)};
      case 20:
        return TieKeysToQueries{};
      case 21:
      case 22:
        return SetPin{{cell(), anyFloat(random_)}};
      case 23:
        return pinGoes();
      case 24:
        return SetMistake{random_.of(allMistakes()).mistake, flip()};
      case 25:
        return SetPairBias{pairBias()};
      default:
        return random_.oneIn(3) ? Edit(opened()) : Edit(dropout());
    }
  }

 private:
  bool flip() { return random_.oneIn(2); }
  /// An index, now and then one past either end.
  Index place(Index extent) {
    if (random_.oneIn(25)) return random_.oneIn(2) ? -1 : extent;
    return static_cast<Index>(random_.below(static_cast<std::size_t>(extent)));
  }
  float gain() { return random_.oneIn(3) ? anyFloat(random_) : (flip() ? 0.0F : 1.0F); }
  WeightInit init() {
    return random_.of(std::array{WeightInit::xavier, WeightInit::normal, WeightInit::identity,
                                 WeightInit::designed, WeightInit::learned});
  }
  TensorId tensor() { return static_cast<TensorId>(random_.below(kEveryTensorCount)); }

  SetDimensions dimensions() {
    const Index heads = anyCount(random_);
    if (random_.oneIn(5)) return {anyCount(random_), heads, anyCount(random_)};
    const Index kvHeads = random_.oneIn(4) ? 1 : heads;
    if (random_.oneIn(4)) {  // a width of its own, which d_model need not be a multiple of
      const Index headDim = flip() ? anyCount(random_) : 1 + static_cast<Index>(random_.below(16));
      return {anyCount(random_), heads, kvHeads, headDim};
    }
    return {heads < 1000 ? heads * static_cast<Index>(1 + random_.below(8)) : heads, heads,
            kvHeads};
  }

  Mask mask() {
    Mask mask = config_.mask;
    if (random_.oneIn(8)) return {};
    if (flip()) mask.causal = !mask.causal;
    if (random_.oneIn(3)) mask.window = random_.oneIn(2) ? 0 : anyCount(random_);
    if (random_.oneIn(3)) {
      mask.lengths.assign(static_cast<std::size_t>(config_.batch), 0);
      for (Index& length : mask.lengths) length = place(config_.keys() + 1);
    }
    if (random_.oneIn(3)) mask.painted = painted();
    return mask;
  }

  PairBias pairBias() {
    if (random_.oneIn(4)) return {};
    const Index keys = config_.keys() + (random_.oneIn(12) ? 1 : 0);
    return PairBias::drawn(config_.numHeads, config_.seqLen, keys, random_.below(100));
  }

  std::shared_ptr<const PaintedMask> painted() {
    PaintedMask painted{config_.seqLen, config_.keys() + (random_.oneIn(12) ? 1 : 0), {}};
    const bool none = random_.oneIn(4);
    for (Index i = 0; i < painted.queries * painted.keys; ++i) {
      painted.allowed.push_back(none ? 0 : static_cast<std::uint8_t>(random_.below(2)));
    }
    return std::make_shared<const PaintedMask>(std::move(painted));
  }

  CellRef cell() {
    const TensorId id = tensor();
    const Shape shape = shapeOf(id, config_);
    CellRef cell{id};
    if (info(id).perItem) cell.item = place(config_.batch);
    if (info(id).perHead)
      cell.head = place(info(id).kvHeads ? config_.numKvHeads : config_.numHeads);
    cell.col = shape.empty() ? 0 : place(shape.back());
    if (shape.size() >= 2) cell.row = place(shape[shape.size() - 2]);
    return cell;
  }

  Region region() {
    const CellRef at = cell();
    const Index head = info(at.tensor).perItem ? -1 : at.head;
    const Index rows = random_.oneIn(4) ? anyCount(random_) : 1;
    return {at.tensor, at.item, at.row, rows, at.col, 1, head};
  }

  Fill fill() {
    switch (random_.below(5)) {
      case 0:
        return FillZero{};
      case 1:
        return FillIdentity{};
      case 2:
        return FillScaled{anyDouble(random_)};
      case 3:
        return FillDrawn{init(), random_.below(100)};
      default:
        return FillValues{Tensor::fromValues({1, 1}, std::array{anyFloat(random_)})};
    }
  }

  Edit pinGoes() {
    const auto& pins = document_->pins.all();
    if (pins.empty() || random_.oneIn(5)) return RemovePin{cell()};
    if (random_.oneIn(3)) return RemoveAllPins{};
    const CellRef pinned = random_.of(pins).cell;
    return flip() ? Edit(RemovePin{pinned}) : Edit(RemoveAllPins{pinned});
  }

  SetDropout dropout() {
    return {{random_.oneIn(3) ? anyDouble(random_) : 0.25, random_.below(9)}};
  }
  Open opened() { return {anyStart(random_), "another document"}; }

  Random& random_;
  const DocumentPtr& document_;
  const AttentionConfig& config_;
};

}  // namespace

Edit anyEdit(Random& random, const DocumentPtr& document) { return Maker(random, document).edit(); }

}  // namespace headscope::monkey
