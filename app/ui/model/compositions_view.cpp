#include "app/ui/model/compositions_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/model/model_heads.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/formats/attention_file.h"

namespace headscope::ui {

using model::ModelPtr;

namespace {

constexpr std::size_t kPartners = 4;    // the number of named partners of a head
constexpr std::size_t kMostPairs = 24;  // the most pairs that lines connect
constexpr double kAboveMean = 1.5;      // times the mean; random weights have no such pairs

StreamCompositions withThoseThatStandOut(StreamCompositions stream, const model::ModelConfig& c) {
  for (std::size_t i = 0; i < model::kCompositions; ++i) {
    const auto kind = static_cast<model::Composition>(i);
    if (!stream.found.has(kind)) continue;
    const double mean = stream.means[i] = stream.found.mean(kind);
    std::array<std::size_t, 2> kept{};  // of own attention and of cross-attention
    for (const auto& pair : stream.found.strongest(kind, std::numeric_limits<std::size_t>::max())) {
      if (pair.score < kAboveMean * mean) break;
      const bool cross = c.readsMemory(pair.into.layer);
      if (stream.from != stream.into || c.readsMemory(pair.from.layer) != cross) continue;
      if (kept[cross ? 1 : 0]++ < kMostPairs) stream.standOut[i].push_back(pair);
    }
  }
  return stream;
}

/// Composes the heads of both stacks and between them. Returns nothing where cancelled.
std::optional<ModelCompositions> composedStreams(const ModelPtr& model,
                                                 const ExecutionContext& execution) {
  using enum model::Stack;
  ModelCompositions all{model, {}};
  const auto add = [&](model::Stack from, model::Stack into, const model::ModelConfig& reads,
                       std::optional<model::Compositions> found) {
    if (found) all.streams.push_back(withThoseThatStandOut({from, into, std::move(*found)}, reads));
  };
  const model::ModelConfig& c = model->config();
  add(decoder, decoder, c, composeHeads(*model, execution));
  if (const ModelPtr& source = model->encoder()) {
    add(encoder, encoder, source->config(), composeHeads(*source, execution));
    add(encoder, decoder, c, composeWithEncoder(*model, execution));
  }
  if (execution.stop()) return std::nullopt;
  return all;
}

/// "K"
const char* letterOf(model::Composition kind) {
  constexpr std::array kLetters{"Q", "K", "V"};
  return kLetters[static_cast<std::size_t>(kind)];
}

std::string linesInWords(const std::optional<model::Composition>& kind) {
  return kind ? fmt::format("{}-composition", letterOf(*kind)) : tr("no lines");
}

std::string nameIn(model::Stack stack, const HeadOfLayer& head, const model::ModelConfig& decoder) {
  if (stack == model::Stack::decoder) return shortName(head, decoder);
  return trFormat("encoder {}·{}", head.layer + 1, head.head + 1);
}

/// The strongest pairs of a stream that a head of a stack is part of.
std::vector<model::ComposedHeads> partnersOf(const StreamCompositions& stream, model::Stack stack,
                                             const HeadOfLayer& head) {
  if (stream.from == stack && stream.into == stack) {
    return stream.found.strongestOf(head, kPartners);
  }
  if (stream.from == stack) return stream.found.strongestFrom(head, kPartners);
  if (stream.into == stack) return stream.found.strongestInto(head, kPartners);
  return {};
}

}  // namespace

Computed<ModelCompositions> modelCompositions(const PanelContext& panel,
                                              const ModelMoment& moment) {
  const ModelPtr& model = moment.trace->document().model;
  const Fingerprint key("compositions", reinterpret_cast<std::uintptr_t>(model.get()));
  return panel.computations.request<ModelCompositions>(
      "model compositions", key, Schedule::background, [&] {
        return [model](const std::atomic<bool>& cancelled) -> std::optional<ModelCompositions> {
          const double work = model::compositionFlops(*model);
          if (work > kMostFlopsOfWeights) {
            throw UserError(trFormat(
                "compositions of this model would take {:.0f} · 10^12 operations: not computed",
                work / 1e12));
          }
          return composedStreams(model, ExecutionContext{0, &cancelled});
        };
      });
}

std::vector<model::ComposedHeads> joinedPairs(const ModelCompositions& compositions,
                                              model::Composition kind, model::Stack stack,
                                              const std::vector<Index>& layers) {
  std::vector<model::ComposedHeads> joined;
  for (const StreamCompositions& stream : compositions.streams) {
    if (stream.from != stack || stream.into != stack) continue;
    for (const auto& pair : stream.standOut[static_cast<std::size_t>(kind)]) {
      if (std::ranges::find(layers, pair.into.layer) != layers.end()) joined.push_back(pair);
    }
  }
  return joined;
}

void chooseLines(const FrameContext& look, ModelHeadsView& heads, const ModelMoment& moment) {
  const model::ModelConfig& c = moment.config();
  if (c.modelType == formats::kAttentionsAlone || c.layers < 2) return heads.lines.reset();
  const bool valuesAlone = !c.plainScores();
  const std::string shown = linesInWords(heads.lines);
  const float width = buttonWidth(look, shown) + ImGui::GetFrameHeight();
  flowOn(look, width);
  ImGui::SetNextItemWidth(width);
  if (beginCombo(look, "##lines", shown, ImGuiComboFlags_HeightLarge)) {
    if (ImGui::Selectable(tr("no lines"), !heads.lines)) heads.lines.reset();
    for (const auto kind :
         {model::Composition::query, model::Composition::key, model::Composition::value}) {
      if (valuesAlone && kind != model::Composition::value) continue;
      if (ImGui::Selectable(linesInWords(kind).c_str(), heads.lines == kind)) heads.lines = kind;
    }
    ImGui::EndCombo();
  }
  tip(look,
      trFormat("Lines join the pairs of heads in which the later one reads most of what the "
               "earlier one writes, computed from their weights (Elhage et al. 2021): into its "
               "queries (Q), keys (K) or values (V){}{}",
               valuesAlone ? tr(". In this model queries and keys are rotated or normalised in "
                                "between, so this is not defined for them")
                           : "",
               c.crossAttention ? tr(". The keys and values of cross-attention read the encoder: "
                                     "the partners of the chosen head there are named below")
                                : ""));
  if (heads.lines && valuesAlone) heads.lines = model::Composition::value;
}

std::string partnersInWords(const ModelCompositions& compositions, model::Composition kind,
                            model::Stack stack, const HeadOfLayer& head,
                            const model::ModelConfig& decoder) {
  struct Partner {
    const StreamCompositions* stream;
    model::ComposedHeads pair;
  };
  std::vector<Partner> partners;
  const StreamCompositions* compared = nullptr;  // whose mean and outstanding pairs are named
  for (const StreamCompositions& stream : compositions.streams) {
    for (const auto& pair : partnersOf(stream, stack, head)) partners.push_back({&stream, pair});
    if (stream.into == stack && stream.found.has(kind, head.layer)) compared = &stream;
  }
  std::ranges::stable_sort(partners, std::greater(),
                           [](const Partner& each) { return each.pair.score; });
  partners.resize(std::min(kPartners, partners.size()));
  std::string words = trFormat("{} most with", nameIn(stack, head, decoder));
  for (const auto& [stream, pair] : partners) {
    words += fmt::format("   {} → {} {} {:.3f}", nameIn(stream->from, pair.from, decoder),
                         nameIn(stream->into, pair.into, decoder), letterOf(pair.kind), pair.score);
  }
  if (compared == nullptr) return words;
  const auto at = static_cast<std::size_t>(kind);
  const bool within = compared->from == compared->into;
  return words +
         trFormat("   (mean {} of all pairs{} {:.3f}{})", letterOf(kind),
                  within ? "" : tr(" with the encoder"), compared->means[at],
                  within && compared->standOut[at].empty() ? tr(": no pair stands out") : "");
}

}  // namespace headscope::ui
