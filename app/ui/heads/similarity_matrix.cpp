#include "app/ui/heads/similarity_matrix.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/parts/color_bar.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr std::uint64_t kPlace = 0x73696D696C617269ULL;  // in HeatmapSource::key

std::vector<float> cells(const HeadSimilarity& similarity, const std::vector<Index>& order) {
  std::vector<float> values;
  for (const Index a : order) {
    for (const Index b : order) values.push_back(static_cast<float>(similarity(a, b)));
  }
  return values;
}

/// FNV-1a over the values: another matrix, another revision.
std::uint64_t revisionOf(const std::vector<float>& values) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const float value : values) {
    hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001B3ULL;
  }
  return hash;
}

class Matrix {
 public:
  Matrix(const Panel& panel, const Figures& figures, HeadPair chosen, ImVec2 size)
      : panel_(panel),
        look_(panel.look),
        figures_(figures),
        order_(similarityOrder(figures, panel.view.heads.similarityOrdered)),
        count_(static_cast<Index>(order_.size())) {
    shown_.chosen = chosen;
    place(size);
  }

  SimilarityShown draw() {
    const HeadSimilarity& similarity = figures_.report.similarity;
    const ColorScale scale = similarityScale(panel_, similarity);
    std::vector<float> values = cells(similarity, order_);
    gl::HeatmapSource source;
    source.key = kPlace;
    source.revision = revisionOf(values);
    source.rows = source.cols = static_cast<int>(count_);
    source.fill = [values = std::move(values)](float* out) {
      std::copy(values.begin(), values.end(), out);
    };
    gl::HeatmapBatch batch;
    addSource(batch, look_, std::move(source), scale, a_, b_);
    ImDrawList* list = ImGui::GetWindowDrawList();
    addHeatmaps(list, look_.scene, std::move(batch));
    list->AddRect(a_, b_, look_.theme.panelBorder);
    if (panel_.view.heads.similarityOrdered) frames();
    mouse();
    rowNumbers();
    columnNumbers();
    mark(shown_.chosen, look_.theme.text);
    if (shown_.pointed) mark(*shown_.pointed, look_.theme.accent);
    if (treeWidth_ > 0.0F) tree();
    if (barWidth_ > 0.0F) colorBar(look_, scale, {barAt_, a_.y}, std::min(side(), look_.px(160)));
    return shown_;
  }

