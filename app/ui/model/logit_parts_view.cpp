// The parts of a logit that each head and network adds: a map of all parts, the largest as bars,
// and their sum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/part_map.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/chart.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/model/logit_parts.h"

namespace headscope::ui {
namespace {

using model::LogitParts;
using model::WriterKind;
using model::WrittenPart;

/// The factors of the pass at the asked token that are held.
const char* scaleInWords(const model::ModelConfig& c) {
  if (c.readoutActivation != model::Activation::none) {
    return tr(", with the factors of norms and of the masked-word head's activation at this token");
  }
  if (!c.norms) return "";
  return c.preNorm ? tr(", with the final norm's scale at this token")
                   : tr(", with the norms' scales at this token");
}

/// Draws the parts by their magnitude, in a list that scrolls; of a picture as many as fit. The
/// others are summed.
void largestParts(const FrameContext& look, const model::ModelConfig& c, const LogitParts& found,
                  const ColorScale& scale, const Rect& room) {
  constexpr std::size_t kMostParts = 200;
  std::vector<WrittenPart> parts = found.parts;
  std::stable_sort(parts.begin(), parts.end(), [](const WrittenPart& a, const WrittenPart& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  const float line = fontSize(look.fonts.small) + look.space.small;
  const std::size_t fits =
      look.still ? static_cast<std::size_t>(std::max(1.0F, room.height() / line)) : kMostParts;
  const std::size_t shown =
      parts.size() <= fits ? parts.size() : std::max<std::size_t>(fits, 2) - 1;
  double rest = 0.0;
  for (std::size_t i = shown; i < parts.size(); ++i) rest += parts[i].value;
  const double most = std::max({1e-12, std::abs(parts.front().value), std::abs(rest)});
  const float names =
      textSize(look.fonts.small, c.crossAttention ? tr("layer 00, cross-attention, head 00")
                                                  : tr("layer 00, output bias"))
          .x;
  const float numbers = textSize(look.fonts.mono, "+00.000").x;
  ImGui::SetCursorScreenPos(room.a);
  beginPart("largest parts", room.size());
  const auto bar = [&](std::string name, double value) {
    const Rect at = Rect::at(ImGui::GetCursorScreenPos(), {Rect::rest().width(), line});
    ImGui::Dummy({at.width(), line - ImGui::GetStyle().ItemSpacing.y});
    drawBarLine(look, ImGui::GetWindowDrawList(), at, names, numbers,
                {std::move(name), changeInWords(value), static_cast<float>(std::abs(value) / most),
                 scale.color(look.maps, value < 0.0 ? -1e30F : 1e30F), look.theme.text});
  };
  for (std::size_t i = 0; i < shown; ++i) bar(inWords(parts[i], c), parts[i].value);
  if (shown < parts.size()) bar(trFormat("{} others", parts.size() - shown), rest);
  ImGui::EndChild();
}

}  // namespace

void drawLogitParts(const PanelContext& panel, const AskedWord& asked) {
  const FrameContext& look = panel.look;
  const auto found = panel.computations.request<LogitParts>(
      "logit parts", asked.key("parts"), Schedule::background, [&] {
        return [asked](const std::atomic<bool>& cancelled) {
          return model::logitParts(*asked.moment->trace, asked.row, asked.word, asked.other,
                                   {.cancelled = &cancelled});
        };
      });
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.textMuted, found.problem);
  }
  if (found.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
  }
  const LogitParts& parts = *found.current;
  wrappedLabel(
      look.fonts.small, look.theme.textMuted,
      trFormat("Added directly, without later layers{}: sum of {} parts {:+.4f} = {} {:+.4f}",
               scaleInWords(asked.moment->config()), parts.parts.size(), parts.sum,
               asked.logitName(), parts.logit));
  Rect room = Rect::rest();
  const float list = std::clamp(room.width() * 0.36F, look.px(250), look.px(380));
  const Rect right = room.cutRight(std::min(list, room.width()), look.space.large);
  float most = 0.0F;
  for (const WrittenPart& part : parts.parts) {
    if (part.layer >= 0) most = std::max(most, static_cast<float>(std::abs(part.value)));
  }
  const ColorScale scale = divergingScale(look, most);
  largestParts(look, asked.moment->config(), parts, scale, right);
  const PartMap map = writtenPartsMap(look, "logit map", asked.moment->config(), parts.parts,
                                      chosenHead(panel.modelView, asked.moment->config()));
  if (const auto clicked = drawPartMap(panel, map, scale, room)) {
    const PartCell& cell = map.cells[*clicked];
    if (cell.column >= asked.moment->config().heads) return;
    chooseHead(panel.modelView, asked.moment->config(), {cell.layer, cell.column});
  }
}

}  // namespace headscope::ui
