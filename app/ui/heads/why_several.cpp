#include "app/ui/heads/why_several.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/heads/effect_picture.h"
#include "app/ui/heads/metric_definition.h"
#include "app/ui/heads/pair_pictures.h"
#include "app/ui/heads/pooled.h"
#include "app/ui/matrix_view.h"
#include "app/ui/widgets.h"
#include "core/analysis/most_blurred.h"
#include "core/weights/designed_heads.h"

namespace headscope::ui {
namespace {

constexpr Index kFinest = 256;  // blocks along a side of a picture

/// The heads that declare a relation with a partner for some token of the item.
std::vector<HeadRelation> candidatesOf(const Panel& panel) {
  std::vector<HeadRelation> found;
  const auto relations = declaredRelations(panel.trace.document());
  const auto item = static_cast<std::size_t>(panel.view.item);
  for (std::size_t h = 0; h < relations.size(); ++h) {
    if (!relations[h] || item >= relations[h]->partners.size()) continue;
    const auto& partners = relations[h]->partners[item];
    const bool some = std::any_of(partners.begin(), partners.end(),
                                  [](const auto& partner) { return partner.has_value(); });
    if (some) found.push_back({static_cast<Index>(h), *relations[h]});
  }
  return found;
}

const HeadRelation* candidateOf(const std::vector<HeadRelation>& candidates, Index head) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [head](const HeadRelation& c) { return c.head == head; });
  return found == candidates.end() ? nullptr : &*found;
}

/// The user's choice where this sentence has both relations; else empty.
std::vector<Index> chosenPair(const HeadsView& view, const std::vector<HeadRelation>& candidates) {
  const std::vector<Index>& pair = view.relationPair;
  const bool fits = pair.size() == 2 && pair[0] != pair[1] &&
                    candidateOf(candidates, pair[0]) != nullptr &&
                    candidateOf(candidates, pair[1]) != nullptr;
  return fits ? pair : std::vector<Index>();
}

std::vector<float> pictureOf(const Tensor& weights, const Trace& trace, Index item, Index rows,
                             Index cols) {
  const ConstMatrixView view = weights.matrix();
  const AttentionConfig& c = trace.config();
  CellBlocks blocks{0, view.rows, 0, view.cols};
  blocks.rowStep = (view.rows + rows - 1) / rows;
  blocks.colStep = (view.cols + cols - 1) / cols;
  const auto read = [&](Index row, Index col0, std::span<float> cells) {
    const AllowedKeys allowed = allowedKeys(c.mask, item, row, c.keys());
    for (std::size_t j = 0; j < cells.size(); ++j) {
      const Index col = col0 + static_cast<Index>(j);
      cells[j] = allowed(col) ? view(row, col) : gl::kMaskedCell;
    }
  };
  return *pooled(blocks, Pool::largest, read);
}

std::optional<WhySeveralFigures> measuredPair(const Trace& trace,
                                              const WhySeveralMemory::Asked& asked,
                                              const std::vector<HeadRelation>& candidates,
                                              const Execution& execution) {
  std::array<HeadRelation, 2> pair;
  if (asked.pair.empty()) {
    const auto blurred = mostBlurred(trace, asked.item, candidates, asked.gains, execution);
    if (!blurred) return std::nullopt;
    for (std::size_t r = 0; r < 2; ++r) pair[r] = candidates[(*blurred)[r]];
  } else {
    for (std::size_t r = 0; r < 2; ++r) pair[r] = *candidateOf(candidates, asked.pair[r]);
  }
  auto measured = twoInOne(trace, asked.item, pair, asked.gains, execution);
  if (!measured) return std::nullopt;
  WhySeveralFigures figures{std::move(pair), std::move(*measured), 0, 0, {}};
  const AttentionConfig& c = trace.config();
  const auto blocksOf = [](Index cells) {
    const Index step = (cells + kFinest - 1) / kFinest;
    return (cells + step - 1) / step;
  };
  figures.rows = blocksOf(c.seqLen);
  figures.cols = blocksOf(c.keys());
  for (std::size_t i = 0; i < 3; ++i) {
    figures.cells[i] =
        pictureOf(figures.measured.weights[i], trace, asked.item, figures.rows, figures.cols);
  }
  return figures;
}

