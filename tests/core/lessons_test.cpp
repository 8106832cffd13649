// Lessons: facts read from a pass, files whose errors are named, and the shipped lessons: every
// name in them exists, and every task is open at first and solved by its own instructions.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/document/attention.h"
#include "core/editing/make_document.h"
#include "core/formats/lesson_json.h"
#include "core/input/training_domain.h"
#include "core/presets/presets.h"
#include "core/training/learned_weights.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

using lessons::Condition;
using lessons::FactSource;

class Facts : public testing::Test {
 protected:
  Facts()
      : trace_(runAttention(makePreset(presetByName("original-transformer"),
                                       {WeightInit::designed, 1, {}}, kBudget))) {}
  std::string filled(const std::string& text) const { return lessons::filledIn(text, source_); }
  double number(const std::string& name) const {
    const auto fact = lessons::factOf(name, source_);
    return fact && std::holds_alternative<double>(*fact) ? std::get<double>(*fact) : -1e9;
  }

  TracePtr trace_;
  FactSource source_{*trace_, 0, 1};
};

TEST_F(Facts, OfSizesAndCells) {
  EXPECT_EQ(filled("{d_model} ÷ {heads} = {d_k}"), "512 ÷ 8 = 64");
  EXPECT_EQ(number("weights[0, 1, 2, 1]"), trace_->value({TensorId::weights, 0, 1, 2, 1}));
  EXPECT_EQ(number("weights[0, head, sat, CAT]"), number("weights[0, 1, 2, 1]"));
  EXPECT_EQ(number(R"(weights[0, head, "sat", "cat"])"), number("weights[0, 1, 2, 1]"));
  EXPECT_EQ(filled("{weights[0, head, sat, dog]}"), "–");
  EXPECT_EQ(filled("{token[1]} {argmax weights[0, 1, sat]}"), "cat cat");
  EXPECT_EQ(filled("{nothing such} {W_Q[0]}"), "– –");
}

/// A comma within quotes is a word.
TEST_F(Facts, OfAWordThatIsAComma) {
  AttentionConfig config;
  config.dModel = 64;
  config.numHeads = config.numKvHeads = 2;
  const auto trace = runAttention(
      makeDocument("", config, TextSource{{"yes , no"}, {}}, Positions::named, {}, kBudget));
  const FactSource source{*trace, 0, 0};
  const auto fact = lessons::factOf(R"(weights[0, 0, ",", "no"])", source);
  ASSERT_TRUE(fact);
  EXPECT_EQ(std::get<double>(*fact), trace->value({TensorId::weights, 0, 0, 1, 2}));
}

TEST_F(Facts, OfManyCells) {
  EXPECT_NEAR(number("sum weights[0, 3, sat]"), 1.0, 1e-6);
  EXPECT_NEAR(number("sum weights[0, 3]"), 6.0, 1e-5);
  EXPECT_NEAR(number("sum weights"), 48.0, 1e-4);
  EXPECT_EQ(number("largest weights[0, 1, sat]"), number("weights[0, 1, sat, cat]"));
  EXPECT_NEAR(number("mean weights[0, 7]"), 1.0 / 6.0, 1e-6);
  EXPECT_NEAR(number("spread weights[0, 7]"), 0.0, 1e-6);
  EXPECT_GT(number("above_diagonal weights[0, 7]"), 2.0);
  EXPECT_EQ(number("saturated weights[0, 7]"), 0.0);
  EXPECT_GT(number("ablation[1]"), 0.1);
  EXPECT_EQ(number("distinct_heads"), 8.0);
}

TEST_F(Facts, OfAllHeadsAndOfPresets) {
  double largest = 0.0;
  for (Index head = 0; head < 8; ++head) {
    const float weight = trace_->value({TensorId::weights, 0, head, 2, 1});
    largest = std::max(largest, static_cast<double>(weight));
  }
  EXPECT_EQ(number("any_head[sat, cat]"), largest);
  EXPECT_EQ(filled("{any_head[sat, dog]}"), "–");
  EXPECT_EQ(filled("{preset_heads[bert-base]} × {preset_d_k[bert-base]} = "
                   "{preset_d_model[bert-base]} {preset_heads[nothing]}"),
            "12 × 64 = 768 –");
}