 private:
  void place(ImVec2 size) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    font_ = look_.fonts.tiny;
    labels_ = {textSize(font_, std::to_string(count_)).x + look_.px(6),
               fontSize(font_) + look_.px(4)};
    const float height = size.y - labels_.y;
    float width = size.x - labels_.x;
    const bool large = height > look_.px(240) && width > look_.px(300);
    barWidth_ = large ? colorBarWidth(look_) : 0.0F;
    width -= barWidth_;
    const float wanted = large && panel_.view.heads.similarityOrdered ? look_.px(120) : 0.0F;
    const float side = std::max(std::min(width - wanted, height), look_.px(20));
    treeWidth_ = wanted;
    a_ = {at.x + labels_.x, at.y};
    b_ = {a_.x + side, a_.y + side};
    barAt_ = b_.x + treeWidth_ + look_.px(14);
  }

  float side() const { return b_.x - a_.x; }
  float cell() const { return side() / static_cast<float>(count_); }
  Index headAt(float offset) const {
    const auto at = static_cast<Index>(offset / cell());
    return order_[static_cast<std::size_t>(std::clamp<Index>(at, 0, count_ - 1))];
  }
  Index placeOf(Index head) const {
    return std::find(order_.begin(), order_.end(), head) - order_.begin();
  }

  void mouse() {
    ImGui::SetCursorScreenPos(a_);
    const bool clicked = pictureArea("similarity", {side(), side()});
    if (!ImGui::IsItemHovered()) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    shown_.pointed = HeadPair{headAt(mouse.y - a_.y), headAt(mouse.x - a_.x)};
    if (clicked) shown_.clicked = shown_.pointed;
  }

  /// Every how many of them a number fits.
  Index every(float room) const {
    for (const Index step : {1, 2, 5, 10, 20}) {
      if (static_cast<float>(step) * cell() >= room) return step;
    }
    return 50;
  }

  /// Each number is a button: of a row, the head that is compared; of a column, what it is compared
  /// with.
  void rowNumbers() {
    const Index step = every(fontSize(font_));
    for (Index i = 0; i < count_; ++i) {
      const Index head = order_[static_cast<std::size_t>(i)];
      const float y = a_.y + cell() * static_cast<float>(i);
      ImGui::SetCursorScreenPos({a_.x - labels_.x, y});
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::InvisibleButton("row", {labels_.x, cell()})) {
        shown_.clicked = HeadPair{head, shown_.chosen.col};
      }
      if (ImGui::IsItemHovered()) shown_.pointed = HeadPair{head, shown_.chosen.col};
      ImGui::PopID();
      if (i % step != 0) continue;
      const std::string text = std::to_string(head + 1);
      const ImVec2 size = textSize(font_, text);
      drawText(ImGui::GetWindowDrawList(), font_,
               {a_.x - look_.px(4) - size.x, y + (cell() - size.y) * 0.5F}, colorOf(head), text);
    }
  }
  void columnNumbers() {
    const Index step = every(textSize(font_, std::to_string(count_)).x + look_.px(2));
    for (Index i = 0; i < count_; ++i) {
      const Index head = order_[static_cast<std::size_t>(i)];
      const float x = a_.x + cell() * static_cast<float>(i);
      ImGui::SetCursorScreenPos({x, b_.y});
      ImGui::PushID(static_cast<int>(i));
      if (ImGui::InvisibleButton("column", {cell(), labels_.y})) {
        shown_.clicked = HeadPair{shown_.chosen.row, head};
      }
      if (ImGui::IsItemHovered()) shown_.pointed = HeadPair{shown_.chosen.row, head};
      ImGui::PopID();
      if (i % step != 0) continue;
      drawTextCentred(ImGui::GetWindowDrawList(), font_,
                      {x + cell() * 0.5F, b_.y + labels_.y * 0.5F + look_.px(1)}, colorOf(head),
                      std::to_string(head + 1));
    }
  }
  ImU32 colorOf(Index head) const { return headColor(look_.theme, static_cast<std::size_t>(head)); }

  void mark(HeadPair pair, ImU32 color) const {
    const ImVec2 at(a_.x + cell() * static_cast<float>(placeOf(pair.col)),
                    a_.y + cell() * static_cast<float>(placeOf(pair.row)));
    const float grow = std::max(0.0F, look_.px(4) - cell()) * 0.5F;
    ImGui::GetWindowDrawList()->AddRect({at.x - grow, at.y - grow},
                                        {at.x + cell() + grow, at.y + cell() + grow}, color, 0, 0,
                                        look_.px(1.5F));
  }

  /// Clusters at the cut: they stand together in the tree's order.
  void frames() const {
    const HeadClusters clusters = clustersAt(figures_.tree, panel_.view.heads.similarityCut);
    const auto clusterAt = [&](Index place) {
      return clusters.of[static_cast<std::size_t>(order_[static_cast<std::size_t>(place)])];
    };
    for (Index begin = 0; begin < count_;) {
      Index end = begin + 1;
      while (end < count_ && clusterAt(end) == clusterAt(begin)) ++end;
      if (end - begin > 1) {
        const float from = cell() * static_cast<float>(begin);
        const float to = cell() * static_cast<float>(end);
        const ImVec2 a(a_.x + from, a_.y + from);
        const ImVec2 b(a_.x + to, a_.y + to);
        // on any colour of the map
        ImGui::GetWindowDrawList()->AddRect(a, b, look_.theme.panel, 0, 0, look_.px(4));
        ImGui::GetWindowDrawList()->AddRect(a, b, look_.theme.text, 0, 0, look_.px(1.5F));
      }
      begin = end;
    }
  }

  /// The dendrogram beside the rows: joints lie the farther right the less alike, with the cut.
  void tree() const {
    const HeadTree& tree = figures_.tree;
    if (tree.merges.empty()) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Theme& t = look_.theme;
    const double low = std::min(tree.merges.back().similarity,
                                static_cast<double>(panel_.view.heads.similarityCut));
    const double range = std::max(1.0 - low, 1e-3);
    const float left = b_.x + look_.px(4);
    const float width = treeWidth_ - look_.px(12);
    const auto across = [&](double similarity) {
      return left + width * static_cast<float>((1.0 - similarity) / range);
    };
    std::vector<ImVec2> joints;  // of heads, then merges
    for (Index h = 0; h < tree.heads; ++h) {
      joints.push_back({left, a_.y + cell() * (static_cast<float>(placeOf(h)) + 0.5F)});
    }
    const float line = look_.px(1.2F);
    for (const HeadMerge& merge : tree.merges) {
      const ImVec2 p = joints[static_cast<std::size_t>(merge.left)];
      const ImVec2 q = joints[static_cast<std::size_t>(merge.right)];
      const float x = across(merge.similarity);
      list->AddLine(p, {x, p.y}, t.textMuted, line);
      list->AddLine(q, {x, q.y}, t.textMuted, line);
      list->AddLine({x, p.y}, {x, q.y}, t.textMuted, line);
      joints.push_back({x, (p.y + q.y) * 0.5F});
    }
    const float cut = across(panel_.view.heads.similarityCut);
    list->AddLine({cut, a_.y}, {cut, b_.y}, t.accent, line);
    drawTextCentred(list, font_, {cut, b_.y + labels_.y * 0.5F}, t.accentText, "cut");
  }

  const Panel& panel_;
  const Look& look_;
  const Figures& figures_;
  std::vector<Index> order_;
  Index count_;
  ImFont* font_ = nullptr;
  ImVec2 labels_, a_, b_;  // room for numbers; the matrix
  float treeWidth_ = 0.0F, barWidth_ = 0.0F, barAt_ = 0.0F;
  SimilarityShown shown_;
};

}  // namespace

std::vector<Index> similarityOrder(const Figures& figures, bool ordered) {
  if (ordered) return figures.tree.order;
  std::vector<Index> order(static_cast<std::size_t>(figures.report.similarity.heads));
  std::iota(order.begin(), order.end(), Index{0});
  return order;
}

ColorScale similarityScale(const Panel& panel, const HeadSimilarity& similarity) {
  ColorScale scale = colorScale(panel.look, panel.view, TensorId::weights, 1.0F);
  const double least = *std::min_element(similarity.values.begin(), similarity.values.end());
  scale.low = static_cast<float>(std::clamp(std::floor(least * 10.0) / 10.0, 0.0, 0.9));
  return scale;
}

SimilarityShown similarityMatrix(const Panel& panel, const Figures& figures, HeadPair chosen,
                                 ImVec2 size) {
  return Matrix(panel, figures, chosen, size).draw();
}

}  // namespace headscope::ui
