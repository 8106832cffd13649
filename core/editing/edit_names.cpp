// The names of edits in the undo list.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/editing/edit.h"
#include "core/input/series.h"

namespace headscope {
namespace {

const char* onOff(bool on) { return on ? "on" : "off"; }

/// "heads 8 → 16"
template <typename Number>
std::string changed(const char* what, Number from, Number to) {
  return fmt::format("{} {:g} → {:g}", what, static_cast<double>(from), static_cast<double>(to));
}

/// The first code points of a sentence, as many as fit a line of the list.
std::string quoted(const std::string& text) {
  constexpr std::size_t kMost = 40;
  std::size_t end = 0, points = 0;
  while (end < text.size() && points < kMost) {
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
    ++points;
  }
  return fmt::format("“{}{}”", text.substr(0, end), end < text.size() ? " …" : "");
}

/// Describes an input in a few words.
struct InputNamer {
  std::string operator()(const TextSource& s) const {
    return s.texts.empty() ? "text" : "text " + quoted(s.texts.front());
  }
  std::string operator()(const SeriesSource& s) const {
    const Series& first = *s.items.front();
    return trFormat("series of {} steps × {} channels", withThousands(first.values.dim(0)),
                    first.channels.size());
  }
  std::string operator()(const TensorSource& s) const { return "input " + s.name; }
};

struct FillNamer {
  TensorId tensor;

  std::string operator()(const FillZero&) const { return " = 0"; }
  std::string operator()(const FillIdentity&) const { return " = identity"; }
  std::string operator()(const FillScaled& f) const { return fmt::format(" × {:g}", f.factor); }
  std::string operator()(const FillDrawn& f) const {
    const bool normal = info(tensor).perItem || tensor == TensorId::pairBias;
    const std::string_view how = normal ? tr("normal, variance 1") : toString(f.init);
    return trFormat(" drawn: {}, seed {}", how, f.seed);
  }
  std::string operator()(const FillValues&) const { return " pasted"; }
};

/// A place on an axis: a word in quotes where the axis counts tokens, else the index.
std::string placeOn(Axis axis, Index at, Index item, const Input& input, bool cross) {
  const bool ofMemory = axis == Axis::key && cross;
  const auto& all = ofMemory ? input.memoryTokens : input.tokens;
  const bool counts = axis == Axis::query || axis == Axis::key;
  if (!counts || all.empty()) return std::to_string(at);
  const auto& tokens = all[static_cast<std::size_t>(std::max<Index>(item, 0)) % all.size()];
  return at < std::ssize(tokens) ? fmt::format("“{}”", tokens[static_cast<std::size_t>(at)])
                                 : std::to_string(at);
}

/// "weights[“slept”, “cat”] of head 2"; "W_Q[3, 17]" where no axis counts tokens.
std::string cellInWords(const CellRef& cell, const Document& document) {
  const TensorInfo& tensor = info(cell.tensor);
  const auto isToken = [](Axis axis) { return axis == Axis::query || axis == Axis::key; };
  if (!isToken(tensor.rows) && !isToken(tensor.cols)) return toString(cell);
  const bool cross = document.config.crossAttention();
  const auto place = [&](Axis axis, Index at) {
    return placeOn(axis, at, cell.item, *document.input, cross);
  };
  std::string words = fmt::format("{}[{}, {}]", tensor.name, place(tensor.rows, cell.row),
                                  place(tensor.cols, cell.col));
  if (tensor.perHead) words += trFormat(" of head {}", cell.head + 1);
  return words;
}

struct Namer {
  const Document& before;

