// All levels of a chain next to each other, as one figure.
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
#include "core/base/translation.h"
#include "core/model/logit_parts.h"

namespace headscope::ui {
namespace {

constexpr double kReadsZero = 0.0005;
constexpr const char* kAboutLevels = trLater(
    "adds: with {} held · without it: the change of the {}, or of the number last reached, if the "
    "part adds nothing at this one place and everything after it runs again");
constexpr const char* kAboutPairsOfLevels = trLater(
    "; of a pair −Δq · Δk, what the query loses without its first writer times what the key loses "
    "without its second");
constexpr float kNarrowest = 250.0F, kLowest = 190.0F;  // points, of a level

bool isFollowed(const FoundWhy& found, std::size_t level, const PartLine& line) {
  if (level >= found.steps.size()) return false;
  const model::WhyStep& step = found.steps[level];
  switch (step.kind) {
    case model::WhyStep::Kind::head:
    case model::WhyStep::Kind::network:
      return line.follows && line.follows->kind == step.kind && line.follows->head == step.head;
    case model::WhyStep::Kind::neuron:
      return line.follows && line.follows->neuron.expert == step.neuron.expert &&
             line.follows->neuron.number == step.neuron.number;
    case model::WhyStep::Kind::value:
    case model::WhyStep::Kind::score:
      return line.place == step.source;
    case model::WhyStep::Kind::entry:
      return line.follows && line.follows->query == step.query && line.follows->key == step.key;
  }
  return false;
}

/// The numbers of a line at its right end: what it adds, and of measured levels the change without
/// it.
struct NumberColumns {
  LineChanges changes;
  float width;

  /// Draws two texts in their columns; returns the width of both.
  float draw(const FrameContext& look, ImFont* font, const Rect& at, ImU32 color,
             const std::string& adds, const std::string& total) const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto right = [&](const std::string& text, float end, ImU32 of) {
      drawText(list, font, {end - textSize(font, text).x, at.a.y}, of, text);
    };
    if (changes.measured) right(total, at.b.x, look.theme.textMuted);
    const float end = changes.measured ? at.b.x - width : at.b.x;
    right(adds, end, color);
    return at.b.x - end + std::max(width, textSize(font, adds).x);
  }
};

/// Draws a line: its name, its numbers and a bar below them.
void drawLine(const FrameContext& look, const WhyWords& words, const Rect& at, const PartLine& line,
              const BarRange& range, bool followed, const NumberColumns& numbers) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = look.fonts.small;
  const ImU32 color = followed ? look.theme.accentText : look.theme.text;
  const float width = numbers.draw(look, font, at, color, changeInWords(line.value),
                                   totalInWords(numbers.changes, line));
  const float room = at.width() - width - look.space.medium;
  std::string name = line.name;
  if (line.weight) {
    name +=
        fmt::format("  {} {:.2f}", line.place >= 0 ? tr("weight") : tr("activation"), *line.weight);
  }
  if (line.follows && line.writer && textSize(font, name).x > room) {
    name = words.shortName(*line.writer, line.place);
  }
  float before = 0.0F;
  if (const TokenPictures* pictures = words.pictures(); pictures && pictures->has(line.place)) {
    const float side = fontSize(font);
    pictures->draw(look, list, {{line.place, Rect::at(at.a, {side, side})}});
    before = side + look.space.tight;
  }
  drawText(list, font, {at.a.x + before, at.a.y}, color, elided(font, name, room - before));
  const ColorScale scale = divergingScale(look, 1.0F);
  const float top = at.a.y + fontSize(font) + look.space.thin;
  drawSignedBar(look, list, Rect::at({at.a.x, top}, {at.width(), look.space.thin}), range,
                line.value, scale.color(look.maps, line.value < 0.0 ? -1e30F : 1e30F));
}

/// Draws lines of text at the top of a room, and cuts them off it.
void drawParagraph(const FrameContext& look, Rect& room, const std::string& text, ImU32 color,
                   ImFont* font) {
  const std::string said = wrapped(font, text, room.width());
  const Rect at = room.cutTop(textSize(font, said).y, look.space.small);
  drawText(ImGui::GetWindowDrawList(), font, at.a, color, said);
}

