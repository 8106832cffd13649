// The pass of a language model: its loss and the gradients of all parameters against PyTorch's in
// float64, on every number of threads, and its weights as a model that the program opens.
#include "core/language/language_pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/model/model_trace.h"
#include "core/tensor/safetensors.h"
#include "core/training/loss.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {
using namespace headscope::language;
using training::Parameter;

constexpr Index kVocabulary = 11;
constexpr Index kBudgetOfPass = Index{1} << 30;

struct LanguageCase {
  std::string name;
  LanguageModelSettings settings;
};

std::vector<LanguageCase> languageCases() {
  LanguageModelSettings small;
  small.layers = 2;
  small.dModel = 8;
  small.heads = 2;
  small.context = 9;
  std::vector<LanguageCase> cases(4, {"gpt2", small});
  cases[1].name = "attention_only";
  cases[1].settings.networks = cases[1].settings.norms = false;
  cases[2].name = "no_networks";
  cases[2].settings.networks = false;
  cases[3].name = "rotary_grouped";
  cases[3].settings.kvHeads = 1;
  cases[3].settings.rotary = true;
  return cases;
}

/// The golden file's model and texts of a case.
struct GoldenModel {
  explicit GoldenModel(const LanguageCase& from)
      : name(from.name), model(from.settings, kVocabulary, 1) {
    for (Parameter& parameter : model.parameters()) {
      const Tensor value = wanted("parameter." + parameter.name);
      EXPECT_EQ(value.shape(), parameter.value.shape()) << parameter.name;
      std::copy_n(value.data(), value.size(), parameter.value.mutableData());
    }
    const Tensor tokens = wanted("tokens");
    texts.count = tokens.dim(0);
    texts.length = tokens.dim(1) - 1;
    next.count = texts.count;
    next.length = texts.length;
    next.answers.emplace_back();
    for (Index text = 0; text < texts.count; ++text) {
      for (Index place = 0; place < texts.length; ++place) {
        texts.tokens.push_back(static_cast<std::int32_t>(tokens.at({text, place})));
        next.answers.front().push_back(tokens.at({text, place + 1}));
      }
    }
  }

  Tensor wanted(const std::string& tensor) const { return file.read(name + "." + tensor); }

  /// Runs the pass forward and backward; returns its loss.
  double run(int threads) {
    const ScopedThreadLimit limit(threads);
    LanguagePass pass(model, texts);
    EXPECT_TRUE(pass.forward({}));
    Tensor gradient = Tensor::uninitialised(pass.logits().shape());
    const std::vector<training::Question> question{{"next", "", kVocabulary}};
    const double loss = training::lossesOf(pass.logits(), question, next, {}, gradient).loss;
    EXPECT_TRUE(pass.backward(model, gradient, {}));
    return loss;
  }

  std::string name;
  SafetensorsFile file{headscope::golden("language/gradients")};
  LanguageModel model;
  Texts texts;
  training::Examples next;
};

TEST(LanguagePass, LossAndGradientsAreThoseOfPyTorch) {
  for (const LanguageCase& each : languageCases()) {
    GoldenModel golden(each);
    EXPECT_NEAR(golden.run(1), static_cast<double>(golden.wanted("loss").at({0})), 1e-6)
        << each.name;
    for (const Parameter& parameter : golden.model.parameters()) {
      const Tensor wanted = golden.wanted("gradient." + parameter.name);
      const std::vector<float> numbers = wanted.values();
      const float largest = std::abs(
          *std::ranges::max_element(numbers, {}, [](float number) { return std::abs(number); }));
      // the gradient of b_K is 0: it adds the same to all scores of a row
      const float bound = 2e-6F + 1e-5F * largest;
      for (Index i = 0; i < wanted.size(); ++i) {
        ASSERT_NEAR(parameter.gradient.data()[i], wanted.data()[i], bound)
            << each.name << " " << parameter.name << " " << i;
      }
    }
  }
}

TEST(LanguagePass, GradientsHaveTheSameBitsOnEveryNumberOfThreads) {
  for (const LanguageCase& each : languageCases()) {
    GoldenModel one(each), several(each);
    EXPECT_EQ(one.run(1), several.run(3));
    for (std::size_t i = 0; i < one.model.parameters().size(); ++i) {
      EXPECT_EQ(one.model.parameters()[i].gradient.values(),
                several.model.parameters()[i].gradient.values())
          << each.name << " " << one.model.parameters()[i].name;
    }
  }
}

TEST(LanguagePass, ItsModelGivesTheSameLogits) {
  for (const LanguageCase& each : languageCases()) {
    GoldenModel golden(each);
    LanguagePass pass(golden.model, golden.texts);
    ASSERT_TRUE(pass.forward({}));
    const model::ModelPtr model = golden.model.model("golden");
    for (Index text = 0; text < golden.texts.count; ++text) {
      const auto first = golden.texts.tokens.begin() + text * golden.texts.length;
      model::ModelInput input;
      input.ids.assign(first, first + golden.texts.length);
      const model::ModelTracePtr trace =
          model::runModel(model::makeModelDocument(model, input), nullptr, {}, kBudgetOfPass);
      const Tensor logits = trace->logits(0, golden.texts.length);
      for (Index i = 0; i < logits.size(); ++i) {
        ASSERT_NEAR(logits.data()[i],
                    pass.logits().data()[text * golden.texts.length * kVocabulary + i], 1e-5F)
            << each.name;
      }
    }
  }
}

}  // namespace
}  // namespace headscope::test
