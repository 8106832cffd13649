// A sweep over all heads, layers or places: a map of the effects on the prediction, and a table of
// the largest ones.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/part_map.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/widgets.h"
#include "core/base/memory_budget.h"
#include "core/model/attribution_patching.h"
#include "core/model/sweep.h"

namespace headscope::ui {
namespace {

using model::Patch;
using model::PatchEffect;
using model::Site;
using model::SweepOver;

constexpr const char* kSweep = "sweep";  // the computation

/// A finished sweep: its patches without their rows, and their effects.
struct Swept {
  std::vector<Patch> parts;
  std::vector<PatchEffect> effects;
  PatchEffect base;
};

/// Computes a sweep, after the pass of the other text if there is one.
class SweepWork {
 public:
  SweepWork(AskedWord asked, SweepOver over, Instead instead, const std::string& otherText,
            const ExecutionContext& execution)
      : asked_(std::move(asked)), over_(over), execution_(execution) {
    const model::ModelTracePtr& base = asked_.moment->trace;
    if (instead == Instead::nothing) {
      begin(model::zeros());
    } else if (instead == Instead::mean) {
      const auto means = std::make_shared<model::MeanValues>(over);
      means->add(*base);
      begin(model::meansOf(means));
    } else {
      other_.emplace(withInput(base->document(), inputOfText(*asked_.moment, otherText)), nullptr,
                     execution_, defaultMemoryBudget() / 4);
    }
  }

  bool runUnit() {
    if (runs_) return runs_->runUnit();
    if (!other_->runUnit()) return false;
    if (other_->trace() == nullptr) return true;  // cancelled
    begin(model::valuesFrom(other_->trace()));
    return false;
  }
  std::optional<Swept> found() const {
    if (!runs_ || runs_->effects().empty()) return std::nullopt;
    Swept swept{parts_, runs_->effects(), runs_->base()};
    for (std::size_t i = 0; i < estimates_.size(); ++i) swept.effects[i].estimate = estimates_[i];
    return swept;
  }

 private:
  void begin(const model::NewValues& values) {
    auto patches = patchesOver(over_, *asked_.moment->trace, values);
    parts_ = patches;
    for (Patch& part : parts_) part.rows = Tensor();
    const model::AskedWord word{asked_.row, asked_.word, asked_.other};
    estimates_ = estimatedEffects(asked_.moment->trace, patches, word, execution_);
    runs_.emplace(asked_.moment->trace, std::move(patches), word, execution_);
  }