void measure(const Panel& panel, WhySeveralMemory& memory,
             const std::vector<HeadRelation>& candidates) {
  if (auto outcome = memory.task.take()) {
    memory.error = std::move(outcome->error);
    memory.figures = outcome->result
                         ? std::make_shared<const WhySeveralFigures>(std::move(*outcome->result))
                         : nullptr;
    if (memory.figures) {
      memory.heads = {memory.figures->pair[0].head, memory.figures->pair[1].head};
    }
    ++memory.serial;
  }
  const HeadsView& view = panel.view.heads;
  WhySeveralMemory::Asked wanted{panel.trace.pass(), panel.view.item, chosenPair(view, candidates),
                                 view.gainsAsBuilt ? PairGains::asBuilt : PairGains::equal};
  if (memory.asked == wanted) return;
  memory.asked = wanted;
  memory.figures = nullptr;
  memory.error.clear();
  memory.task.request([trace = panel.trace, wanted = std::move(wanted),
                       candidates](const std::atomic<bool>& cancelled) {
    Execution execution;
    execution.cancelled = &cancelled;
    return measuredPair(trace, wanted, candidates, execution);
  });
}

/// A relation as a button that opens a list of the others.
void chooser(const Panel& panel, const WhySeveralMemory& memory, std::size_t which,
             const std::vector<HeadRelation>& candidates) {
  const Look& look = panel.look;
  const HeadRelation& now = *candidateOf(candidates, memory.heads[which]);
  const std::string id = which == 0 ? "first relation" : "second relation";
  const std::string text = now.relation.name + " ▾###" + id;
  if (pill(look, text.c_str())) ImGui::OpenPopup(id.c_str());
  tip(look, "Another relation");
  if (!beginPopup(id.c_str())) return;
  for (const HeadRelation& c : candidates) {
    const bool other = c.head == memory.heads[1 - which];
    const std::string name = fmt::format("Head {} · {}", c.head + 1, c.relation.name);
    if (ImGui::MenuItem(name.c_str(), nullptr, c.head == now.head, !other)) {
      std::vector<Index> pair(memory.heads.begin(), memory.heads.end());
      pair[which] = c.head;
      panel.view.heads.relationPair = std::move(pair);
    }
  }
  ImGui::EndPopup();
}

