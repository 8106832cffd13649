// What each edit is called in the undo list.
#include <fmt/format.h>

#include "core/edit.h"

namespace headscope {
namespace {

const char* onOff(bool on) { return on ? "on" : "off"; }

struct FillNamer {
  TensorId tensor;

  std::string operator()(const FillZero&) const { return " = 0"; }
  std::string operator()(const FillIdentity&) const { return " = identity"; }
  std::string operator()(const FillScaled& f) const { return fmt::format(" × {:g}", f.factor); }
  std::string operator()(const FillDrawn& f) const {
    const std::string_view how = info(tensor).perItem ? "normal, variance 1" : toString(f.init);
    return fmt::format(" drawn: {}, seed {}", how, f.seed);
  }
  std::string operator()(const FillValues&) const { return " pasted"; }
};

struct Namer {
  const Document& before;

  std::string operator()(const SetDimensions& e) const {
    if (e.dModel != before.config.dModel) return fmt::format("d_model = {}", e.dModel);
    if (e.numHeads != before.config.numHeads) return fmt::format("heads = {}", e.numHeads);
    if (e.headDim != before.config.headDim) {
      return e.headDim > 0 ? fmt::format("d_k = {}", e.headDim) : "d_k = d_model / heads";
    }
    return fmt::format("key/value heads = {}", e.numKvHeads);
  }
  std::string operator()(const SetTokens& e) const { return fmt::format("tokens = {}", e.seqLen); }
  std::string operator()(const SetBatch& e) const { return fmt::format("batch = {}", e.batch); }
  std::string operator()(const SetBias& e) const { return fmt::format("bias {}", onOff(e.on)); }
  std::string operator()(const SetScale& e) const { return fmt::format("÷√d_k {}", onOff(e.on)); }
  std::string operator()(const SetTemperature& e) const {
    return fmt::format("temperature = {:g}", e.value);
  }
  std::string operator()(const SetMask& e) const {
    if (!e.name.empty()) return e.name;
    if (e.mask.causal != before.config.mask.causal) {
      return fmt::format("causal {}", onOff(e.mask.causal));
    }
    if (e.mask.window != before.config.mask.window) {
      return e.mask.window > 0 ? fmt::format("window = {}", e.mask.window) : "window off";
    }
    return "mask";
  }
  std::string operator()(const SetPositions& e) const {
    switch (e.positions) {
      case Positions::named:
        return "positions on";
      case Positions::sinusoidal:
        return "sinusoidal positions";
      case Positions::none:
        break;
    }
    return "positions off";
  }
  std::string operator()(const SetText& e) const { return e.memory ? "memory text" : "text"; }
  std::string operator()(const MoveToken& e) const {
    const auto& tokens = e.memory ? before.input->memoryTokens : before.input->tokens;
    return fmt::format("move '{}'",
                       tokens[static_cast<std::size_t>(e.item)][static_cast<std::size_t>(e.from)]);
  }
  std::string operator()(const SetInput&) const { return "input"; }
  std::string operator()(const DrawWeights& e) const {
    return fmt::format("weights {}, seed {}", toString(e.init), e.seed);
  }
  std::string operator()(const SetWeights& e) const { return "weights of " + e.name; }
  std::string operator()(const SetHeadGain& e) const {
    return fmt::format("head {} × {:g}", e.head + 1, e.gain);
  }
  std::string operator()(const SetCell& e) const {
    return fmt::format("{} = {:g}", toString(e.cell), e.value);
  }
  std::string operator()(const FillRegion& e) const {
    return nameOf(e.region, before.config) + std::visit(FillNamer{e.region.tensor}, e.fill);
  }
  std::string operator()(const CopyHead& e) const {
    return fmt::format("{} head {} = head {}", info(e.tensor).name, e.to + 1, e.from + 1);
  }
  std::string operator()(const TieKeysToQueries&) const { return "W_K = W_Q"; }
  std::string operator()(const SetPin& e) const { return "pin " + toString(e.pin); }
  std::string operator()(const RemovePin& e) const { return "unpin " + toString(e.cell); }
  std::string operator()(const RemoveAllPins& e) const {
    if (!e.of) return "unpin all";
    return fmt::format("unpin all of {}, head {}", info(e.of->tensor).name, e.of->head + 1);
  }
  std::string operator()(const SetMistake& e) const {
    return fmt::format("mistake '{}' {}", textOf(e.mistake).title, onOff(e.on));
  }
  std::string operator()(const SetDropout& e) const {
    return e.dropout.on() ? fmt::format("dropout = {:g}, seed {}", e.dropout.rate, e.dropout.seed)
                          : "dropout off";
  }
  std::string operator()(const Open& e) const { return e.name.empty() ? "open" : e.name; }
};

}  // namespace

std::string nameOf(const Edit& edit, const Document& before) {
  return std::visit(Namer{before}, edit);
}

}  // namespace headscope
