// Alignment: the words of the source above, those of the target below, and lines between them as
// strong as the cross-attention of a head, of a layer, of all layers, or of several chosen heads.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/model/aligned_heads.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/layout.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/attention_file.h"
#include "core/model/alignment.h"

namespace headscope::ui {
namespace {

using model::WordOfText;

/// The words of both texts, and the weights between them.
struct Aligned {
  std::vector<WordOfText> source, target;
  Matrix64 weights;  // (target, source)
};

/// The words of a moment's text; without a tokenizer each token, by its name where it has one.
std::vector<WordOfText> wordsIn(const ModelMoment& moment) {
  const model::ModelInput& input = moment.trace->document().input;
  auto words = model::wordsOf(input.ids, moment.tokenizer.get());
  if (moment.tokenizer != nullptr || input.tokens.empty()) return words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i].text = input.tokens[i];
  return words;
}

/// Attention weights of a file say at which row a word looks, not which one wrote it.
bool isOfFile(const ModelMoment& moment) {
  return moment.config().modelType == formats::kAttentionsAlone;
}

Computed<Aligned> alignment(const PanelContext& panel, const ModelMoment& moment) {
  const auto heads = alignedHeads(panel.modelView, moment.config());
  const auto rows = panel.modelView.prediction.alignedAsRead || isOfFile(moment)
                        ? model::AlignedRows::read
                        : model::AlignedRows::written;
  Fingerprint key("alignment", moment.number, rows);
  for (const HeadOfLayer& head : heads) key.add(head.layer).add(head.head);
  return panel.computations.request<Aligned>("alignment", key, Schedule::background, [&] {
    return [moment, heads, rows](const std::atomic<bool>&) -> std::optional<Aligned> {
      Aligned found{wordsIn(*moment.source), wordsIn(moment), {}};
      // the first token is given to the decoder: no row has written it
      if (rows == model::AlignedRows::written) {
        std::erase_if(found.target, [](const WordOfText& word) { return word.end <= 1; });
      }
      found.weights = alignmentOf(*moment.trace, heads, found.target, found.source, rows);
      return found;
    };
  });
}

/// A line of words, laid out from the left.
struct LineOfWords {
  std::vector<Rect> places;
  float width = 0.0F;

  LineOfWords(const FrameContext& look, const std::vector<WordOfText>& words) {
    for (const WordOfText& word : words) {
      const ImVec2 size = textSize(look.fonts.regular, word.text);
      places.push_back(Rect::at({width, 0.0F}, {std::max(size.x, look.px(8)), size.y}));
      width = places.back().b.x + look.space.large;
    }
  }
  void moveTo(ImVec2 corner) {
    for (Rect& place : places) {
      place.a = {place.a.x + corner.x, place.a.y + corner.y};
      place.b = {place.b.x + corner.x, place.b.y + corner.y};
    }
  }
  /// The word at a point; −1: none.
  Index at(ImVec2 point, float reach) const {
    const auto found = std::ranges::find_if(
        places, [&](const Rect& place) { return place.outset(reach).contains(point); });
    return found == places.end() ? -1 : found - places.begin();
  }
};

ImU32 strengthColor(const FrameContext& look, float strength) {
  return withAlpha(look.theme.accent, 0.12F + 0.88F * strength * strength);
}
float strengthWidth(const FrameContext& look, float strength) {
  return look.px(0.8F + 2.2F * strength);
}

/// Draws the scale of the lines at the cursor, as one line of text: "0.10 — 0.40 —".
void drawStrengths(const FrameContext& look, double most) {
  constexpr std::array kShares{0.25F, 0.5F, 1.0F};
  label(look.fonts.small, look.theme.textMuted, tr("weight"));
  for (const float share : kShares) {
    ImGui::SameLine(0.0F, look.space.medium);
    const Rect at =
        Rect::at(ImGui::GetCursorScreenPos(), {look.px(22), ImGui::GetTextLineHeight()});
    ImGui::GetWindowDrawList()->AddLine({at.a.x, at.centre().y}, {at.b.x, at.centre().y},
                                        strengthColor(look, share), strengthWidth(look, share));
    ImGui::Dummy(at.size());
    ImGui::SameLine(0.0F, look.space.tight);
    label(look.fonts.small, look.theme.textMuted, fmt::format("{:.2f}", most * share));
  }
}

void drawWords(const FrameContext& look, ImDrawList* list, const LineOfWords& line,
               const std::vector<WordOfText>& words, Index lit) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool isLit = static_cast<Index>(i) == lit;
    drawText(list, isLit ? look.fonts.semibold : look.fonts.regular, line.places[i].a,
             isLit ? look.theme.accentText : look.theme.text, words[i].text);
  }
}

