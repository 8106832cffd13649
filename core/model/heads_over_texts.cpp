#include "core/model/heads_over_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::model {

void HeadsOverTexts::add(const MeasuredHeads& heads) {
  texts_.push_back({{}, heads.metrics, heads.labels});
}

std::optional<MetricOverTexts> HeadsOverTexts::of(std::size_t head, Metric metric) const {
  MetricOverTexts over;
  double sum = 0.0, squares = 0.0;
  for (std::size_t text = 0; text < texts_.size(); ++text) {
    const MetricValue& value = texts_[text].metrics[head][metric];
    if (!value) continue;
    if (over.texts == 0 || *value > over.largest) {
      over.strongest = text;
      over.largest = *value;
    }
    ++over.texts;
    sum += *value;
  }
  if (over.texts == 0) return std::nullopt;
  const auto count = static_cast<double>(over.texts);
  over.mean = sum / count;
  for (const MeasuredHeads& text : texts_) {
    const MetricValue& value = text.metrics[head][metric];
    if (value) squares += (*value - over.mean) * (*value - over.mean);
  }
  over.spread = std::sqrt(squares / count);
  return over;
}

std::vector<TextValue> HeadsOverTexts::best(std::size_t head, Metric metric,
                                            std::size_t most) const {
  std::vector<TextValue> found;
  for (std::size_t text = 0; text < texts_.size(); ++text) {
    const MetricValue& value = texts_[text].metrics[head][metric];
    if (value) found.push_back({text, *value});
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &TextValue::value);
  if (found.size() > most) found.resize(most);
  return found;
}

HeadLabel HeadsOverTexts::mostFrequentLabel(std::size_t head) const {
  std::map<std::string, std::size_t> counts;
  for (const MeasuredHeads& text : texts_) ++counts[text.labels[head].key];
  const auto most = std::ranges::max_element(
      counts, {},
      [](const std::pair<const std::string, std::size_t>& each) { return each.second; });
  HeadLabel label;
  double sum = 0.0;
  std::size_t scored = 0;
  for (const MeasuredHeads& text : texts_) {
    const HeadLabel& one = text.labels[head];
    if (one.key != most->first) continue;
    if (label.title.empty()) label = one;
    if (one.score) sum += *one.score, ++scored;
  }
  if (scored > 0) label.score = sum / static_cast<double>(scored);
  label.rows = 0;
  label.rule = trFormat("in {} of {} texts", most->second, withThousands(std::ssize(texts_)));
  return label;
}

MeasuredHeads HeadsOverTexts::means() const {
  MeasuredHeads means;
  if (texts_.empty()) return means;
  means.metrics = texts_.front().metrics;
  for (std::size_t head = 0; head < means.metrics.size(); ++head) {
    for (const MetricInfo& each : allMetrics()) {
      if (const auto over = of(head, each.metric)) {
        means.metrics[head][each.metric] = {over->mean, {}};
      }
    }
    means.labels.push_back(mostFrequentLabel(head));
  }
  return means;
}

TextsMeasure::TextsMeasure(ModelDocumentPtr document, std::vector<TextToMeasure> texts,
                           const ExecutionContext& execution)
    : document_(std::move(document)), texts_(std::move(texts)), execution_(execution) {}

bool TextsMeasure::runUnit() {
  if (textsDone() == texts_.size()) return true;
  const TextToMeasure& text = texts_[textsDone()];
  try {
    const auto measured =
        measureModel(withInput(*document_, text.input), execution_, defaultMemoryBudget() / 4);
    if (!measured) return true;
    found_.add(*measured);
  } catch (const UserError& error) {
    if (text.name.empty()) throw;
    throw UserError(fmt::format("{}: {}", text.name, error.what()));
  }
  return execution_.stop() || textsDone() == texts_.size();
}

std::optional<HeadsOverTexts> TextsMeasure::found() const {
  if (execution_.stop() || textsDone() < texts_.size()) return std::nullopt;
  return found_;
}

}  // namespace headscope::model
