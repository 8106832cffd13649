// Similarity card: the similarity of the heads as a matrix of heads by heads, numbered on both
// sides, similar heads next to each other, with frames around clusters and, where there is room,
// their tree.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/heads/figures.h"
#include "app/ui/heads/heads_card.h"
#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

constexpr const char* kSimilarityFormula = trLater(
    "1 − the mean over rows of JSD(p, q) = H((p + q)/2) − (H(p) + H(q))/2, in bits (Lin 1991). "
    "Ordered and cut by average linkage (UPGMA).");
constexpr float kLeastCut = 0.5F;

struct HeadPair {
  Index row = 0, col = 0;  // heads
};

class SimilarityMatrix {
 public:
  SimilarityMatrix(const PanelContext& panel, const Figures& figures, HeadPair chosen)
      : panel_(panel),
        look_(panel.look),
        figures_(figures),
        chosen_(chosen),
        ordered_(panel.headsView.similarityOrdered),
        order_(similarityOrder(figures.tree, ordered_,
                               static_cast<double>(panel.headsView.similarityCut))),
        count_(figures.report.similarity.heads),
        font_(look_.fonts.tiny),
        list_(ImGui::GetWindowDrawList()) {}

  void draw(Rect room) {
    const ColorScale scale =
        sequentialScale(look_, static_cast<float>(lowestShown(figures_.report.similarity)), 1.0F);
    rowNumbers_ = textSize(font_, std::to_string(count_)).x + look_.space.small;
    columnNumbers_ = fontSize(font_) + look_.space.tight;
    room.cutLeft(rowNumbers_);
    room.b.y -= columnNumbers_;
    const bool large = room.height() > look_.px(240) && room.width() > look_.px(300);
    if (large) room.cutRight(colorBarWidth(look_));
    const float tree = large && ordered_ ? look_.px(120) : 0.0F;
    const float side = std::max(std::min(room.width() - tree, room.height()), look_.space.wide);
    place_ = {Rect::at(room.a, {side, side}), count_, count_};

    drawCells(scale);
    for (const SimilarityOrder::Cluster& cluster : order_.clusters) {
      const auto first = static_cast<double>(cluster.first);
      const auto count = static_cast<double>(cluster.count);
      const Rect block = place_.block(first, count, first, count).inset(1.0F);
      drawFrame(look_, list_, block, look_.theme.text, 1.5F);
    }
    takeMouse();
    numbers(true);
    numbers(false);
    mark(chosen_, look_.theme.text);
    if (pointed) mark(*pointed, look_.theme.accent);
    const float right = place_.at.b.x;
    if (tree > 0.0F)
      drawTree({{right + look_.space.tight, 0}, {right + tree - look_.space.medium, 0}});
    if (large) {
      colorBar(look_, scale, {right + tree + look_.space.large, place_.at.a.y},
               std::min(side, look_.px(160)));
    }
  }

  std::optional<HeadPair> pointed, clicked;

 private:
  void drawCells(const ColorScale& scale) {
    auto values = std::make_shared<std::vector<float>>();
    for (const Index a : order_.heads) {
      for (const Index b : order_.heads) {
        values->push_back(static_cast<float>(figures_.report.similarity(a, b)));
      }
    }
    Heatmaps heatmaps(look_);
    const auto side = static_cast<int>(count_);
    const std::span<const float> cells(*values);
    heatmaps.add(Fingerprint("similarity"), Fingerprint("similarity", figures_.revision, ordered_),
                 values, cells, side, side, scale, place_.at);
    heatmaps.draw(list_);
    list_->AddRect(place_.at.a, place_.at.b, look_.theme.panelBorder);
  }

  Index headAt(Index place) const { return order_.heads[static_cast<std::size_t>(place)]; }
  float cell() const { return place_.cell().x; }

  void takeMouse() {
    ImGui::SetCursorScreenPos(place_.at.a);
    const bool pressed = pictureArea("similarity", place_.at.size());
    if (!ImGui::IsItemHovered()) return;
    const MatrixCell at = place_.nearest(ImGui::GetIO().MousePos);
    pointed = HeadPair{headAt(at.row), headAt(at.col)};
    if (pressed) clicked = pointed;
  }

  /// Returns the smallest step at which numbers fit.
  Index every(float room) const {
    for (const Index step : {1, 2, 5, 10, 20}) {
      if (static_cast<float>(step) * cell() >= room) return step;
    }
    return 50;
  }

