#include "app/ui/train/heads_over_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/train/train_page.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/words/head_place.h"

namespace headscope::ui {
namespace {

constexpr float kLargeRow = 62.0F;  // points: a picture that shows a pattern, and a line of words
constexpr float kLeastRow = 26.0F;

/// The heads that are shown, counted through all layers: all that fit in rows of some size, else
/// those that do something at one of the steps, if any does.
std::vector<Index> headsShown(const FrameContext& look, const Rect& room,
                              const HeadsOverSteps& shown) {
  std::vector<Index> all, named;
  for (Index n = 0; n < shown.layers * shown.heads; ++n) {
    all.push_back(n);
    const HeadOfLayer head{n / shown.heads, n % shown.heads};
    const bool does = std::ranges::any_of(
        shown.columns, [&](const HeadsColumn& column) { return !column.title(head).does.empty(); });
    if (does) named.push_back(n);
  }
  const bool fit = static_cast<float>(all.size()) * look.px(kLargeRow) <= room.height();
  return fit || named.empty() ? all : named;
}

class StepsPicture {
 public:
  StepsPicture(const FrameContext& look, Rect room, const HeadsOverSteps& shown,
               std::vector<Index> heads)
      : look_(look),
        shown_(shown),
        of_(std::move(heads)),
        heads_(std::ssize(of_)),
        line_(fontSize(look.fonts.small) + look.space.thin) {
    for (Index n = 0; n < heads_; ++n) {
      names_ = std::max(names_, textSize(look_.fonts.semibold, name(n)).x);
    }
    room.cutLeft(names_ + look_.space.medium);
    room.cutTop(2.0F * line_ + look_.space.small);
    const auto columns = static_cast<float>(shown.columns.size());
    const auto rows = static_cast<float>(heads_);
    const float gap = look_.space.medium;
    // what a head does stands below each picture that is large enough, else at its right
    const float below = room.height() / rows - line_ - gap;
    words_ = below >= look_.px(36) ? line_ : 0.0F;
    side_ = std::max(look_.px(8), std::min(room.width() / columns - gap,
                                           room.height() / rows - words_ - look_.space.small));
    pitch_ = std::min(room.width() / columns, std::max(side_ + gap, look_.px(110)));
    origin_ = room.a;
  }

  std::optional<Index> draw() const {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ColorScale scale = sequentialScale(look_, 0.0F, 1.0F);
    Heatmaps heatmaps(look_);
    for (std::size_t m = 0; m < shown_.columns.size(); ++m) {
      for (Index n = 0; n < heads_; ++n) {
        heatmaps.add(Fingerprint("over steps", m, n),
                     Fingerprint("moment", shown_.number, shown_.columns[m].step),
                     weightCells(weights(m, n), head(n).head, shown_.causal), scale, at(m, n));
      }
    }
    heatmaps.draw(list);
    std::optional<Index> clicked;
    for (std::size_t m = 0; m < shown_.columns.size(); ++m) {
      if (column(list, m)) clicked = shown_.columns[m].step;
    }
    for (Index n = 0; n < heads_; ++n) {
      const float y = at(0, n).centre().y - 0.5F * fontSize(look_.fonts.semibold);
      drawText(list, look_.fonts.semibold, {origin_.x - names_ - look_.space.medium, y},
               headColor(look_.theme, static_cast<std::size_t>(numberOf(n))), name(n));
    }
    return clicked;
  }

 private:
  Index numberOf(Index row) const { return of_[static_cast<std::size_t>(row)]; }
  HeadOfLayer head(Index row) const {
    return {numberOf(row) / shown_.heads, numberOf(row) % shown_.heads};
  }
  const Tensor& weights(std::size_t m, Index n) const {
    return shown_.columns[m].weights[static_cast<std::size_t>(head(n).layer)];
  }
  std::string name(Index n) const {
    return shown_.layers == 1 ? trFormat("Head {}", numberOf(n) + 1) : shortName(head(n));
  }
  Rect at(std::size_t m, Index n) const {
    return Rect::at({origin_.x + static_cast<float>(m) * pitch_,
                     origin_.y + static_cast<float>(n) * (side_ + words_ + look_.space.small)},
                    {side_, side_});
  }

