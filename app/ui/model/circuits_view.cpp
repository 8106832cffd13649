// Circuits of the chosen head: what it does by its weights alone, without a text: which tokens ask
// for which, which token is turned into which, and where it looks by position.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/model/chosen_head.h"
#include "app/ui/model/compared_pictures.h"
#include "app/ui/model/model_study.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/reduce.h"
#include "app/ui/parts/table.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/model/circuits.h"
#include "core/model/position_patterns.h"

namespace headscope::ui {
namespace {

constexpr Index kDirections = 12, kTokensOfDirection = 10;  // singular values, and tokens of each
constexpr Index kPlaces = 24;  // the length of the text of equal tokens

struct HeadsCircuits {
  model::HeadDirections directions;
  Tensor pattern;  // by position alone
};

Computed<HeadsCircuits> circuitsOf(const PanelContext& panel, const model::ModelPtr& model,
                                   HeadOfLayer head) {
  const Fingerprint key("circuits of a head", reinterpret_cast<std::uintptr_t>(model.get()),
                        head.layer, head.head);
  return panel.computations.request<HeadsCircuits>(
      "circuits of a head", key, Schedule::background, [&] {
        return [model, head](const std::atomic<bool>& cancelled) -> std::optional<HeadsCircuits> {
          const ExecutionContext execution{0, &cancelled};
          const Index places = std::min(kPlaces, mostTokens(model->config()));
          HeadsCircuits found{
              headDirections(*model, head, kDirections, kTokensOfDirection, execution),
              positionPattern(model, head, places, execution)};
          if (cancelled) return std::nullopt;
          return found;
        };
      });
}

/// The names of the first tokens, as many as fit, at least one.
std::string tokensInWords(const FrameContext& look, const ModelMoment& moment,
                          const std::vector<model::DirectionToken>& tokens, float width) {
  std::string words;
  for (const model::DirectionToken& token : tokens) {
    const std::string more = (words.empty() ? "" : "  ") + moment.nameOf(token.id);
    if (!words.empty() && textSize(look.fonts.regular, words + more).x > width) break;
    words += more;
  }
  return words;
}

void directionsTable(const FrameContext& look, const ModelMoment& moment, const char* title,
                     const std::vector<model::TokenDirection>& directions, const char* from,
                     const char* to, const Rect& room) {
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild(title, room.size());
  label(look.fonts.small, look.theme.textMuted, title);
  constexpr float kNumberAndEnd = 40.0F + 14.0F, kGaps = 64.0F;  // points
  const float width = (room.width() - look.px(kNumberAndEnd + kGaps)) * 0.5F;
  if (directions.empty()) {
    wrappedLabel(look.fonts.regular, look.theme.textMuted,
                 tr("No fixed matrix: norms follow the sums in this model."));
  } else {
    Table table(
        look, {.id = title, .height = ImGui::GetContentRegionAvail().y, .dense = true},
        {{"σ", tr("The singular value"), true, 40, 0, false},
         {"", tr("The end of the direction; both sides have one sign"), false, 14, 0, false},
         {from, {}, false, 90, 1, false},
         {to, {}, false, 90, 1, false}});
    table.rows(std::ssize(directions), [&](Index i) {
      const model::TokenDirection& direction = directions[static_cast<std::size_t>(i)];
      table.row(i);
      table.number(direction.positive ? fmt::format("{:.2f}", direction.singularValue) : "");
      table.text(direction.positive ? "+" : "−");
      table.text(tokensInWords(look, moment, direction.from, width));
      table.text(tokensInWords(look, moment, direction.to, width));
    });
  }
  ImGui::EndChild();
}

/// The weights by position alone; of a causal model the later places are masked.
CellRows patternCells(const Tensor& pattern, bool causal) {
  CellRows all = rowsOf(pattern);
  if (!causal) return all;
  return {all.rows, all.cols, [all](Index row, std::span<float> cells) {
            all.read(row, cells);
            std::ranges::fill(cells.subspan(static_cast<std::size_t>(row + 1)), gl::kMaskedCell);
          }};
}

/// "Layer 2, head 3 by its weights alone. Copying score +0.98: it raises …"
std::string summary(const PanelContext& panel, const ModelMoment& moment, HeadOfLayer head) {
  const model::ModelConfig& c = moment.config();
  std::string text = trFormat(
      "{}, head {} by its weights alone, without this text{}; biases, rotations and networks are "
      "left out.",
      c.layerInWords(head.layer, true), head.head + 1,
      c.preNorm ? tr(", with the gains of norms folded in") : "");
  const auto copying = copyingOfHeads(panel, moment);
  if (copying.current == nullptr) return text;
  const MetricValue& score = (*copying.current)[placeOf(head, moment.config())];
  if (!score) return text;
  return text + trFormat(" Copying score {:+.2f}: {}.", *score,
                         *score > 0.0 ? tr("it raises the logits of the tokens that it reads")
                                      : tr("it lowers the logits of the tokens that it reads"));
}

}  // namespace

void drawHeadCircuits(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  const HeadOfLayer head = chosenHead(panel.modelView, moment.config());
  const model::ModelPtr& model = moment.trace->document().model;
  const auto found = circuitsOf(panel, model, head);
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (found.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("multiplying the head's weights …"));
  }
  wrappedLabel(look.fonts.regular, look.theme.textMuted, summary(panel, moment, head));
  Rect room = Rect::rest();
  const Tensor& pattern = found.current->pattern;
  Pictures pictures;
  pictures.count = 1;
  pictures.values = Fingerprint(
      "pattern by position", reinterpret_cast<std::uintptr_t>(model.get()), head.layer, head.head);
  std::vector<std::string> places;
  for (Index place = 1; place <= pattern.dim(0); ++place) places.push_back(std::to_string(place));
  pictures.all[0] = {patternCells(pattern, moment.config().causal),
                     weightScale(look, {}),
                     tr("by position alone: a text of equal tokens"),
                     {},
                     places,
                     places};
  const Rect right =
      room.cutRight(std::min(room.width() * 0.3F, room.height() + look.px(40)), look.space.large);
  const Rect left = room.cutLeft(room.width() * 0.5F, look.space.large);
  directionsTable(look, moment, tr("W_QK: which tokens ask for which"),
                  found.current->directions.qk, "asks", "for", left);
  directionsTable(look, moment, tr("W_OV: which tokens are turned into which"),
                  found.current->directions.ov, "reads", "writes", room);
  drawPictures(look, pictures, right);
}

}  // namespace headscope::ui