TEST_F(Facts, OfWhatIsLookedAt) {
  source_.page = "heads";
  EXPECT_EQ(filled("{page} {head} {chosen} {value}"), "heads 2 none –");
  source_.chosen = CellRef{TensorId::weights, 0, 1, 2, 1};
  EXPECT_EQ(filled("{chosen} {query} {key} {row} {column}"), "weights sat cat 2 1");
  EXPECT_EQ(filled("{first_column} {last_column} {block}"), "64 127 –");
  source_.chosen = CellRef{TensorId::wO, -1, -1, 2, 130};
  EXPECT_EQ(number("block"), 3.0);
  EXPECT_EQ(filled("{matrix}"), "W^O");
  EXPECT_EQ(filled("W^{QK} W_{head} {head}"), "W^{QK} W_{head} 2");
  source_.others = {{"grid_mean", 1.0}, {"head", 7.0}};
  EXPECT_EQ(filled("{grid_mean} {head}"), "1 2");  // a name of one's own comes first
  source_.others["stage_word"] = 2.0;
  EXPECT_EQ(filled("{token[stage_word]} {argmax weights[0, head, stage_word]}"), "sat cat");
  source_.others["stage_word"] = -1.0;
  EXPECT_EQ(filled("{token[stage_word]}"), "–");
}

TEST_F(Facts, AreJudged) {
  const auto so = [&](const std::string& fact, Condition::Is is, lessons::Fact value) {
    return lessons::holds({fact, is, std::move(value)}, source_);
  };
  EXPECT_TRUE(so("d_k", Condition::Is::equal, 64.0));
  EXPECT_FALSE(so("d_k", Condition::Is::equal, 32.0));
  EXPECT_TRUE(so("d_k", Condition::Is::unequal, 32.0));
  EXPECT_TRUE(so("heads", Condition::Is::atLeast, 8.0));
  EXPECT_FALSE(so("heads", Condition::Is::atMost, 7.0));
  EXPECT_TRUE(so("mistake", Condition::Is::equal, std::string("none")));
  EXPECT_FALSE(so("mistake", Condition::Is::equal, 0.0));  // a fact of another kind
  EXPECT_FALSE(so("nothing such", Condition::Is::unequal, 3.0));
}

std::string refusalOf(const std::string& text) {
  try {
    formats::parseLesson(text, "my.lesson.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LessonFile, SaysWhatIsWrong) {
  const std::string scene = R"("title": "a", "scenes": [{"title": "b", "text": "c")";
  EXPECT_EQ(refusalOf("{" + scene + "}]}"), "accepted");
  const std::pair<std::string, std::string> wrong[] = {
      {"{\n\"title\": \"a\",\n\"scenes\": [,]}", "line 3"},
      {"{" + scene + R"(, "sped": 3}]})", "scenes[0].sped is 3, a field that headscope"},
      {"{" + scene + R"(, "state": {"preset": "bert-huge"}}]})", "scenes[0].state.preset"},
      {"{" + scene + R"(, "state": {"pins": {"scores": 1}}}]})", "names no cell"},
      {"{" + scene + R"(, "state": {"pins": {"scores[0, 0, 0, 0]": 1e39}}}]})",
       "is 1e+39, beyond float32's range"},
      {"{" + scene + R"(, "check": {"ask": "d", "done": "e", "that": {}}}]})", "is empty"},
      {"{" + scene + R"(, "check": {"ask": "d", "that": {"d_k": 64}}}]})",
       "needs ask, that and done"},
      {"{" + scene + R"(, "predict": {"ask": "d", "choices": ["e"], "right": 0, "reveal": "f"}}]})",
       "2 to 4 choices"},
      {"{" + scene +
           R"(, "predict": {"ask": "d", "choices": ["e", "g"], "right": 2, "reveal": "f"}}]})",
       "right"},
      {"{" + scene + R"(, "predict": {"ask": "d", "choices": ["e", {"means": "g"}], "right": 0,
                        "reveal": "f"}}]})",
       "choices[1] needs a choice"},
      {"{" + scene +
           R"(, "check": {"ask": "d", "done": "e", "that": {"d_k": 1}, "again": "05"}}]})",
       "is not a lesson of the program: '05'"},
      {"{" + scene +
           R"(, "check": {"ask": "d", "done": "e", "that": {"d_k": 1}, "yet": [{"yet": "f"}]}}]})",
       "yet[0] needs that and yet"},
      {"{" + scene +
           R"(, "check": {"ask": "d", "done": "e", "that": {"d_k": 1}, "way": {"go": 1}}}]})",
       "check.way.go is 1, a field that headscope"},
      {"{" + scene + R"(, "state": {"soft_cap": 0.1}}]})",
       "scenes[0].state.soft_cap is 0.1, a field that headscope"},
      {R"({"title": "a"})", "needs a title and scenes"}};
  for (const auto& [text, part] : wrong) {
    EXPECT_NE(refusalOf(text).find(part), std::string::npos) << refusalOf(text);
    EXPECT_EQ(refusalOf(text).rfind("my.lesson.json", 0), 0U) << refusalOf(text);
  }
}

