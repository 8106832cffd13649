// All levels of a chain beside each other, as one figure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/ui/compat.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/why_tables.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr double kReadsZero = 0.0005;
constexpr float kNarrowest = 250.0F, kLowest = 190.0F;  // points, of a level

bool isFollowed(const FoundWhy& found, std::size_t level, const PartLine& line) {
  if (level >= found.steps.size()) return false;
  const model::WhyStep& step = found.steps[level];
  switch (step.kind) {
    case model::WhyStep::Kind::head:
    case model::WhyStep::Kind::network:
      return line.follows && line.follows->kind == step.kind && line.follows->head == step.head;
    case model::WhyStep::Kind::value:
    case model::WhyStep::Kind::score:
      return line.place == step.source;
    case model::WhyStep::Kind::entry:
      return line.follows && line.follows->query == step.query && line.follows->key == step.key;
  }
  return false;
}

/// Draws a line: its name, its number and a bar below them.
void drawLine(const FrameContext& look, const Rect& at, const PartLine& line, double most,
              bool followed) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const ImU32 color = followed ? look.theme.accentText : look.theme.text;
  const std::string value = changeInWords(line.value);
  const float width = textSize(look.fonts.small, value).x;
  const char* of = line.place >= 0 ? "weight" : "activation";
  const std::string weight = line.weight ? fmt::format("  {} {:.2f}", of, *line.weight) : "";
  drawText(list, font, at.a, color,
           elided(font, line.name + weight, at.width() - width - look.space.medium));
  drawText(list, look.fonts.small, {at.b.x - width, at.a.y}, color, value);
  const ColorScale scale = divergingScale(look, 1.0F);
  const double size = std::min(1.0, std::abs(line.value) / most);
  const float length = at.width() * static_cast<float>(size);
  list->AddRectFilled({at.a.x, at.b.y - look.space.thin}, {at.a.x + length, at.b.y},
                      scale.color(look.maps, line.value < 0.0 ? -1e30F : 1e30F));
}

void drawLevel(const FrameContext& look, const WhyWords& words, const FoundWhy& found,
               std::size_t level, Rect room) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(room.a, room.b, true);
  const std::string title = fmt::format("{}  {}", level + 1, words.nameOf(found, level));
  const Rect head = room.cutTop(fontSize(look.fonts.semibold), look.space.tight);
  drawText(list, look.fonts.semibold, head.a, look.theme.text,
           elided(look.fonts.semibold, title, room.width()));
  const std::string said = wrapped(look.fonts.tiny, words.inWords(found, level), room.width());
  const Rect about = room.cutTop(textSize(look.fonts.tiny, said).y, look.space.small);
  drawText(list, look.fonts.tiny, about.a, look.theme.textMuted, said);
  std::vector<PartLine> lines = words.linesOf(found.levels[level], {});
  const double most = lines.empty() ? 1.0 : std::max(1e-12, std::abs(lines.front().value));
  const float each = fontSize(look.fonts.small) + look.space.medium;
  const auto ofSize = std::ranges::count_if(
      lines, [](const PartLine& line) { return std::abs(line.value) >= kReadsZero; });
  const auto fit = static_cast<std::size_t>(std::max(1.0F, room.height() / each));
  lines = restSummed(std::move(lines), std::min(fit, static_cast<std::size_t>(ofSize) + 2));
  for (const PartLine& line : lines) {
    drawLine(look, room.cutTop(each - look.space.thin, look.space.thin), line, most,
             isFollowed(found, level, line));
  }
  list->PopClipRect();
}

}  // namespace

std::optional<std::size_t> drawLevels(const FrameContext& look, const WhyWords& words,
                                      const FoundWhy& found) {
  std::optional<std::size_t> clicked;
  const std::size_t count = found.levels.size();
  ImGui::BeginChild("levels", ImGui::GetContentRegionAvail());
  const Rect whole = Rect::rest();
  const auto across = std::clamp<std::size_t>(
      static_cast<std::size_t>(whole.width() / look.px(kNarrowest)), 1, count);
  const std::size_t rows = (count + across - 1) / across;
  const float height = std::max(look.px(kLowest), whole.height() / static_cast<float>(rows));
  for (std::size_t i = 0; i < count; ++i) {
    const Rect band = Rect::at({whole.a.x, whole.a.y + height * static_cast<float>(i / across)},
                               {whole.width(), height - look.space.medium});
    const Rect cell =
        band.column(static_cast<int>(i % across), static_cast<int>(across), look.space.large);
    ImGui::SetCursorScreenPos(cell.a);
    if (ImGui::InvisibleButton(fmt::format("level {}", i).c_str(), cell.size())) clicked = i;
    if (ImGui::IsItemHovered()) {
      ImGui::GetWindowDrawList()->AddRectFilled(cell.a, cell.b, look.theme.accentSoft,
                                                look.space.small);
    }
    tip(look, "A click opens this level");
    drawLevel(look, words, found, i, cell.inset(look.space.tight));
  }
  ImGui::EndChild();
  return clicked;
}

}  // namespace headscope::ui
