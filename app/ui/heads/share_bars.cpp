#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/control_focus.h"
#include "app/ui/heads/effect_picture.h"
#include "app/ui/heads/output_shares.h"
#include "app/ui/heads/token_axis.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr Index kMostPieces = 6000;  // rectangles of a frame

class Stacks {
 public:
  Stacks(const Panel& panel, const SharePicture& picture)
      : panel_(panel),
        look_(panel.look),
        picture_(picture),
        ticks_(roundTicks(picture.bars.lowest(), picture.bars.highest())),
        list_(ImGui::GetWindowDrawList()) {}

  void draw(ImVec2 size) {
    const Theme& t = look_.theme;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float caption = fontSize(look_.fonts.small) + look_.px(7);
    std::string title = "share of each token's output, by head";
    if (picture_.tokens.several())
      title += fmt::format(" · a bar is the mean of {} tokens", picture_.tokens.tokensPerBar());
    drawText(list_, look_.fonts.small, at, t.text, elided(look_.fonts.small, title, size.x));

    const float gutter = textSize(look_.fonts.tiny, "1 = output").x + look_.px(8);
    const auto tokens = static_cast<float>(panel_.trace.config().seqLen);
    const float width = std::min(size.x - gutter, tokens * look_.px(110));
    const TokenAxis axis(panel_, width, size.y);
    a_ = {at.x + gutter, at.y + caption};
    b_ = {a_.x + width, std::max(at.y + size.y - axis.room(), a_.y + look_.px(16))};
    drawTicks();
    for (Index bar = 0; bar < bars(); ++bar) drawStack(bar);
    axis.draw(list_, {a_.x, b_.y});
    pick();
  }

 private:
  Index bars() const { return picture_.tokens.count(); }
  float pitch() const { return (b_.x - a_.x) / static_cast<float>(bars()); }

  float yOf(double share) const {
    const double f = (share - ticks_.front()) / (ticks_.back() - ticks_.front());
    return b_.y - (b_.y - a_.y) * static_cast<float>(f);
  }

  void drawTicks() {
    const Theme& t = look_.theme;
    const float half = fontSize(look_.fonts.tiny) * 0.5F;
    const auto mark = [&](double share, const std::string& text, ImU32 color) {
      const float y = yOf(share);
      const ImVec2 size = textSize(look_.fonts.tiny, text);
      list_->AddLine({a_.x, y}, {b_.x, y}, color);
      drawText(list_, look_.fonts.tiny, {a_.x - look_.px(6) - size.x, y - half}, t.textMuted, text);
    };
    mark(1.0, "1 = output", t.text);
    mark(0.0, "0", t.textMuted);
    for (const double tick : ticks_) {
      const float y = yOf(tick);
      const bool taken = std::abs(y - yOf(0.0)) < 2 * half || std::abs(y - yOf(1.0)) < 2 * half;
      if (!taken) mark(tick, fmt::format("{:g}", tick), t.divider);
    }
  }

  ImU32 color(std::size_t head, bool bias) const {
    return bias ? look_.theme.textMuted : headColor(look_.theme, head);
  }

  /// Positive shares upwards, negative ones downwards, in the heads' order.
  template <typename Piece>
  void eachPiece(Index bar, Piece&& piece) const {
    double above = 0.0;
    double below = 0.0;
    const std::vector<double>& shares = picture_.bars.of(bar);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      double& end = shares[i] < 0.0 ? below : above;
      const double from = end;
      end += shares[i];
      piece(i, i + 1 == shares.size(), yOf(std::max(from, end)), yOf(std::min(from, end)));
    }
  }

  float thickness() const {
    return pitch() >= look_.px(4) ? std::min(pitch() * 0.8F, look_.px(44)) : pitch();
  }

  void drawStack(Index bar) {
    const float left = a_.x + (static_cast<float>(bar) + 0.5F) * pitch() - thickness() * 0.5F;
    const float right = left + thickness();
    eachPiece(bar, [&](std::size_t i, bool bias, float top, float bottom) {
      if (bottom - top < 0.25F) return;
      const bool chosen = !bias && static_cast<Index>(i) == panel_.view.head;
      list_->AddRectFilled({left, top}, {right, bottom}, withAlpha(color(i, bias), 0.85F));
      const float edge = look_.px(chosen ? 2.0F : 0.5F);
      const bool alone = panel_.trace.config().numHeads == 1;
      if (alone || bottom - top < look_.px(5) || thickness() < look_.px(6)) return;
      list_->AddRect({left, top}, {right, bottom}, chosen ? look_.theme.text : look_.theme.panel, 0,
                     0, edge);
    });
  }

  void pick() {
    ImGui::SetCursorScreenPos(a_);
    const bool clicked = pictureArea("shares", {b_.x - a_.x, b_.y - a_.y});
    if (!ImGui::IsItemHovered()) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Index bar =
        std::clamp<Index>(static_cast<Index>((mouse.x - a_.x) / pitch()), 0, bars() - 1);
    const Index token = picture_.tokens.begin(bar);
    std::string text = tokenInQuotes(panel_, token);
    if (picture_.tokens.end(bar) - token > 1) {
      text += fmt::format(" … {}, mean", tokenInQuotes(panel_, picture_.tokens.end(bar) - 1));
    }
    Index head = -1;
    eachPiece(bar, [&](std::size_t i, bool bias, float top, float bottom) {
      if (mouse.y < top || mouse.y >= bottom) return;
      if (!bias) head = static_cast<Index>(i);
      text += fmt::format("\n{}: {}", bias ? "b_O" : fmt::format("head {}", i + 1),
                          cellNumber(picture_.bars.of(bar)[i], 3));
    });
    ImGui::SetTooltip("%s", text.c_str());
    if (!clicked) return;
    if (head >= 0) panel_.view.head = head;
    chooseToken(panel_, token);
  }

  const Panel& panel_;
  const Look& look_;
  const SharePicture& picture_;
  std::vector<double> ticks_;
  ImDrawList* list_;
  ImVec2 a_, b_;
};

}  // namespace

Index mostShareBars(const Look& look, float width, Index heads) {
  const auto fitting = static_cast<Index>(width / look.px(3));
  return std::max<Index>(1, std::min(fitting, kMostPieces / (heads + 1)));
}

void shareBars(const Panel& panel, const SharePicture& picture, ImVec2 size) {
  Stacks(panel, picture).draw(size);
}

}  // namespace headscope::ui