void drawAligned(const PanelContext& panel, const Aligned& found) {
  const FrameContext& look = panel.look;
  LineOfWords source(look, found.source), target(look, found.target);
  const Rect room = Rect::rest();
  const float width = std::max({room.width(), source.width, target.width});
  const float height = std::max(room.height() - look.space.large, look.px(70));
  ImGui::BeginChild("aligned words", room.size(), false, ImGuiWindowFlags_HorizontalScrollbar);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::Dummy({width, height});
  const float letters = fontSize(look.fonts.regular);
  const float below = corner.y + height - letters - look.space.tight;
  source.moveTo({corner.x, corner.y + look.space.tight});
  target.moveTo({corner.x, below});
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsWindowHovered();
  const Index litSource = over ? source.at(mouse, look.space.tight) : -1;
  const Index litTarget = over ? target.at(mouse, look.space.tight) : -1;
  constexpr double kLeast = 0.02;  // of the strongest; fainter lines cannot be seen
  const double most = std::max(1e-9, found.weights.largest());
  for (Index i = 0; i < found.weights.rows; ++i) {
    for (Index j = 0; j < found.weights.cols; ++j) {
      const double weight = found.weights(i, j) / most;
      const bool muted = (litSource >= 0 && litSource != j) || (litTarget >= 0 && litTarget != i);
      if (weight < kLeast || muted) continue;
      const Rect& from = source.places[static_cast<std::size_t>(j)];
      const Rect& to = target.places[static_cast<std::size_t>(i)];
      const auto strength = static_cast<float>(weight);
      list->AddLine({from.centre().x, from.b.y + look.space.thin},
                    {to.centre().x, to.a.y - look.space.thin}, strengthColor(look, strength),
                    strengthWidth(look, strength));
    }
  }
  drawWords(look, list, source, found.source, litSource);
  drawWords(look, list, target, found.target, litTarget);
  const auto tell = [&](Index word, bool ofTarget) {
    const Index others = ofTarget ? found.weights.cols : found.weights.rows;
    const std::vector<WordOfText>& names = ofTarget ? found.source : found.target;
    const auto value = [&](Index other) {
      return ofTarget ? found.weights(word, other) : found.weights(other, word);
    };
    std::vector<Index> order(static_cast<std::size_t>(others));
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
    std::ranges::stable_sort(order, [&](Index a, Index b) { return value(a) > value(b); });
    constexpr std::size_t kNamed = 5;
    order.resize(std::min(order.size(), kNamed));
    std::string text = ofTarget ? tr("looks at") : tr("is looked at by");
    for (const Index other : order) {
      text +=
          fmt::format("\n{}  {:.3f}", names[static_cast<std::size_t>(other)].text, value(other));
    }
    showTooltip(text);
  };
  if (litTarget >= 0) {
    tell(litTarget, true);
  } else if (litSource >= 0) {
    tell(litSource, false);
  }
  ImGui::EndChild();
}

/// Draws the choice of the row that a word of the target takes.
void drawRowsChoice(const PanelContext& panel) {
  PredictionView& view = panel.modelView.prediction;
  const int rows =
      choices(panel.look, "aligned rows", {tr("as a word was written"), tr("as it is read")},
              view.alignedAsRead ? 1 : 0);
  tip(panel.look,
      tr("A row of the decoder predicts the next token. As a word was written: where the rows "
         "before "
         "its tokens look, from which it was predicted. As it is read: where its own tokens' rows "
         "look, which predict what follows."));
  if (rows >= 0) view.alignedAsRead = rows == 1;
}

}  // namespace

void drawAlignment(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  ModelView& view = panel.modelView;
  const model::ModelConfig& c = moment.config();
  chooseAlignedHeads(panel, c);
  if (!isOfFile(moment)) drawRowsChoice(panel);
  const auto found = alignment(panel, moment);
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  const Aligned* shown = found.current != nullptr ? found.current : found.last;
  if (shown == nullptr) {
    return wrappedLabel(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
  }
  if (!isOfFile(moment)) ImGui::SameLine(0.0F, look.space.large);
  drawStrengths(look, shown->weights.largest());
  if (view.prediction.aligned == AlignedBy::chosen) {
    drawHeadSquares(panel, c);
    ImGui::SameLine(0.0F, look.space.large);
  }
  drawAligned(panel, *shown);
}

}  // namespace headscope::ui
