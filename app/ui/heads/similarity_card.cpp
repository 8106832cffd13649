#include "app/ui/heads/similarity_card.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "app/ui/compat.h"
#include "app/ui/glossary.h"
#include "app/ui/heads/enlarge.h"
#include "app/ui/heads/figure_words.h"
#include "app/ui/heads/metric_definition.h"
#include "app/ui/heads/similarity_matrix.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr const char* kFormula =
    "1 − the mean over rows of JSD(p, q) = H((p + q)/2) − (H(p) + H(q))/2, in bits (Lin 1991). "
    "Ordered and cut by average linkage (UPGMA).";
constexpr float kLeastCut = 0.5F;

void title(const Panel& panel, bool alone) {
  const Look& look = panel.look;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x -
                     enlargeSwitchWidth(panel, EnlargedCard::similarity) - look.px(8);
  const std::string whole = "How alike the heads are";
  heading(look, textSize(look.fonts.semibold, whole).x <= room ? whole.c_str() : "How alike");
  if (!alone) enlargeSwitch(panel, EnlargedCard::similarity, top);
}

/// What the colours mean, from where to where.
void scaleLine(const Panel& panel, const HeadSimilarity& similarity) {
  const Look& look = panel.look;
  ImFont* font = look.fonts.small;
  std::string range = fmt::format("{:g} to 1", similarityScale(panel, similarity).low);
  const Index batch = panel.trace.config().batch;
  if (panel.view.heads.averageItems && batch > 1) range += fmt::format(", mean of {} items", batch);
  std::string text = "1 − Jensen–Shannon divergence, " + range;
  const float room = ImGui::GetContentRegionAvail().x;
  if (textSize(font, text).x > room) text = "1 − JS divergence, " + range;
  label(font, look.theme.textMuted, elided(font, text, room));
  explainItem(look, font, "similarity", std::string("\n") + kFormula);
}

/// The order and the cut.
void controls(const Panel& panel) {
  const Look& look = panel.look;
  HeadsView& view = panel.view.heads;
  toggle(look, "alike together", &view.similarityOrdered);
  tip(look, "On: heads in the order of the tree of likeness. Off: by number.");
  ImGui::SameLine(0.0F, look.px(10));
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x, look.px(220)));
  ImGui::SliderFloat("##cut", &view.similarityCut, kLeastCut, 1.0F, "");
  view.similarityCut = std::clamp(view.similarityCut, kLeastCut, 1.0F);
  tip(look, fmt::format("The cut: heads at least {:.2f} alike count as one", view.similarityCut));
}

}  // namespace

void similarityCard(const Panel& panel, SimilarityMemory& memory, const Figures* figures,
                    FiguresMemory& measuring, bool alone) {
  const Look& look = panel.look;
  title(panel, alone);
  if (figures == nullptr) {
    noFigures(panel, measuring);
    return;
  }
  const HeadSimilarity& similarity = figures->report.similarity;
  if (similarity.heads == 1) {
    wrappedLabel(look, look.fonts.regular, look.theme.textMuted,
                 "One head has nothing to be compared with.");
    return;
  }
  if (!similarity.defined()) {
    wrappedLabel(look, look.fonts.regular, look.theme.textMuted,
                 fmt::format("Similarity is not defined because {}.", similarity.why));
    return;
  }
  scaleLine(panel, similarity);
  measuringNote(panel, measuring);
  const bool large = alone || panel.view.heads.enlarged == EnlargedCard::similarity;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  // a small window keeps the picture: the order and the cut are then in the larger card
  const bool small = room.y < look.px(150);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                      ImVec2(ImGui::GetStyle().ItemSpacing.x, look.px(small ? 1.0F : 4.0F)));
  const float spacing = ImGui::GetStyle().ItemSpacing.y;
  const float line = fontSize(look.fonts.small) + spacing;
  const float below =
      2 * line + (small ? 0.0F : ImGui::GetFrameHeight()) + (large ? 3 * line : 0.0F);

  const Index head = panel.view.head;
  const bool known = memory.other && *memory.other < similarity.heads && *memory.other != head;
  const Index other = known ? *memory.other : mostAlike(similarity, head).value_or(head);
  const SimilarityShown shown =
      similarityMatrix(panel, *figures, {head, other}, {room.x, room.y - below});
  if (shown.clicked) {
    panel.view.head = shown.clicked->row;
    memory.other = shown.clicked->col;
  }
  ImGui::SetCursorScreenPos({at.x, at.y + room.y - below});
  const HeadPair pair = shown.pointed.value_or(shown.chosen);
  label(look.fonts.small, look.theme.text,
        shown.pointed || known ? pairInWords(similarity, pair.row, pair.col)
                               : fmt::format("head {} is most like head {}: {:.2f}", head + 1,
                                             other + 1, similarity(head, other)));
  label(look.fonts.small, look.theme.text,
        distinctInWords(figures->tree, panel.view.heads.similarityCut));
  explainItem(look, look.fonts.small, "distinct heads");
  if (!small) controls(panel);
  if (large) wrappedLabel(look, look.fonts.small, look.theme.textMuted, kFormula);
  ImGui::PopStyleVar();
}

}  // namespace headscope::ui
