#include "app/ui/model/compared_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "app/ui/model/model_page.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/picture_choice.h"
#include "app/ui/panel.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/model/pass_distance.h"

namespace headscope::ui {
namespace {

using MomentPtr = std::shared_ptr<const ModelMoment>;

constexpr const char* kOtherPass = "other pass";

/// The numbers of live moments count from 1; this bit sets the numbers of compared ones apart.
constexpr std::uint64_t kOfOther = std::uint64_t{1} << 61U;

/// The request of the other moment: of the page's own model with all its changes, or of another
/// one, which stays open while only texts change.
MomentRequest requestOf(const ComparedView& view, const ShownModel& own, const MomentPtr& last) {
  MomentRequest request;
  request.text = view.text.empty() ? own.moment->given() : view.text;
  if (own.moment->source != nullptr) {
    request.target = !view.target.empty() ? view.target : view.writes ? "" : own.moment->text;
    request.rewriteTarget = request.target.empty();
  }
  request.budget = defaultMemoryBudget() / 4;
  if (view.folder.empty()) {
    request.before = own.moment;
    request.edits = own.edits;
    request.changes = own.moment->changes;
  } else if (last != nullptr && last->folder == view.folder) {
    request.before = last;
  } else {
    request.folder = view.folder;
  }
  return request;
}

/// Throws UserError where the models do not read alike.
void requireAlike(const ModelMoment& own, const ModelMoment& other) {
  if (own.ofImage() != other.ofImage()) {
    throw UserError(own.ofImage() ? tr("this model reads images: choose another one that does")
                                  : tr("this model reads texts: choose another one that does"));
  }
  if ((own.source != nullptr) == (other.source != nullptr)) return;
  throw UserError(
      own.source != nullptr
          ? tr("this model has an encoder and a decoder: choose another one that has both")
          : tr("this model has one stack of layers: choose another one without an encoder"));
}

}  // namespace

ComparedPass comparedPass(const PanelContext& panel, const LiveModel& live) {
  const ComparedView& view = panel.modelView.compared;
  const ShownModel own = live.shown();
  ComparedPass pass;
  if (own.moment == nullptr || own.moment->writing) return {};
  const bool two = own.moment->source != nullptr;
  pass.asked = !view.folder.empty() || !view.text.empty() || (two && !view.target.empty());
  if (!pass.asked) return {};
  Fingerprint key("other pass", own.moment->number, view.writes);
  for (const std::string& text : {view.folder, view.text, view.target}) key.add(Fingerprint(text));
  const auto found =
      panel.computations.request<MomentPtr>(kOtherPass, key, Schedule::whenIdle, [&] {
        const MomentPtr* last = panel.computations.last<MomentPtr>(kOtherPass);
        MomentRequest request = requestOf(view, own, last != nullptr ? *last : nullptr);
        request.number = kOfOther | (key.value() >> 3U);
        return [own = own.moment, next = momentUnits(std::move(request), [](auto&&...) {})](
                   const std::atomic<bool>& cancelled, std::optional<MomentPtr>& result) mutable {
          std::optional<FoundMoment> moment;
          const bool last = next(cancelled, moment);
          if (!moment) return last;
          if (!moment->moment) {
            throw UserError(trFormat("the text has {} tokens, and {} takes at most {}",
                                     withThousands(moment->tokens), moment->model,
                                     withThousands(moment->most)));
          }
          requireAlike(*own, *moment->moment);
          result = std::make_shared<const ModelMoment>(std::move(*moment->moment));
          return last;
        };
      });
  pass.problem = found.problem;
  if (found.current == nullptr) return pass;
  pass.moment = *found.current;
  pass.shown = momentShown(panel.modelView, pass.moment);
  const ModelMoment& shown = *momentShown(panel.modelView, own.moment);
  pass.whyNoDifference = model::whyNotComparable(*shown.trace, *pass.shown->trace);
  if (!pass.whyNoDifference.empty()) return pass;
  using PairsPtr = std::shared_ptr<const model::PassPairs>;
  const auto* pairs = panel.computations.computeNow<PairsPtr>(
      "pairs of passes", Fingerprint("pairs", shown.number, pass.shown->number), [&] {
        return std::make_shared<const model::PassPairs>(pairsOf(*shown.trace, *pass.shown->trace));
      });
  if (pairs != nullptr) pass.pairs = *pairs;
  return pass;
}

Computed<FoundHeads> measuredOther(const PanelContext& panel, const ModelMoment& other) {
  return measuredHeads(panel, other, Schedule::background, tr("heads of the other pass"));
}

Computed<std::vector<MetricValue>> distancesOfHeads(const PanelContext& panel,
                                                    const ModelMoment& own,
                                                    const ComparedPass& compared) {
  const ModelMoment& other = *compared.shown;
  using Distances = std::vector<MetricValue>;
  const Fingerprint key("distances", own.number, other.number);
  return panel.computations.request<Distances>(
      "distances of heads", key, Schedule::background, [&] {
        return [one = own.trace, two = other.trace, pairs = compared.pairs](
                   const std::atomic<bool>& cancelled) -> std::optional<Distances> {
          const auto found = headDistances(*one, *two, *pairs, ExecutionContext{0, &cancelled});
          if (!found) return std::nullopt;
          Distances distances;
          for (const std::optional<double>& each : *found) {
            distances.push_back({each, each ? "" : tr("the other pass has no such head")});
          }
          return distances;
        };
      });
}

std::string comparedName(const ModelView& view, const ModelMoment& other) {
  std::vector<std::string> texts;
  if (!view.compared.text.empty())
    texts.push_back(
        fmt::format("“{}”", other.ofImage() ? pictureName(other.given()) : other.given()));
  if (!view.compared.target.empty()) texts.push_back(fmt::format("“{}”", other.text));
  std::string text = fmt::format("{}", fmt::join(texts, " → "));
  if (view.compared.folder.empty()) return text;
  const std::string& model = other.trace->document().model->name();
  return text.empty() ? model : trFormat("{} on {}", model, text);
}

}  // namespace headscope::ui
