// The measures of a model's heads over many texts.
#include "core/model/heads_over_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/formats/model_directory.h"

namespace headscope::model {
namespace {

constexpr Index kRoom = Index{64} << 20;

ModelDocumentPtr tinyModel() {
  const ModelPtr model =
      formats::openModel(std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2", kRoom);
  return makeModelDocument(model, {{1, 2, 3}, {}, {}});
}

TEST(HeadsOverTexts, AreMeansSpreadsAndTheStrongestText) {
  const ModelDocumentPtr document = tinyModel();
  const std::vector<ModelInput> inputs{
      {{1, 2, 3, 4}, {}, {}}, {{9, 9, 9, 9, 9}, {}, {}}, {{5, 6, 5, 6, 5, 6}, {}, {}}};
  std::vector<TextToMeasure> texts;
  std::vector<MeasuredPass> alone;
  for (const ModelInput& input : inputs) {
    texts.push_back({"", input});
    alone.push_back(measureModel(withInput(*document, input), {}, kRoom).value());
  }
  TextsMeasure measure(document, texts, {});
  Index units = 0;
  while (!measure.runUnit()) ++units;
  EXPECT_EQ(units, 2);
  const HeadsOverTexts found = measure.found().value();
  const MeasuredHeads means = found.means();
  for (std::size_t head = 0; head < means.metrics.size(); ++head) {
    for (const MetricInfo& each : allMetrics()) {
      std::vector<double> values;
      std::size_t strongest = 0;
      for (std::size_t text = 0; text < alone.size(); ++text) {
        const MetricValue& value = alone[text].metrics[head][each.metric];
        if (!value) continue;
        if (values.empty() || *value > *std::ranges::max_element(values)) strongest = text;
        values.push_back(*value);
      }
      const auto over = found.of(head, each.metric);
      ASSERT_EQ(over.has_value(), !values.empty()) << each.key;
      EXPECT_EQ(means.metrics[head][each.metric].value.has_value(), !values.empty());
      if (!over) continue;
      double mean = 0.0, squares = 0.0;
      for (const double value : values) mean += value / static_cast<double>(values.size());
      for (const double value : values) squares += (value - mean) * (value - mean);
      EXPECT_EQ(over->texts, values.size());
      EXPECT_NEAR(over->mean, mean, 1e-12) << each.key;
      EXPECT_NEAR(over->spread, std::sqrt(squares / static_cast<double>(values.size())), 1e-12);
      EXPECT_EQ(over->strongest, strongest) << each.key;
      EXPECT_EQ(over->largest, *std::ranges::max_element(values));
      const std::vector<TextValue> best = found.best(head, each.metric, 2);
      ASSERT_EQ(best.size(), std::min<std::size_t>(2, values.size()));
      EXPECT_EQ(best.front().text, strongest);
      std::ranges::sort(values, std::greater<>{});
      for (std::size_t i = 0; i < best.size(); ++i) EXPECT_EQ(best[i].value, values[i]);
      EXPECT_NEAR(*means.metrics[head][each.metric], mean, 1e-12);
    }
  }
}

TEST(HeadsOverTexts, NameTheMostFrequentLabel) {
  HeadsOverTexts heads;
  const auto with = [](const char* key, double score) {
    MeasuredHeads text;
    text.metrics.resize(1);
    HeadLabel label;
    label.key = label.title = key;
    label.score = score;
    text.labels.push_back(label);
    return text;
  };
  heads.add(with("self", 0.6));
  heads.add(with("far", 0.9));
  heads.add(with("self", 0.8));
  const HeadLabel label = heads.means().labels.front();
  EXPECT_EQ(label.key, "self");
  EXPECT_NEAR(label.score.value(), 0.7, 1e-12);
  EXPECT_EQ(label.rule, "in 2 of 3 texts");
}

TEST(HeadsOverTexts, NameTheTextThatCannotRun) {
  TextsMeasure measure(tinyModel(), {{"line 1", {{1, 2}, {}, {}}}, {"line 2", {{-1}, {}, {}}}}, {});
  EXPECT_FALSE(measure.runUnit());
  try {
    measure.runUnit();
    FAIL() << "an id below 0 was taken";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("line 2: ", 0), 0U) << error.what();
  }
}

}  // namespace
}  // namespace headscope::model