  AskedWord asked_;
  SweepOver over_;
  ExecutionContext execution_;
  std::vector<Patch> parts_;
  std::vector<std::optional<double>> estimates_;
  std::optional<model::ModelPass> other_;  // the pass of the other text, while it runs
  std::optional<model::PatchedRuns> runs_;
};

enum class Effect { total, direct, probability, divergence };
struct EffectText {
  const char* title;
  const char* about;
};
constexpr std::array kEffects{
    EffectText{"total", "The change of the logit, or of the difference"},
    EffectText{"direct",
               "The part of the change that reaches the logit past all later layers, with the "
               "final norm's scale as it was"},
    EffectText{"probability", "The change of the word's probability"},
    EffectText{"KL", "The divergence of the whole prediction from the present one, in nats"}};

double valueOf(const Swept& swept, std::size_t part, Effect effect) {
  const PatchEffect& found = swept.effects[part];
  switch (effect) {
    case Effect::total:
      return found.metric - swept.base.metric;
    case Effect::direct:
      return found.direct.value_or(0.0);
    case Effect::probability:
      return found.probability - swept.base.probability;
    case Effect::divergence:
      return found.divergence;
  }
  return 0.0;
}

std::string partInWords(const Patch& part, const std::vector<std::string>& tokens) {
  const std::string layer = fmt::format("layer {}", part.layer + 1);
  if (part.site == Site::heads) return fmt::format("{}, head {}", layer, part.head + 1);
  if (part.site == Site::residual) {
    return fmt::format("{}, “{}”", layer, tokens[static_cast<std::size_t>(part.place)]);
  }
  return layer + (part.site == Site::attention ? ", attention" : ", FFN");
}

Index columnOf(const Patch& part) {
  if (part.site == Site::heads) return part.head;
  if (part.site == Site::residual) return part.place;
  return part.site == Site::attention ? 0 : 1;
}

/// Selects the part in the page: a head, or the first head of its layer, and a place.
void choose(ModelView& view, const Patch& part) {
  view.layer = part.layer;
  if (part.site == Site::heads) view.head = part.head;
}

PartMap mapOf(const PanelContext& panel, const Swept& swept, Effect effect,
              const std::vector<std::string>& tokens, Index layers) {
  const FrameContext& look = panel.look;
  const ModelView& view = panel.modelView;
  PartMap map{"sweep map", layers, 1, {}, {}};
  for (std::size_t i = 0; i < swept.parts.size(); ++i) {
    const Patch& part = swept.parts[i];
    map.columns = std::max(map.columns, columnOf(part) + 1);
    const double value = valueOf(swept, i, effect);
    const bool chosen =
        part.site == Site::heads && part.layer == view.layer && part.head == view.head;
    map.cells.push_back(
        {part.layer, columnOf(part), value,
         fmt::format("{}: {} {}", partInWords(part, tokens),
                     kEffects[static_cast<std::size_t>(effect)].title, changeInWords(value)),
         chosen});
  }
  const Site site = swept.parts.front().site;
  map.columnName = [&look, &tokens, site](Index column, float width) {
    if (site == Site::residual) {
      return elided(look.fonts.tiny, tokens[static_cast<std::size_t>(column)],
                    width - look.space.tight);
    }
    if (site == Site::heads) {
      return fmt::format("{}{}", width > look.px(50) ? "head " : "", column + 1);
    }
    return std::string(column == 0 ? "attention" : "FFN");
  };
  return map;
}

void table(const PanelContext& panel, const Swept& swept, Effect effect, const ColorScale& scale,
           const std::vector<std::string>& tokens, const Rect& room) {
  const FrameContext& look = panel.look;
  std::vector<std::size_t> order(swept.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::abs(valueOf(swept, a, effect)) > std::abs(valueOf(swept, b, effect));
  });
  const double most = std::max(1e-12, std::abs(valueOf(swept, order.front(), effect)));
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild("sweep table", room.size());
  {
    Table rows(
        look, {.id = "swept", .height = room.height(), .dense = true},
        {{"part", {}, false, 110, 0, false},
         {"total", kEffects[0].about, true, 54, 0, false},
         {"direct", kEffects[1].about, true, 54, 0, false},
         {"estimate", "Attribution patching: gradient × difference, exact for small changes alone",
          true, 60, 0, false},
         {"", {}, false, 40, 1, false},
         {"p", "The word's probability after the change", true, 48, 0, false},
         {"KL", kEffects[3].about, true, 48, 0, false}});
    rows.rows(std::ssize(order), [&](Index row) {
      const std::size_t i = order[static_cast<std::size_t>(row)];
      const Patch& part = swept.parts[i];
      const PatchEffect& found = swept.effects[i];
      const bool chosen = part.site == Site::heads && part.layer == panel.modelView.layer &&
                          part.head == panel.modelView.head;
      if (rows.row(row, chosen)) choose(panel.modelView, part);
      const double value = valueOf(swept, i, effect);
      rows.text(partInWords(part, tokens));
      rows.number(changeInWords(found.metric - swept.base.metric));
      rows.number(found.direct ? changeInWords(*found.direct) : "–", look.theme.textMuted);
      rows.number(found.estimate ? changeInWords(*found.estimate) : "–", look.theme.textMuted);
      rows.bar(static_cast<float>(std::abs(value) / most),
               scale.color(look.maps, value < 0.0 ? -1e30F : 1e30F));
      rows.number(probabilityInWords(found.probability), look.theme.textMuted);
      rows.number(fmt::format("{:.3f}", found.divergence), look.theme.textMuted);
    });
  }
  ImGui::EndChild();
}

/// Says how far the work is, with a button that stops it.
void progress(const PanelContext& panel, Index done, Index all) {
  const FrameContext& look = panel.look;
  const float share = static_cast<float>(done) / static_cast<float>(std::max<Index>(1, all));
  const ImVec2 size(std::min(look.px(320), Rect::rest().width()), look.px(6));
  label(look.fonts.regular, look.theme.textMuted,
        fmt::format("running the model with each part replaced: {:.0f} %",
                    100.0F * std::min(1.0F, share)));
  const Rect bar = Rect::at(ImGui::GetCursorScreenPos(), size);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(bar.a, bar.b, withAlpha(look.theme.textMuted, 0.25F), look.space.tight);
  list->AddRectFilled(bar.a, {bar.a.x + bar.width() * std::min(1.0F, share), bar.b.y},
                      look.theme.accent, look.space.tight);
  ImGui::Dummy({size.x, size.y + look.space.small});
  if (pill(look, "stop##sweep")) panel.computations.stop(kSweep);
}

std::string resultInWords(const Swept& swept, const AskedWord& asked, Instead instead,
                          const std::string& otherText) {
  const std::string with = instead == Instead::nothing ? "zero"
                           : instead == Instead::mean  ? "its mean over this text"
                                                      : fmt::format("its value on “{}”", otherText);
  return fmt::format(
      "The {} is {:.3f} (probability {}). Each number: its change with that one part "
      "replaced by {}, everything after it run again.",
      asked.logitName(), swept.base.metric, probabilityInWords(swept.base.probability), with);
}

}  // namespace

