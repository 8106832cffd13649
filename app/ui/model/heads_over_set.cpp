#include "app/ui/model/heads_over_set.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/model/heads_over_texts.h"

namespace headscope::ui {
namespace {

struct HeadsOfSet {
  TextSet texts;
  std::shared_ptr<const model::HeadsOverTexts> over;
  model::MeasuredHeads means;
};

/// Computes them once per set, model and its edits.
Computed<HeadsOfSet> headsOfSet(const PanelContext& panel, const ModelMoment& moment,
                                const TextSet& set) {
  const model::ModelDocumentPtr document = moment.trace->documentPtr();
  const Fingerprint key("heads of a set", reinterpret_cast<std::uintptr_t>(document->model.get()),
                        moment.changes, reinterpret_cast<std::uintptr_t>(set.get()));
  return panel.computations.request<HeadsOfSet>("heads of a set", key, Schedule::background, [&] {
    return unitsOf(
        [document, moment, set](const std::atomic<bool>& cancelled) {
          std::vector<model::TextToMeasure> texts;
          for (const formats::TextOfSet& text : *set) {
            texts.push_back({text.name, inputOfSet(moment, text.text)});
          }
          return std::make_shared<model::TextsMeasure>(document, std::move(texts),
                                                       ExecutionContext{0, &cancelled});
        },
        [set](const model::TextsMeasure& measure) -> std::optional<HeadsOfSet> {
          auto over = measure.found();
          if (!over) return std::nullopt;
          model::MeasuredHeads means = over->means();
          return HeadsOfSet{set, std::make_shared<const model::HeadsOverTexts>(std::move(*over)),
                            std::move(means)};
        });
  });
}

void drawSpread(const PanelContext& panel, LiveModel& live, const ModelMoment& moment,
                const HeadsOfSet& set) {
  const FrameContext& look = panel.look;
  const ModelView& view = panel.modelView;
  const HeadOfLayer head = chosenHead(view, moment.config());
  const auto metric = metricFromKey(view.metric);
  const auto over = metric ? set.over->of(placeOf(head, moment.config()), *metric) : std::nullopt;
  if (!over) {
    return wrappedLabel(look.fonts.small, look.theme.textMuted,
                        trFormat("Measures are means over {} texts. Choose a measure to see how "
                                 "it varies and in which texts it is largest.",
                                 withThousands(std::ssize(*set.texts))));
  }
  inlineLabel(
      look, look.fonts.small, look.theme.textMuted,
      trFormat("{}: {} {:.3f} ± {:.3f} over {} texts, largest in", shortName(head, moment.config()),
               tr(info(*metric).title), over->mean, over->spread, withThousands(over->texts)));
  for (const auto& [place, value] : set.over->best(placeOf(head, moment.config()), *metric)) {
    const std::string text = shownText(moment, (*set.texts)[place].text);
    const std::string shown = fmt::format(
        "{}  {:.3f}##text {}", elided(look.fonts.regular, text, look.px(190)), value, place);
    if (flowingPill(look, shown, (text + tr("\nA click opens this text.")).c_str()))
      live.setText(text);
  }
}

}  // namespace

ShownHeads headsOverSet(const PanelContext& panel, LiveModel& live, const ModelMoment& moment,
                        const ChosenTexts& set) {
  if (set.set == nullptr) return {};
  const auto found = headsOfSet(panel, moment, set.set);
  const HeadsOfSet* shown = found.current;
  if (shown != nullptr) drawSpread(panel, live, moment, *shown);
  return {shown != nullptr ? &shown->means : nullptr, moment.trace->tokens(), shown != nullptr,
          found.problem};
}

}  // namespace headscope::ui
