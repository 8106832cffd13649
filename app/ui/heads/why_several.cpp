#include "app/ui/heads/why_several.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/heads/pooled.h"
#include "app/ui/matrix_view.h"
#include "app/ui/scene_commands.h"
#include "app/ui/widgets.h"
#include "core/weights/designed_heads.h"

namespace headscope::ui {
namespace {

constexpr Index kFinest = 256;  // blocks along a side of a picture
constexpr std::uint64_t kPlace = 0x57485953ULL;

/// The heads that declare a relation with a partner for some token of the item.
struct Candidate {
  Index head;
  DeclaredRelation relation;
};

std::vector<Candidate> candidatesOf(const Panel& panel) {
  std::vector<Candidate> found;
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

/// True where some query is to look at two different keys.
bool conflict(const DeclaredRelation& a, const DeclaredRelation& b, std::size_t item) {
  const auto& first = a.partners[item];
  const auto& second = b.partners[item];
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] && second[i] && *first[i] != *second[i]) return true;
  }
  return false;
}

const Candidate* candidateOf(const std::vector<Candidate>& candidates, Index head) {
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [head](const Candidate& c) { return c.head == head; });
  return found == candidates.end() ? nullptr : &*found;
}

/// Two that want different keys for one token, where there are such.
std::array<Index, 2> firstPair(const std::vector<Candidate>& candidates, std::size_t item) {
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    for (std::size_t b = a + 1; b < candidates.size(); ++b) {
      if (conflict(candidates[a].relation, candidates[b].relation, item)) {
        return {candidates[a].head, candidates[b].head};
      }
    }
  }
  return {candidates[0].head, candidates[1].head};
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

void measure(const Panel& panel, WhySeveralMemory& memory, const Candidate& a, const Candidate& b) {
  if (auto outcome = memory.task.take()) {
    memory.error = std::move(outcome->error);
    memory.figures = outcome->result
                         ? std::make_shared<const WhySeveralFigures>(std::move(*outcome->result))
                         : nullptr;
    ++memory.serial;
  }
  const WhySeveralMemory::Asked wanted{panel.trace.pass(), panel.view.item, {a.head, b.head}};
  if (memory.asked == wanted) return;
  memory.asked = wanted;
  memory.figures = nullptr;
  memory.error.clear();
  memory.task.request([trace = panel.trace, wanted, relations = std::array{a.relation, b.relation}](
                          const std::atomic<bool>& cancelled) -> std::optional<WhySeveralFigures> {
    Execution execution;
    execution.cancelled = &cancelled;
    auto measured = twoInOne(trace, wanted.item, wanted.heads, relations, execution);
    if (!measured) return std::nullopt;
    WhySeveralFigures figures{std::move(*measured), 0, 0, {}};
    const AttentionConfig& c = trace.config();
    const auto blocksOf = [](Index cells) {
      const Index step = (cells + kFinest - 1) / kFinest;
      return (cells + step - 1) / step;
    };
    figures.rows = blocksOf(c.seqLen);
    figures.cols = blocksOf(c.keys());
    for (std::size_t i = 0; i < 3; ++i) {
      figures.cells[i] =
          pictureOf(figures.measured.weights[i], trace, wanted.item, figures.rows, figures.cols);
    }
    return figures;
  });
}

/// A relation as a button that goes to the next one.
void chooser(const Panel& panel, WhySeveralMemory& memory, std::size_t which,
             const std::vector<Candidate>& candidates) {
  const Look& look = panel.look;
  const Candidate& now = *candidateOf(candidates, memory.heads[which]);
  const std::string id = which == 0 ? "first relation" : "second relation";
  const std::string text = now.relation.name + " ▾###" + id;
  if (pill(look, text.c_str())) ImGui::OpenPopup(id.c_str());
  tip(look, "Another relation");
  if (beginPopup(id.c_str())) {
    for (const Candidate& c : candidates) {
      const bool other = c.head == memory.heads[1 - which];
      const std::string name = fmt::format("Head {} · {}", c.head + 1, c.relation.name);
      if (ImGui::MenuItem(name.c_str(), nullptr, c.head == now.head, !other)) {
        memory.heads[which] = c.head;
      }
    }
    ImGui::EndPopup();
  }
}

std::string scoreText(const Measured& score) {
  return score ? fmt::format("{:.2f}", *score) : score.why;
}

std::string conclusion(const TwoInOne& m, const Candidate& a, const Candidate& b) {
  const auto of = [&](std::size_t w, std::size_t r) { return scoreText(m.scores[w][r]); };
  return fmt::format(
      "Two heads give {} ({}) and {} ({}) of their weight to the tokens they are for. One head "
      "that "
      "holds the matrices of both has the sum of their scores, and one softmax for it: {} and {}. "
      "What is larger wins, what is alike is shared, and the other task is lost. Entropy: {} bits "
      "against {} and {}.",
      of(0, 0), a.relation.name, of(1, 1), b.relation.name, of(2, 0), of(2, 1),
      scoreText(m.entropy[2]), scoreText(m.entropy[0]), scoreText(m.entropy[1]));
}