  /// Draws a column's words. Returns whether one of its pictures was clicked.
  bool column(ImDrawList* list, std::size_t m) const {
    const Theme& t = look_.theme;
    const HeadsColumn& now = shown_.columns[m];
    const Rect top = at(m, 0);
    ImFont* font = look_.fonts.small;
    const float room = pitch_ - look_.space.tight;
    const auto line = [&](float y, const std::string& text, ImU32 color) {
      drawText(list, font, {top.a.x, y}, color, elided(font, text, room));
    };
    line(top.a.y - 2.0F * line_ - look_.space.thin, trFormat("step {}", withThousands(now.step)),
         t.text);
    line(top.a.y - line_ - look_.space.thin, trFormat("loss {:.2f}", now.loss), t.textMuted);
    bool clicked = false;
    for (Index n = 0; n < heads_; ++n) {
      const Rect picture = at(m, n);
      list->AddRect(picture.a, picture.b, t.panelBorder);
      const HeadTitle title = now.title(head(n));
      if (!title.does.empty()) words(list, title, picture);
      if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(picture.a, picture.b)) {
        showTooltip(trFormat("{} at step {}{}", name(n), withThousands(now.step),
                             title.does.empty() ? "" : ": " + title.words()),
                    picture);
        clicked |= ImGui::IsMouseClicked(0);
      }
    }
    return clicked;
  }

  void words(ImDrawList* list, const HeadTitle& title, const Rect& picture) const {
    ImFont* font = look_.fonts.small;
    const ImU32 color = title.color != 0 ? title.color : look_.theme.textMuted;
    if (words_ > 0.0F) {
      const std::string number = title.words().substr(title.does.size());  // never cut
      const float room = pitch_ - look_.space.tight - textSize(font, number).x;
      drawText(list, font, {picture.a.x, picture.b.y + look_.space.hair}, color,
               elided(font, title.does, room) + number);
      return;
    }
    const float room = pitch_ - side_ - look_.space.medium;
    if (room < look_.px(28)) return;
    if (textSize(font, title.does).x > room) font = look_.fonts.tiny;
    drawText(list, font,
             {picture.b.x + look_.space.tight, picture.centre().y - 0.5F * fontSize(font)}, color,
             elided(font, title.does, room));
  }

  const FrameContext& look_;
  const HeadsOverSteps& shown_;
  std::vector<Index> of_;
  Index heads_;
  float line_, names_ = 0.0F, words_ = 0.0F, side_ = 0.0F, pitch_ = 0.0F;
  ImVec2 origin_;
};

}  // namespace

std::optional<Index> drawHeadsOverSteps(const FrameContext& look, const Rect& room,
                                        const HeadsOverSteps& shown) {
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild("heads over steps", room.size());
  std::vector<Index> heads = headsShown(look, room, shown);
  const Index count = shown.layers * shown.heads;
  if (std::ssize(heads) < count) {
    label(look.fonts.small, look.theme.textMuted,
          trFormat("{} of {} heads: those that do something at one of these steps", heads.size(),
                   count));
  }
  // many heads are scrolled through
  const Rect rest = Rect::rest();
  const float height =
      std::max(rest.height(), (static_cast<float>(heads.size()) + 2.0F) * look.px(kLeastRow));
  const Rect all = Rect::at(ImGui::GetCursorScreenPos(), {room.width() - look.px(14), height});
  const auto clicked = StepsPicture(look, all, shown, std::move(heads)).draw();
  if (height > rest.height()) ImGui::Dummy({1.0F, height});
  ImGui::EndChild();
  return clicked;
}

}  // namespace headscope::ui