  /// Draws the heads' numbers as buttons: a row's number chooses the head, a column's number the
  /// head to compare it with.
  void numbers(bool ofRows) {
    const Index step = every(ofRows ? fontSize(font_)
                                    : textSize(font_, std::to_string(count_)).x + look_.space.thin);
    const Rect& all = place_.at;
    const auto placeIn = [&](const HeadPair& pair) {
      return order_.placeOf(ofRows ? pair.row : pair.col);
    };
    // the heads that are asked about always have their numbers; the others give way
    std::vector<Index> asked{placeIn(pointed.value_or(chosen_))};
    if (const Index own = placeIn(chosen_); std::abs(own - asked.front()) >= step) {
      asked.push_back(own);
    }
    const auto isShown = [&](Index i) {
      if (std::ranges::find(asked, i) != asked.end()) return true;
      const auto near = [&](Index kept) { return std::abs(kept - i) < step; };
      return i % step == 0 && std::ranges::none_of(asked, near);
    };
    for (Index i = 0; i < count_; ++i) {
      const Index head = headAt(i);
      const Rect one = place_.cellAt(i, i);
      const Rect button = ofRows ? Rect{{all.a.x - rowNumbers_, one.a.y}, {all.a.x, one.b.y}}
                                 : Rect{{one.a.x, all.b.y}, {one.b.x, all.b.y + columnNumbers_}};
      const HeadPair pair = ofRows ? HeadPair{head, chosen_.col} : HeadPair{chosen_.row, head};
      ImGui::SetCursorScreenPos(button.a);
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::InvisibleButton(ofRows ? "row" : "column", button.size())) clicked = pair;
      if (ImGui::IsItemHovered()) pointed = pair;
      ImGui::PopID();
      if (!isShown(i)) continue;
      const std::string text = std::to_string(head + 1);
      ImVec2 at = button.placed(textSize(font_, text), ofRows ? 1.0F : 0.5F).a;
      if (ofRows) at.x -= look_.space.tight;
      drawText(list_, font_, at, headColor(look_.theme, static_cast<std::size_t>(head)), text);
    }
  }

  void mark(HeadPair pair, ImU32 color) const {
    const Rect at =
        place_.block(static_cast<double>(order_.placeOf(pair.row)), 1,
                     static_cast<double>(order_.placeOf(pair.col)), 1, look_.space.tight);
    list_->AddRect(at.a, at.b, color, 0, 0, look_.px(1.5F));
  }

  /// Draws the dendrogram next to the rows, across `across`, with the cut. Less similar heads join
  /// farther right.
  void drawTree(const Rect& across) const {
    const HeadTree& tree = figures_.tree;
    if (tree.merges.empty()) return;
    const Theme& t = look_.theme;
    const auto cut = static_cast<double>(panel_.headsView.similarityCut);
    const double low = std::min(tree.merges.back().similarity, cut);
    const double range = std::max(1.0 - low, 1e-3);
    const auto x = [&](double similarity) {
      return across.a.x + across.width() * static_cast<float>((1.0 - similarity) / range);
    };
    std::vector<ImVec2> joints;  // of the heads, then of the merges
    for (Index h = 0; h < tree.heads; ++h) {
      const Index place = order_.placeOf(h);
      joints.push_back({across.a.x, place_.cellAt(place, place).centre().y});
    }
    const float line = look_.px(1.2F);
    for (const HeadMerge& merge : tree.merges) {
      const ImVec2 p = joints[static_cast<std::size_t>(merge.left)];
      const ImVec2 q = joints[static_cast<std::size_t>(merge.right)];
      const float joint = x(merge.similarity);
      list_->AddLine(p, {joint, p.y}, t.textMuted, line);
      list_->AddLine(q, {joint, q.y}, t.textMuted, line);
      list_->AddLine({joint, p.y}, {joint, q.y}, t.textMuted, line);
      joints.push_back({joint, (p.y + q.y) * 0.5F});
    }
    const Rect& all = place_.at;
    list_->AddLine({x(cut), all.a.y}, {x(cut), all.b.y}, t.accent, line);
    drawTextCentred(list_, font_, {x(cut), all.b.y + columnNumbers_ * 0.5F}, t.accentText, "cut");
  }

  const PanelContext& panel_;
  const FrameContext& look_;
  const Figures& figures_;
  HeadPair chosen_;
  bool ordered_;
  SimilarityOrder order_;
  Index count_;
  ImFont* font_;
  ImDrawList* list_;
  MatrixPlace place_;
  float rowNumbers_ = 0.0F, columnNumbers_ = 0.0F;  // the room for the numbers
};

