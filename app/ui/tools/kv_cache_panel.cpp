#include "app/ui/tools/kv_cache_panel.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/ui/axis_labels.h"
#include "app/ui/compat.h"
#include "app/ui/tools/kv_cache_counts.h"
#include "app/ui/tools/kv_cache_picture.h"
#include "app/ui/widgets.h"

namespace headscope::ui {
namespace {

constexpr double kSecondsPerToken = 1.0;

Index lastPosition(const Panel& panel) { return panel.trace.config().seqLen - 1; }

void play(const Panel& panel) {
  ViewState& view = panel.view;
  if (!view.decodePlaying) return;
  if (panel.look.now - view.decodeShownAt >= kSecondsPerToken) {
    view.decodeShownAt = panel.look.now;
    if (view.decodePosition >= lastPosition(panel)) {
      view.decodePlaying = false;
    } else {
      ++view.decodePosition;
    }
  }
  if (view.decodePlaying) {
    panel.look.changesIn(view.decodeShownAt + kSecondsPerToken - panel.look.now);
  }
}

void playButton(const Panel& panel) {
  const Look& look = panel.look;
  ViewState& view = panel.view;
  ImGui::PushStyleColor(ImGuiCol_Button, look.theme.accent);
  ImGui::PushStyleColor(ImGuiCol_ButtonHovered, withAlpha(look.theme.accent, 0.85F));
  ImGui::PushStyleColor(ImGuiCol_Text, look.theme.textOnAccent);
  if (ImGui::Button(view.decodePlaying ? "Pause##decode" : "Decode##decode", {look.px(74), 0})) {
    view.decodePlaying = !view.decodePlaying;
    view.decodeShownAt = look.now;
    if (view.decodePlaying && view.decodePosition == lastPosition(panel)) view.decodePosition = 0;
  }
  ImGui::PopStyleColor(3);
  tip(look, "A token a second");
}

/// "token 3 of 6: sat", the slider and its buttons, and whose columns are shown.
void controls(const Panel& panel) {
  const Look& look = panel.look;
  ViewState& view = panel.view;
  const Index last = lastPosition(panel);
  const float gap = look.px(4);
  if (pill(look, "◀##decode", false, view.decodePosition > 0)) stepDecoding(panel, -1);
  tip(look, "A token back (,)");
  ImGui::SameLine(0.0F, gap);
  ImGui::SetNextItemWidth(
      std::clamp(ImGui::GetContentRegionAvail().x * 0.22F, look.px(70), look.px(220)));
  const Index first = 0;
  if (ImGui::SliderScalar("##decode position", ImGuiDataType_S64, &view.decodePosition, &first,
                          &last, "")) {
    view.decodePlaying = false;
  }
  ImGui::SameLine(0.0F, gap);
  if (pill(look, "▶##decode", false, view.decodePosition < last)) stepDecoding(panel, 1);
  tip(look, "A token on (.)");
  ImGui::SameLine(0.0F, gap);
  playButton(panel);
  ImGui::SameLine(0.0F, look.px(12));

  const ImGuiStyle& style = ImGui::GetStyle();
  const auto widthOf = [&](const char* text) {
    return textSize(look.fonts.regular, text).x + style.FramePadding.x * 2 + gap;
  };
  const float scopes = widthOf("this head") + widthOf("all heads");
  const float right = ImGui::GetWindowContentRegionMax().x - scopes;
  const auto& tokens = laneTokens(panel.trace, Lane::query, view.item);
  const std::string sentence =
      fmt::format("token {} of {}: {}", view.decodePosition + 1, last + 1,
                  shownToken(tokens[static_cast<std::size_t>(view.decodePosition)]));
  inlineLabel(look, look.fonts.regular, look.theme.text,
              elided(look.fonts.regular, sentence, right - ImGui::GetCursorPosX() - look.px(8)));
  ImGui::SameLine(right);
  const int scope =
      choices(look, "decode scope", {"this head", "all heads"}, view.scope == StageScope::allHeads);
  if (scope >= 0) view.scope = scope == 1 ? StageScope::allHeads : StageScope::thisHead;
}

void offer(const Panel& panel, const CacheObstacle& obstacle) {
  const Look& look = panel.look;
  ImGui::Dummy({1, look.px(4)});
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() +
                         std::min(ImGui::GetContentRegionAvail().x, look.px(560)));
  label(look.fonts.regular, look.theme.text, obstacle.why);
  ImGui::PopTextWrapPos();
  if (!obstacle.wayOut) return;
  ImGui::Dummy({1, look.px(2)});
  if (pill(look, obstacle.wayOutTitle.c_str(), true)) panel.edits.push(*obstacle.wayOut);
}

/// A part of the panel that scrolls where it does not fit.
template <typename Fill>
void column(const char* id, ImVec2 at, ImVec2 size, const Look& look, Fill&& fill) {
  ImGui::SetCursorScreenPos(at);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(6), look.px(2)));
  beginPart(id, size);
  fill();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

void stepDecoding(const Panel& panel, int tokens) {
  ViewState& view = panel.view;
  view.decodePosition = std::clamp<Index>(view.decodePosition + tokens, 0, lastPosition(panel));
  view.decodePlaying = false;
}

void kvCachePanel(const Panel& panel, KvCacheMemory& memory, Magnitudes& magnitudes) {
  const Look& look = panel.look;
  ViewState& view = panel.view;
  if (memory.pass != panel.trace.pass()) {
    memory.pass = panel.trace.pass();
    memory.obstacle = cacheObstacle(panel.trace.document());
  }
  if (memory.obstacle) {
    view.decodePlaying = false;
    offer(panel, *memory.obstacle);
    return;
  }
  view.decodePosition = std::clamp<Index>(view.decodePosition, 0, lastPosition(panel));
  play(panel);
  controls(panel);

  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float gap = look.px(18);
  const float narrow = look.px(196);
  const bool wide = room.x > look.px(800);
  const float counts = wide ? 2 * narrow + gap : narrow;
  kvCachePicture(panel, magnitudes, origin, {room.x - counts - gap, room.y});
  const float left = origin.x + room.x - counts;
  if (wide) {
    column("kv work", {left, origin.y}, {narrow, room.y}, look, [&] { kvCacheWork(panel); });
    column("kv size", {left + narrow + gap, origin.y}, {narrow, room.y}, look,
           [&] { kvCacheSize(panel); });
  } else {
    column("kv work", {left, origin.y}, {narrow, room.y}, look, [&] {
      kvCacheWork(panel);
      ImGui::Dummy({1, look.px(6)});
      kvCacheSize(panel);
    });
  }
}

}  // namespace headscope::ui