class ShippedLesson : public testing::TestWithParam<std::size_t> {
 protected:
  const lessons::Lesson& lesson() const { return formats::shippedLessons()[GetParam()]; }
};

INSTANTIATE_TEST_SUITE_P(All, ShippedLesson,
                         testing::Range(std::size_t{0}, formats::shippedLessons().size()),
                         [](const auto& of) { return formats::shippedLessons()[of.param].id; });

TEST_P(ShippedLesson, StandsOnAPath) {
  static const std::set<std::string> paths{"ten minutes", "an hour", "a course", "a lecture"};
  EXPECT_TRUE(paths.contains(lesson().path)) << lesson().path;
}

/// A wrong choice is answered with what it means.
TEST_P(ShippedLesson, SaysWhatEveryWrongChoiceMeans) {
  for (const lessons::Scene& scene : lesson().scenes) {
    if (!scene.predict) continue;
    for (std::size_t i = 0; i < scene.predict->choices.size(); ++i) {
      const lessons::Choice& choice = scene.predict->choices[i];
      EXPECT_EQ(choice.means.empty(), i == scene.predict->right)
          << scene.title << ": " << choice.text;
    }
  }
}

/// Who has not done a task reads what there is in its place; of a head that is looked at, in
/// numbers.
TEST_P(ShippedLesson, SaysHowATaskStands) {
  for (const lessons::Scene& scene : lesson().scenes) {
    if (!scene.check) continue;
    ASSERT_FALSE(scene.check->yet.empty()) << scene.title;
    const auto& that = scene.check->that;
    const bool ofHead = std::any_of(that.begin(), that.end(), [](const Condition& condition) {
      return condition.fact.find("[head]") != std::string::npos ||
             condition.fact.find(", head") != std::string::npos;
    });
    if (ofHead) {
      EXPECT_NE(scene.check->yet.back().says.find("{"), std::string::npos) << scene.title;
    }
  }
}

std::string_view originOf(const Document& document) {
  if (document.weightSource.init == WeightInit::learned) return "learned";
  return document.weightSource.init == WeightInit::designed ? "designed" : "";
}

/// Scenes whose layer has weights of another origin than the scene before say so.
TEST_P(ShippedLesson, SaysWhereOtherWeightsComeFrom) {
  DocumentPtr document =
      makePreset(presetByName("original-transformer"), {WeightInit::designed, 1, {}}, kBudget);
  std::string_view before;
  for (const lessons::Scene& scene : lesson().scenes) {
    document = documentOf(scene.state, *document, kBudget);
    const bool showsLayer = scene.view.find("\"train\"") == std::string::npos;
    const std::string_view now = originOf(*document);
    if (showsLayer && !before.empty() && !now.empty() && now != before) {
      EXPECT_NE(scene.text.find(now), std::string::npos)
          << scene.title << " shows " << now << " weights after " << before << " ones";
    }
    if (showsLayer && !now.empty()) before = now;
  }
}

/// The parts of a text in braces.
std::vector<std::string> namesIn(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    names.emplace_back(text.substr(open, text.find('}', open) + 1 - open));
  }
  return names;
}