/// The three matrices side by side, each with its numbers below its name.
void pictures(const Panel& panel, const WhySeveralMemory& memory, const Candidate& a,
              const Candidate& b) {
  const Look& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const WhySeveralFigures& figures = *memory.figures;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const auto& queries = laneTokens(panel.trace, Lane::query, panel.view.item);
  const auto& keys = laneTokens(panel.trace, Lane::key, panel.view.item);
  const float labels = labelWidth(look.fonts.tiny, queries, look.px(56)) + look.px(6);
  const float below = look.px(30);
  const float third = room.x / 3.0F;
  const float words = std::min(look.px(250), third * 0.45F);
  const float side =
      std::max(look.px(20), std::min(third - labels - words - look.px(30), room.y - below));
  const ImVec2 size(
      c.keys() >= c.seqLen ? side
                           : side * static_cast<float>(c.keys()) / static_cast<float>(c.seqLen),
      c.seqLen >= c.keys() ? side
                           : side * static_cast<float>(c.seqLen) / static_cast<float>(c.keys()));
  const ColorScale scale = colorScale(look, panel.view, TensorId::weights, 1.0F);
  gl::HeatmapBatch batch;
  const std::array<std::string, 3> names{fmt::format("Head {}", a.head + 1),
                                         fmt::format("Head {}", b.head + 1),
                                         std::string("One head for both")};
  const std::array<ImU32, 3> colors{headColor(t, static_cast<std::size_t>(a.head)),
                                    headColor(t, static_cast<std::size_t>(b.head)), t.text};
  for (std::size_t i = 0; i < 3; ++i) {
    const ImVec2 corner(at.x + static_cast<float>(i) * third + labels, at.y);
    const ImVec2 end(corner.x + size.x, corner.y + size.y);
    gl::HeatmapSource source;
    source.key = kPlace + i;
    source.revision = memory.serial;
    source.rows = static_cast<int>(figures.rows);
    source.cols = static_cast<int>(figures.cols);
    source.fill = [held = memory.figures, i](float* out) {
      std::copy(held->cells[i].begin(), held->cells[i].end(), out);
    };
    addSource(batch, look, std::move(source), scale, corner, end);
    const LabelStyle style{look.fonts.tiny, t.textMuted, t.textMuted};
    drawRowLabels(list, queries, {corner.x - look.px(4), corner.y},
                  size.y / static_cast<float>(c.seqLen), labels, style);
    drawColumnLabels(list, keys, {corner.x, end.y + look.px(3)},
                     size.x / static_cast<float>(c.keys()), below, style);
    const float x = end.x + look.px(12);
    const float width = at.x + static_cast<float>(i + 1) * third - x - look.px(8);
    float y = corner.y;
    const auto line = [&](ImFont* font, ImU32 color, const std::string& text) {
      drawText(list, font, {x, y}, color, elided(font, text, width));
      y += fontSize(font) + look.px(4);
    };
    line(look.fonts.semibold, colors[i], names[i]);
    for (std::size_t r = 0; r < 2; ++r) {
      line(look.fonts.small, t.textMuted, r == 0 ? a.relation.name : b.relation.name);
      line(look.fonts.mono, t.text, scoreText(figures.measured.scores[i][r]));
    }
    line(look.fonts.small, t.textMuted, "entropy, bits");
    line(look.fonts.mono, t.text, scoreText(figures.measured.entropy[i]));
  }
  addHeatmaps(list, look.scene, std::move(batch));
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
  const std::vector<Candidate> candidates = candidatesOf(panel);
  if (candidates.size() < 2) {
    nothing(panel,
            "Two heads that are said to do something are needed, each with a token to do it for. "
            "Designed heads do, on a sentence, from d_model 512 and 8 heads on.");
    return;
  }
  const auto item = static_cast<std::size_t>(panel.view.item);
  const bool gone = candidateOf(candidates, memory.heads[0]) == nullptr ||
                    candidateOf(candidates, memory.heads[1]) == nullptr;
  if (gone) memory.heads = firstPair(candidates, item);
  inlineLabel(look, look.fonts.small, look.theme.textMuted, "one head asked to do");
  chooser(panel, memory, 0, candidates);
  ImGui::SameLine(0.0F, look.px(6));
  inlineLabel(look, look.fonts.small, look.theme.textMuted, "and");
  chooser(panel, memory, 1, candidates);
  ImGui::SameLine(0.0F, look.px(12));
  inlineLabel(look, look.fonts.small, look.theme.textMuted, kDesignedNotLearned);
  ImGui::NewLine();
  const Candidate& a = *candidateOf(candidates, memory.heads[0]);
  const Candidate& b = *candidateOf(candidates, memory.heads[1]);
  measure(panel, memory, a, b);
  if (!memory.figures) {
    const bool failed = !memory.error.empty();
    label(look.fonts.regular, failed ? look.theme.bad : look.theme.textMuted,
          failed ? memory.error : std::string("measuring …"));
    return;
  }
  ImGui::PushTextWrapPos(0.0F);
  label(look.fonts.small, look.theme.text, conclusion(memory.figures->measured, a, b));
  ImGui::PopTextWrapPos();
  ImGui::Dummy({0.0F, look.px(2)});
  pictures(panel, memory, a, b);
}

}  // namespace headscope::ui