void drawSweep(const PanelContext& panel, const AskedWord& asked) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  const model::ModelConfig& c = asked.moment->config();
  rowCaption(look, "replace each");
  const int overChosen =
      choices(look, "sweep over", {"head", "layer's halves", "place"}, view.sweepOver);
  if (overChosen >= 0) view.sweepOver = overChosen;
  flowOn(look, look.px(120), 14.0F);
  const Instead instead = chooseInstead(panel, asked, "by");
  const auto over = static_cast<SweepOver>(view.sweepOver);

  Fingerprint key = asked.key(kSweep);
  key.add(view.sweepOver).add(instead);
  if (instead == Instead::otherText) key.add(Fingerprint(view.otherText));
  const auto found = panel.computations.request<Swept>(kSweep, key, Schedule::whenIdle, [&] {
    return unitsOf(
        [asked, over, instead, text = view.otherText](const std::atomic<bool>& cancelled) {
          return std::make_shared<SweepWork>(asked, over, instead, text,
                                             ExecutionContext{0, &cancelled});
        },
        [](const SweepWork& work) { return work.found(); });
  });
  if (found.problem == Computations::kStopped) {
    if (pill(look, "run again##sweep")) panel.computations.forget(kSweep);
    return;
  }
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (found.current == nullptr) {
    const Index passes = instead == Instead::otherText ? 2 : 1;
    return progress(panel, found.unitsDone, passes * c.layers);
  }
  const Swept& swept = *found.current;
  flowOn(look, look.px(120), 14.0F);
  rowCaption(look, "show");
  for (std::size_t i = 0; i < kEffects.size(); ++i) {
    const bool defined = swept.base.direct.has_value();
    if (static_cast<Effect>(i) == Effect::direct && !defined) continue;
    flowOn(look, buttonWidth(look, kEffects[i].title), 3.0F);
    if (pill(look, fmt::format("{}##effect", kEffects[i].title).c_str(),
             view.sweepShown == static_cast<int>(i))) {
      view.sweepShown = static_cast<int>(i);
    }
    tip(look, kEffects[i].about);
  }
  view.sweepShown = std::clamp(view.sweepShown, 0, static_cast<int>(kEffects.size()) - 1);
  const auto effect = static_cast<Effect>(view.sweepShown);
  wrappedLabel(look.fonts.small, look.theme.textMuted,
               resultInWords(swept, asked, instead, view.otherText));
  Rect room = Rect::rest();
  const float side = std::clamp(room.width() * 0.46F, look.px(440), look.px(580));
  const Rect right = room.cutRight(std::min(side, room.width()), look.space.large);
  double most = 0.0;
  for (std::size_t i = 0; i < swept.parts.size(); ++i) {
    most = std::max(most, std::abs(valueOf(swept, i, effect)));
  }
  const std::vector<std::string> tokens = asked.moment->tokenNames();
  const PartMap map = mapOf(panel, swept, effect, tokens, c.layers);
  const ColorScale scale = divergingScale(look, static_cast<float>(std::max(most, 1e-12)));
  if (const auto clicked = drawPartMap(panel, map, scale, room)) {
    choose(panel.modelView, swept.parts[*clicked]);
  }
  table(panel, swept, effect, scale, tokens, right);
}

}  // namespace headscope::ui