/// What follows goes to the next line where this one has no room for it.
void wrapBefore(const Look& look, float width) {
  ImGui::SameLine(0.0F, look.px(12));
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

/// The two relations and whose choice they are; their gains.
void controls(const Panel& panel, const WhySeveralMemory& memory,
              const std::vector<HeadRelation>& candidates) {
  const Look& look = panel.look;
  HeadsView& view = panel.view.heads;
  inlineLabel(look, look.fonts.small, look.theme.textMuted, "one head asked to do");
  chooser(panel, memory, 0, candidates);
  ImGui::SameLine(0.0F, look.px(6));
  inlineLabel(look, look.fonts.small, look.theme.textMuted, "and");
  chooser(panel, memory, 1, candidates);
  ImGui::SameLine(0.0F, look.px(6));
  if (pill(look, "most blurred", chosenPair(view, candidates).empty())) view.relationPair.clear();
  tip(look,
      "Of all relations that heads declare for this input, the two that both lose most in one "
      "head: the largest smaller one of the two losses, where they want different keys");
  wrapBefore(look, look.px(210));
  const int gains =
      choices(look, "pair gains", {"equal gains", "as designed"}, view.gainsAsBuilt ? 1 : 0);
  if (gains >= 0) view.gainsAsBuilt = gains == 1;
  tip(look,
      fmt::format("Equal: each head's scores are multiplied so that, where the two want different "
                  "keys, its own leads by {:g} on average; so neither wins by its gain alone",
                  kEqualLead));
  wrapBefore(look, textSize(look.fonts.small, kDesignedNotLearned).x);
  inlineLabel(look, look.fonts.small, look.theme.textMuted, kDesignedNotLearned);
  ImGui::NewLine();
}

std::string keyInQuotes(const Panel& panel, Index key) {
  const auto& tokens = laneTokens(panel.trace, Lane::key, panel.view.item);
  if (key >= static_cast<Index>(tokens.size())) return fmt::format("key {}", key + 1);
  return fmt::format("‘{}’", shownToken(tokens[static_cast<std::size_t>(key)]));
}

/// The query that loses most of both.
std::string tornInWords(const Panel& panel, const TornQuery& torn) {
  std::string text = fmt::format(
      "{} is to look at {} and at {}: {:.2f} and {:.2f} by the two heads, {:.2f} and {:.2f} by the "
      "one",
      tokenInQuotes(panel, torn.query), keyInQuotes(panel, torn.partners[0]),
      keyInQuotes(panel, torn.partners[1]), torn.alone[0], torn.alone[1], torn.together[0],
      torn.together[1]);
  if (torn.most != torn.partners[0] && torn.most != torn.partners[1]) {
    text += fmt::format(", which looks at {} most ({:.2f})", keyInQuotes(panel, torn.most),
                        torn.mostWeight);
  }
  return text + ".";
}

std::string conclusion(const Panel& panel, const WhySeveralFigures& figures) {
  const TwoInOne& m = figures.measured;
  const auto of = [&](std::size_t w, std::size_t r) { return scoreText(m.scores[w][r]); };
  return fmt::format(
      "Two heads give {} ({}) and {} ({}) of their weight to the tokens they are for. One head "
      "that holds the matrices of both has the sum of their scores, and one softmax for it: {} and "
      "{}. {} Entropy: {} bits against {} and {}.",
      of(0, 0), figures.pair[0].relation.name, of(1, 1), figures.pair[1].relation.name, of(2, 0),
      of(2, 1), m.torn ? tornInWords(panel, *m.torn) : "No token is to look at two others.",
      scoreText(m.entropy[2]), scoreText(m.entropy[0]), scoreText(m.entropy[1]));
}

/// What is missing, and the way out.
void nothing(const Panel& panel, const std::string& why) {
  const Look& look = panel.look;
  ImGui::PushTextWrapPos(0.0F);
  label(look.fonts.regular, look.theme.textMuted, why);
  ImGui::PopTextWrapPos();
  if (panel.document.weightSource.init == WeightInit::designed &&
      panel.document.weightSource.drawn()) {
    return;
  }
  if (pill(look, "Take designed heads")) panel.edits.push(DrawWeights{WeightInit::designed, 1});
}

}  // namespace

void whySeveralTab(const Panel& panel, WhySeveralMemory& memory) {
  const Look& look = panel.look;
  const std::vector<HeadRelation> candidates = candidatesOf(panel);
  if (candidates.size() < 2) {
    nothing(panel,
            "Two heads that are said to do something are needed, each with a token to do it for. "
            "Designed heads do, on a sentence, from d_model 512 and 8 heads on.");
    return;
  }
  measure(panel, memory, candidates);
  const bool known = candidateOf(candidates, memory.heads[0]) != nullptr &&
                     candidateOf(candidates, memory.heads[1]) != nullptr;
  if (known) controls(panel, memory, candidates);
  if (!memory.figures) {
    const bool failed = !memory.error.empty();
    label(look.fonts.regular, failed ? look.theme.bad : look.theme.textMuted,
          failed ? memory.error : std::string("measuring …"));
    return;
  }
  wrappedLabel(look, look.fonts.small, look.theme.text, conclusion(panel, *memory.figures));
  ImGui::Dummy({0.0F, look.px(2)});
  pairPictures(panel, memory);
}

}  // namespace headscope::ui
