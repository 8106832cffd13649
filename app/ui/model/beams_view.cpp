#include "app/ui/model/beams_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/layout.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

using model::BeamNode;
using model::BeamPath;
using model::Beams;

/// A tree with a column for each step, and a line for each node without children. The best path
/// stands in the first line.
class BranchTree {
 public:
  explicit BranchTree(const Beams& beams) : lines_(beams.nodes.size(), 0) {
    for (const BeamNode& node : beams.nodes) depth_ = std::max(depth_, node.depth);
    place(beams, -1, beams.nodesOf(beams.paths.front()));
  }

  Index depth() const { return depth_; }
  Index lines() const { return lineCount_; }
  Index lineOf(std::size_t node) const { return lines_[node]; }

 private:
  /// Places all nodes below one: those of the best path, then the most probable ones.
  void place(const Beams& beams, Index parent, const std::vector<Index>& best) {
    std::vector<Index> children;
    for (Index i = 0; i < std::ssize(beams.nodes); ++i) {
      if (beams.nodes[static_cast<std::size_t>(i)].parent == parent) children.push_back(i);
    }
    std::ranges::stable_sort(children, {}, [&](Index i) {
      const bool other = std::ranges::find(best, i) == best.end();
      return std::pair(other, -beams.nodes[static_cast<std::size_t>(i)].logProbability);
    });
    for (const Index child : children) {
      lines_[static_cast<std::size_t>(child)] = lineCount_;
      place(beams, child, best);
    }
    if (children.empty()) ++lineCount_;
  }

  std::vector<Index> lines_;
  Index depth_ = 0, lineCount_ = 0;
};

/// The node to which a path is shown.
Index shownEnd(const Beams& beams, Index chosen) {
  const bool there = chosen >= 0 && chosen < std::ssize(beams.nodes);
  return there ? chosen : beams.paths.front().end;
}

/// The best path through a node, or the node itself where none of the best leads through it.
Index endThrough(const Beams& beams, Index node) {
  for (const BeamPath& path : beams.paths) {
    const std::vector<Index> nodes = beams.nodesOf(path);
    if (std::ranges::find(nodes, node) != nodes.end()) return path.end;
  }
  return node;
}

std::string inWords(const Beams& beams, Index node, const ModelMoment& moment) {
  const BeamNode& of = beams.nodes[static_cast<std::size_t>(node)];
  std::string words =
      trFormat("“{}”: probability {}, log-probability {:.3f}; from the text to here {:.3f} over {}",
               moment.nameOf(of.token.id), probabilityInWords(of.token.probability),
               std::log(of.token.probability), of.logProbability,
               counted(of.depth, tr("{} token"), tr("{} tokens")));
  const std::string rule = ruleInWords(of.token, [&](Index id) { return moment.nameOf(id); });
  if (!rule.empty()) words += "\n" + rule;
  if (of.token.forced()) words += tr(": it adds 0 to the sum");
  const auto path = std::ranges::find(beams.paths, node, &BeamPath::end);
  if (path == beams.paths.end()) return words;
  return words + trFormat("\npath {} of {}: mean log-probability {:.3f}{}",
                          path - beams.paths.begin() + 1, beams.paths.size(), path->score,
                          !path->ended        ? ""
                          : of.token.forced() ? tr("; the text may not be longer")
                                              : tr("; the model ends the text here"));
}

}  // namespace

std::vector<Index> tokensTo(const Beams& beams, Index chosen) {
  std::vector<Index> ids;
  for (const Index node : beams.nodesOf({shownEnd(beams, chosen)})) {
    ids.push_back(beams.nodes[static_cast<std::size_t>(node)].token.id);
  }
  return ids;
}

void drawBranches(const PanelContext& panel, const ModelMoment& moment, const Beams& beams,
                  Index& chosen) {
  const FrameContext& look = panel.look;
  const BranchTree tree(beams);
  const std::vector<Index> shown = beams.nodesOf({shownEnd(beams, chosen)});
  ImFont* font = look.fonts.small;
  const ImVec2 cell(look.px(74), fontSize(font) + fontSize(look.fonts.tiny) + look.space.small);
  ImGui::BeginChild("branches", {0.0F, 0.0F}, false, ImGuiWindowFlags_HorizontalScrollbar);
  const ImVec2 from = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto rectOf = [&](std::size_t i) {
    return Rect::at({from.x + static_cast<float>(beams.nodes[i].depth - 1) * cell.x,
                     from.y + static_cast<float>(tree.lineOf(i)) * cell.y},
                    {cell.x - look.space.medium, cell.y - look.space.tight});
  };
  for (std::size_t i = 0; i < beams.nodes.size(); ++i) {
    const BeamNode& node = beams.nodes[i];
    const Rect at = rectOf(i);
    const bool onPath = std::ranges::find(shown, static_cast<Index>(i)) != shown.end();
    if (node.parent >= 0) {
      const Rect before = rectOf(static_cast<std::size_t>(node.parent));
      const ImU32 color = onPath ? look.theme.accent : withAlpha(look.theme.textMuted, 0.5F);
      const float thick = onPath ? look.space.thin : look.space.hair;
      const float across = before.b.x + 0.4F * (at.a.x - before.b.x);
      const float start = before.centre().y, end = at.centre().y;
      list->AddLine({before.b.x, start}, {across, start}, color, thick);
      if (end != start) list->AddLine({across, start}, {across, end}, color, thick);
      list->AddLine({across, end}, {at.a.x, end}, color, thick);
    }
    const bool ends =
        std::ranges::find(beams.paths, static_cast<Index>(i), &BeamPath::end) != beams.paths.end();
    if (onPath)
      list->AddRectFilled(at.a, at.b, withAlpha(look.theme.accent, 0.25F), look.space.tight);
    if (ends) list->AddRect(at.a, at.b, look.theme.accent, look.space.tight);
    const float width = at.width() - 2.0F * look.space.small;
    drawText(list, font, {at.a.x + look.space.small, at.a.y}, look.theme.text,
             elided(font, moment.nameOf(node.token.id), width));
    drawText(list, look.fonts.tiny, {at.a.x + look.space.small, at.a.y + fontSize(font)},
             look.theme.textMuted, fmt::format("{:.2f}", node.logProbability));
    ImGui::SetCursorScreenPos(at.a);
    if (ImGui::InvisibleButton(trFormat("node {}", i).c_str(), at.size())) {
      chosen = endThrough(beams, static_cast<Index>(i));
    }
    tip(look, inWords(beams, static_cast<Index>(i), moment));
  }
  ImGui::SetCursorScreenPos(from);
  ImGui::Dummy(
      {static_cast<float>(tree.depth()) * cell.x, static_cast<float>(tree.lines()) * cell.y});
  ImGui::EndChild();
}

}  // namespace headscope::ui
