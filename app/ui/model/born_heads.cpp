#include "app/ui/model/born_heads.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "core/base/translation.h"
#include "core/model/tokenized.h"

namespace headscope::ui {
namespace {

constexpr const char* kSweepOfBorn = "sweep of a born model";

std::shared_ptr<model::TextsSweep> sweepFor(const BornModel& born,
                                            const std::vector<formats::TextOfSet>& set,
                                            model::SweepWith with,
                                            const ExecutionContext& execution) {
  const formats::TokenizerPtr& tokenizer = born.tokenizer;
  const auto inputFor = [&](const formats::TextOrIds& text) {
    return model::inputOf(tokenizer->encode(text.text), *tokenizer, born.model->config());
  };
  std::vector<model::TextToSweep> texts;
  for (const formats::TextOfSet& text : set) {
    texts.push_back({text.name, inputFor(text.text), inputFor(text.other),
                     [tokenizer, answers = text.answers](const model::ModelTrace& trace) {
                       model::AskedWord asked{model::readPlace(trace, tokenizer.get()),
                                              model::oneToken(answers[0], tokenizer.get()),
                                              {}};
                       if (answers.size() > 1) {
                         asked.other = model::oneToken(answers[1], tokenizer.get());
                       }
                       return asked;
                     }});
  }
  auto document = makeModelDocument(born.model, texts.front().input);
  return std::make_shared<model::TextsSweep>(
      std::move(document), std::move(texts),
      model::SweepSetting{model::SweepOver::heads, with, {}, {}}, execution);
}

}  // namespace

const BornModel* bornModelFor(const PanelContext& panel, const std::string& set) {
  const auto& born = panel.modelView.prediction.born;
  return born != nullptr && born->texts == set ? born.get() : nullptr;
}

Computed<Swept> sweepOfBorn(const PanelContext& panel, const BornModel& born, const TextSet& texts,
                            model::SweepWith with) {
  Fingerprint key(kSweepOfBorn, reinterpret_cast<std::uintptr_t>(born.model.get()),
                  reinterpret_cast<std::uintptr_t>(texts.get()));
  return panel.computations.request<Swept>(kSweepOfBorn, key.add(with), Schedule::whenIdle, [&] {
    return unitsWithNews(
        [=, kept = std::make_shared<const BornModel>(born)](const std::atomic<bool>& cancelled) {
          return std::make_shared<ShownSweep>(
              sweepFor(*kept, *texts, with, ExecutionContext{0, &cancelled}), texts, false);
        });
  });
}

std::string largestInWords(const Swept& swept, EffectKind kind) {
  std::size_t largest = 0;
  const auto value = [&](std::size_t part) { return swept.value(part, kind).value_or(0.0); };
  for (std::size_t part = 1; part < swept.parts.size(); ++part) {
    if (std::abs(value(part)) > std::abs(value(largest))) largest = part;
  }
  const model::Patch& part = swept.found.parts[largest];
  const std::string head = trFormat("layer {}, head {}", part.layer + 1, part.head + 1);
  if (kind == EffectKind::looks) {
    return trFormat("{} looks most: {:.2f}", head, value(largest));
  }
  return trFormat(
      "{} has the largest {}: {}", head, textOf(kind).title,
      isChange(kind) ? changeInWords(value(largest)) : fmt::format("{:.3f}", value(largest)));
}

}  // namespace headscope::ui