/// Learned weights come with the program: the window would stand still while a layer learns.
void expectNothingToLearn(const Document& d, const std::string& where) {
  if (d.weightSource.init != WeightInit::learned) return;
  const auto domain = trainingDomainOf(*d.source);
  ASSERT_TRUE(domain) << where;
  EXPECT_TRUE(formats::learnedAsset(d.config, *domain, d.weightSource.seed)) << where;
}

/// Goes through the scenes in order, as the program does, without a window; each scene gives the
/// head and cell that its texts need.
TEST_P(ShippedLesson, HoldsInEveryScene) {
  DocumentPtr document =
      makePreset(presetByName("original-transformer"), {WeightInit::designed, 1, {}}, kBudget);
  for (const lessons::Scene& scene : lesson().scenes) {
    document = documentOf(scene.state, *document, kBudget);
    expectNothingToLearn(*document, scene.title);
    TracePtr trace = runAttention(document);
    FactSource source{*trace, 0, 0};
    if (!scene.view.empty()) {
      const Json view = parseJson(scene.view);
      const Json* head = view.find("head");
      if (head != nullptr) source.head = static_cast<Index>(head->number().value());
      for (const auto& [name, value] : *view.fields()) {
        if (const auto number = value.number()) source.others[name] = *number;
      }
    }
    if (!scene.choose.empty()) {
      source.chosen = lessons::cellOf(scene.choose, source);
      EXPECT_TRUE(source.chosen) << scene.title << ": " << scene.choose;
    }
    for (const std::string& cell : scene.lit) {
      EXPECT_TRUE(lessons::cellOf(cell, source)) << scene.title << ": " << cell;
    }
    std::string texts = scene.text + scene.speaker;
    if (scene.predict) {
      texts += scene.predict->ask + scene.predict->reveal;
      for (const lessons::Choice& choice : scene.predict->choices) {
        texts += choice.text + choice.means;
      }
    }
    if (scene.check) texts += scene.check->ask + scene.check->hint;
    for (const std::string& name : namesIn(texts)) {
      // the window alone has runs; its test of all scenes looks for missing facts too
      if (name.starts_with("{train_") || name.starts_with("{measured_")) continue;
      if (name.starts_with("{model_")) continue;
      EXPECT_EQ(lessons::filledIn(name, source).find("–"), std::string::npos)
          << scene.title << ": " << name;
    }
    if (!scene.check) continue;
    const auto done = [&](const FactSource& from) {
      return std::all_of(scene.check->that.begin(), scene.check->that.end(),
                         [&](const Condition& c) { return lessons::holds(c, from); });
    };
    EXPECT_FALSE(done(source)) << scene.title << " is done before it is begun";
    for (const Condition& condition : scene.check->that) {
      static const std::set<std::string> ofTheWindow{"page",         "step",
                                                     "tool",         "head",
                                                     "chosen",       "query",
                                                     "key",          "value",
                                                     "row",          "column",
                                                     "block",        "grid_mean",
                                                     "effect_tab",   "decode_position",
                                                     "grid_content", "stage_word"};
      EXPECT_TRUE(ofTheWindow.contains(condition.fact) || condition.fact.starts_with("train_") ||
                  condition.fact.starts_with("model_") || lessons::factOf(condition.fact, source))
          << scene.title << ": " << condition.fact;
    }
    const lessons::Way& way = scene.check->way;
    EXPECT_FALSE(way.isNone()) << scene.title << " shows no way";
    document = documentOf(way.state, *document, kBudget);
    expectNothingToLearn(*document, scene.title);
    // tasks in the window only
    if (!way.view.empty() || !way.trainStep.empty() || way.modelHeadsOff) continue;
    trace = runAttention(document);
    FactSource after{*trace, 0, 0, {}, {}, {}, source.chosen};
    if (!way.choose.empty()) {
      after.chosen = lessons::cellOf(way.choose, after);
      ASSERT_TRUE(after.chosen) << way.choose;
      after.head = std::max<Index>(0, after.chosen->head);
    }
    EXPECT_TRUE(done(after)) << scene.title << ": the way does not lead there";
  }
}

}  // namespace
}  // namespace headscope::test