void drawLevel(const FrameContext& look, const WhyWords& words, const FoundWhy& found,
               std::size_t level, const ChangesOfLevels& changes, Rect room) {
  const auto* without = changes.parts == nullptr ? nullptr : &(*changes.parts)[level];
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rect around = room.outset(look.space.tight);
  list->PushClipRect(around.a, around.b, true);
  const std::string title = fmt::format("{}  {}", level + 1, words.nameOf(found, level));
  drawParagraph(look, room, title, look.theme.text, look.fonts.semibold);
  drawParagraph(look, room, words.inWords(found, level), look.theme.textMuted, look.fonts.tiny);
  if (without != nullptr) {
    const std::string gone = words.withoutInWords(found, level, *without);
    if (!gone.empty()) drawParagraph(look, room, gone, look.theme.text, look.fonts.tiny);
  }
  const float width = textSize(look.fonts.small, tr("without it")).x + look.space.small;
  const bool ofPairs = changes.ofPairs && found.levels[level].score;
  const NumberColumns numbers{
      {.measured = ofPairs || found.levels[level].parts,
       .writers = without == nullptr ? nullptr : &without->parts,
       .pairs = changes.pairs == nullptr ? nullptr : &(*changes.pairs)[level]},
      width};
  if (numbers.changes.measured) {
    const Rect top = room.cutTop(fontSize(look.fonts.tiny), look.space.thin);
    numbers.draw(look, look.fonts.tiny, top, look.theme.textMuted, "adds", tr("without it"));
  }
  std::vector<PartLine> lines = words.linesOf(found.levels[level], {});
  const float each = fontSize(look.fonts.small) + look.space.medium;
  const auto ofSize = std::ranges::count_if(
      lines, [](const PartLine& line) { return std::abs(line.value) >= kReadsZero; });
  const auto fit = static_cast<std::size_t>(std::max(1.0F, room.height() / each));
  lines = restSummed(std::move(lines), std::min(fit, static_cast<std::size_t>(ofSize) + 2));
  const BarRange range = barRange(lines);
  for (const PartLine& line : lines) {
    drawLine(look, words, room.cutTop(each - look.space.thin, look.space.thin), line, range,
             isFollowed(found, level, line), numbers);
  }
  list->PopClipRect();
}

}  // namespace

std::optional<std::size_t> drawLevels(const FrameContext& look, const WhyWords& words,
                                      const FoundWhy& found, const ChangesOfLevels& changes) {
  std::optional<std::size_t> clicked;
  const std::size_t count = found.levels.size();
  ImGui::BeginChild("levels", ImGui::GetContentRegionAvail());
  const Rect whole = Rect::rest();
  std::string about = fmt::format(fmt::runtime(tr(kAboutLevels)),
                                  model::heldInWords(words.config(), !found.levels.front().reached),
                                  WhyWords::wholeOf(found.question));
  if (changes.ofPairs) about += tr(kAboutPairsOfLevels);
  const float foot = textSize(look.fonts.tiny, wrapped(look.fonts.tiny, about, whole.width())).y;
  const auto most = std::clamp<std::size_t>(
      static_cast<std::size_t>(whole.width() / look.px(kNarrowest)), 1, count);
  const std::size_t rows = (count + most - 1) / most;
  const std::size_t across = (count + rows - 1) / rows;
  const float height =
      std::max(look.px(kLowest), (whole.height() - foot) / static_cast<float>(rows));
  for (std::size_t i = 0; i < count; ++i) {
    const Rect band = Rect::at({whole.a.x, whole.a.y + height * static_cast<float>(i / across)},
                               {whole.width(), height - look.space.medium});
    const Rect cell =
        band.column(static_cast<int>(i % across), static_cast<int>(across), look.space.large);
    ImGui::SetCursorScreenPos(cell.a);
    if (ImGui::InvisibleButton(trFormat("level {}", i).c_str(), cell.size())) clicked = i;
    if (ImGui::IsItemHovered()) {
      ImGui::GetWindowDrawList()->AddRectFilled(cell.a, cell.b, look.theme.accentSoft,
                                                look.space.small);
    }
    tip(look, tr("A click opens this level"));
    drawLevel(look, words, found, i, changes, cell.inset(look.space.tight));
  }
  ImGui::SetCursorScreenPos({whole.a.x, whole.a.y + height * static_cast<float>(rows)});
  ImGui::Dummy({whole.width(), foot});
  Rect below =
      Rect::at({whole.a.x, whole.a.y + height * static_cast<float>(rows)}, {whole.width(), foot});
  drawParagraph(look, below, about, look.theme.textMuted, look.fonts.tiny);
  ImGui::EndChild();
  return clicked;
}

}  // namespace headscope::ui