class SimilarityCard final : public Card {
 public:
  SimilarityCard()
      : Card({"similarity", tr("Similarity"), tr("the similarity of each pair of heads")}) {}
  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    title(panel, panel.alone);
    const MeasuredHeads heads = measuredHeads(panel);
    if (heads.figures == nullptr) return noFigures(panel, heads);
    const Figures& figures = *heads.figures;
    const HeadSimilarity& similarity = figures.report.similarity;
    const auto instead = [&](const std::string& why) {
      wrappedLabel(look.fonts.regular, look.theme.textMuted, why);
    };
    if (similarity.heads == 1)
      return instead(tr("There is only one head, so there is nothing to compare."));
    if (!similarity.defined()) {
      return instead(trFormat("Similarity is not defined because {}.", similarity.why));
    }
    scaleLine(panel, similarity);
    measuringNote(panel, heads);
    const bool large = panel.alone || panel.headsView.enlarged == EnlargedCard::similarity;
    Rect room = Rect::rest();
    // a small card omits the controls to keep the picture; the enlarged card has them
    const bool small = room.height() < look.px(150);
    ImGui::PushStyleVar(
        ImGuiStyleVar_ItemSpacing,
        ImVec2(ImGui::GetStyle().ItemSpacing.x, small ? look.space.hair : look.space.tight));
    const float line = fontSize(look.fonts.small) + ImGui::GetStyle().ItemSpacing.y;
    const Rect below =
        room.cutBottom((large ? 5 : 2) * line + (small ? 0.0F : ImGui::GetFrameHeight()));
    matrixAndWords(panel, figures, room, below);
    if (!small) controls(panel);
    if (large) wrappedLabel(look.fonts.small, look.theme.textMuted, tr(kSimilarityFormula));
    ImGui::PopStyleVar();
  }

 private:
  static void title(const PanelContext& panel, bool alone) {
    const FrameContext& look = panel.look;
    const Rect room = Rect::rest();
    const float width =
        room.width() - enlargeSwitchWidth(panel, EnlargedCard::similarity) - look.space.medium;
    const char* whole = tr("How similar the heads are");
    heading(look, textSize(look.fonts.semibold, whole).x <= width ? whole : tr("How alike"));
    if (!alone) enlargeSwitch(panel, EnlargedCard::similarity, room.a);
  }

  /// Draws the meaning and the range of the colours.
  static void scaleLine(const PanelContext& panel, const HeadSimilarity& similarity) {
    ImFont* font = panel.look.fonts.small;
    std::string range = trFormat("{:g} to 1", lowestShown(similarity));
    const Index batch = panel.trace.config().batch;
    if (panel.headsView.averageItems && batch > 1) {
      range += trFormat(", mean of {} items", batch);
    }
    std::string text = tr("1 − Jensen–Shannon divergence, ") + range;
    const float room = ImGui::GetContentRegionAvail().x;
    if (textSize(font, text).x > room) text = tr("1 − JS divergence, ") + range;
    label(font, panel.look.theme.textMuted, elided(font, text, room));
    const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
    underlineTerm(panel.look, {from.x, to.y}, to.x - from.x);
    // next to the matrix below, which it explains
    const Rect matrix{from, {Rect::rest().b.x, Rect::rest().b.y}};
    if (ImGui::IsItemHovered()) {
      showTooltip(fmt::format("{}\n{}", termText("similarity"), tr(kSimilarityFormula)), matrix);
    }
  }

  void matrixAndWords(const PanelContext& panel, const Figures& figures, const Rect& room,
                      const Rect& below) {
    const FrameContext& look = panel.look;
    const HeadSimilarity& similarity = figures.report.similarity;
    const Index head = panel.selection.head;
    const bool known = other_ && *other_ < similarity.heads && *other_ != head;
    const HeadPair chosen{head, known ? *other_ : mostAlike(similarity, head).value_or(head)};
    SimilarityMatrix matrix(panel, figures, chosen);
    matrix.draw(room);
    if (matrix.clicked) {
      panel.selection.head = matrix.clicked->row;
      other_ = matrix.clicked->col;
    }
    ImGui::SetCursorScreenPos(below.a);
    const HeadPair pair = matrix.pointed.value_or(chosen);
    label(look.fonts.small, look.theme.text,
          matrix.pointed || known ? pairInWords(similarity, pair.row, pair.col)
                                  : trFormat("head {} is most like head {}: {:.2f}", head + 1,
                                             chosen.col + 1, similarity(head, chosen.col)));
    label(look.fonts.small, look.theme.text,
          distinctInWords(figures.tree, panel.headsView.similarityCut));
    explainItem(look, look.fonts.small, "distinct heads");
  }

  /// Draws the controls of the order and of the cut.
  static void controls(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    HeadsView& view = panel.headsView;
    toggle(look, tr("alike together"), &view.similarityOrdered);
    tip(look, tr("On: heads in the order of the similarity tree. Off: by number."));
    ImGui::SameLine(0.0F, look.space.medium);
    ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x, look.px(220)));
    ImGui::SliderFloat("##cut", &view.similarityCut, kLeastCut, 1.0F, "");
    view.similarityCut = std::clamp(view.similarityCut, kLeastCut, 1.0F);
    tip(look, trFormat("The cut: heads with a similarity of at least {:.2f} count as one",
                       view.similarityCut));
  }

  std::optional<Index> other_;  // set by a click: the head to compare the chosen head with
};

}  // namespace

std::unique_ptr<Card> makeSimilarityCard() { return std::make_unique<SimilarityCard>(); }

}  // namespace headscope::ui