  std::string operator()(const SetDimensions& e) const {
    const AttentionConfig& c = before.config;
    if (e.dModel != c.dModel && e.numHeads != c.numHeads) {
      return fmt::format("{}, {}", changed("d_model", c.dModel, e.dModel),
                         changed("heads", c.numHeads, e.numHeads));
    }
    if (e.dModel != c.dModel) return changed("d_model", c.dModel, e.dModel);
    if (e.numHeads != c.numHeads) return changed("heads", c.numHeads, e.numHeads);
    if (e.headDim != c.headDim) {
      return e.headDim > 0 ? changed("d_k", c.dK(), e.headDim) : "d_k = d_model / heads";
    }
    return changed(tr("key/value heads"), c.numKvHeads, e.numKvHeads);
  }
  std::string operator()(const SetTokens& e) const {
    return changed("tokens", before.config.seqLen, e.seqLen);
  }
  std::string operator()(const SetBatch& e) const {
    return changed("batch", before.config.batch, e.batch);
  }
  std::string operator()(const SetSwitch<bool>& e) const {
    return fmt::format("{} {}", switchOf(e.field).title, onOff(e.value));
  }
  std::string operator()(const SetSwitch<double>& e) const {
    return changed(switchOf(e.field).title, (*before.config.switches).*e.field, e.value);
  }
  std::string operator()(const SetMask& e) const {
    if (!e.name.empty()) return e.name;
    if (e.mask.causal != before.config.mask.causal) {
      return trFormat("causal {}", onOff(e.mask.causal));
    }
    if (e.mask.window != before.config.mask.window) {
      return e.mask.window == 0 ? tr("window off")
             : before.config.mask.window == 0
                 ? trFormat("window {}", e.mask.window)
                 : changed("window", before.config.mask.window, e.mask.window);
    }
    if (e.mask.lengths == before.config.mask.lengths) return tr("mask changed");
    if (e.mask.lengths.empty()) return tr("padding off");
    return trFormat("padding after {} tokens", fmt::join(e.mask.lengths, ", "));
  }
  std::string operator()(const SetRotary& e) const {
    const Rotary& was = before.config.rotary;
    if (was.on() && e.rotary.on() && was.theta != e.rotary.theta) {
      return changed("RoPE θ", was.theta, e.rotary.theta);
    }
    if (was.on() && e.rotary.on() && was.pairing != e.rotary.pairing) {
      return e.rotary.pairing == Rotary::Pairing::neighbours ? tr("RoPE pairs neighbours")
                                                             : tr("RoPE pairs halves");
    }
    const Index dK = before.config.dK();
    if (was.on() && e.rotary.on() && was.turning(dK) != e.rotary.turning(dK)) {
      return trFormat("RoPE turns {} of {}", e.rotary.turning(dK), dK);
    }
    return trFormat("RoPE {}", onOff(e.rotary.on()));
  }
  std::string operator()(const SetSinks& e) const {
    const std::vector<float>& was = before.config.sinks;
    if (e.sinks.empty() || was.size() != e.sinks.size()) {
      return trFormat("sinks {}", onOff(!e.sinks.empty()));
    }
    const auto [old, next] = std::ranges::mismatch(was, e.sinks);
    if (next == e.sinks.end()) return tr("sinks changed");
    const auto head = next - e.sinks.begin();
    return changed(trFormat("head {} sink", head + 1).c_str(), *old, *next);
  }
  std::string operator()(const SetPairBias& e) const {
    if (!e.bias.on()) return tr("pair bias off");
    const auto& seed = e.bias.settings().seed;
    return seed ? trFormat("pair bias drawn, seed {}", *seed) : tr("pair bias changed");
  }
  std::string operator()(const SetPositions& e) const {
    switch (e.positions) {
      case Positions::named:
        return tr("positions on");
      case Positions::sinusoidal:
        return tr("sinusoidal positions");
      case Positions::none:
        break;
    }
    return tr("positions off");
  }
  std::string operator()(const SetText& e) const {
    const std::string what = e.memory ? "memory" : "text";
    const std::string item =
        before.config.batch > 1 ? trFormat(" of item {}", e.item + 1) : std::string();
    return e.text.empty() ? trFormat("{}{} removed", what, item)
                          : fmt::format("{}{} {}", what, item, quoted(e.text));
  }
  std::string operator()(const MoveToken& e) const {
    const auto& tokens = e.memory ? before.input->memoryTokens : before.input->tokens;
    return trFormat("move “{}” from place {} to {}",
                    tokens[static_cast<std::size_t>(e.item)][static_cast<std::size_t>(e.from)],
                    e.from + 1, e.to + 1);
  }
  std::string operator()(const SetInput& e) const { return std::visit(InputNamer{}, *e.source); }
  std::string operator()(const DrawWeights& e) const {
    return trFormat("weights {}, seed {}", toString(e.init), e.seed);
  }
  std::string operator()(const SetWeights& e) const { return tr("weights of ") + e.name; }
  std::string operator()(const SetHeadGain& e) const {
    const std::string head = trFormat("head {}", e.head + 1);
    const bool known = e.head >= 0 && e.head < before.config.numHeads;
    const float was = known ? before.config.gain(e.head) : 1.0F;
    if (e.gain == 0.0F) return head + " off";
    if (was == 0.0F && e.gain == 1.0F) return head + " on";
    return changed((head + " gain").c_str(), was, e.gain);
  }
  std::string operator()(const SetCell& e) const {
    return fmt::format("{} = {:g}", cellInWords(e.cell, before), e.value);
  }
  std::string operator()(const FillRegion& e) const {
    return nameOf(e.region, before.config) + std::visit(FillNamer{e.region.tensor}, e.fill);
  }
  std::string operator()(const CopyHead& e) const {
    return trFormat("{} head {} = head {}", info(e.tensor).name, e.to + 1, e.from + 1);
  }
  std::string operator()(const TieKeysToQueries&) const { return "W_K = W_Q"; }
  std::string operator()(const SetPin& e) const {
    return trFormat("pin {} = {:g}", cellInWords(e.pin.cell, before), e.pin.value);
  }
  std::string operator()(const RemovePin& e) const {
    return "unpin " + cellInWords(e.cell, before);
  }
  std::string operator()(const RemoveAllPins& e) const {
    if (!e.of) return tr("unpin all");
    return trFormat("unpin all of {}, head {}", info(e.of->tensor).name, e.of->head + 1);
  }
  std::string operator()(const SetMistake& e) const {
    return fmt::format("mistake '{}' {}", textOf(e.mistake).title, onOff(e.on));
  }
  std::string operator()(const SetDropout& e) const {
    return e.dropout.on() ? trFormat("dropout = {:g}, seed {}", e.dropout.rate, e.dropout.seed)
                          : tr("dropout off");
  }
  std::string operator()(const Open& e) const { return e.name.empty() ? "open" : e.name; }
};

}  // namespace

std::string nameOf(const Edit& edit, const Document& before) {
  return std::visit(Namer{before}, edit);
}

}  // namespace headscope
