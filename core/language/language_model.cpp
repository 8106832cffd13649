#include "core/language/language_model.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "core/attention/rotary.h"
#include "core/base/error.h"

namespace headscope::language {
namespace {
using model_training::ParameterEntry;

constexpr Index kLeastContext = 8;
constexpr Index kMostContext = 4096;

/// Names, shapes and first values of all parameters, in order.
std::vector<ParameterEntry> entriesOf(const LanguageModelSettings& s, Index vocabulary) {
  std::vector<ParameterEntry> entries{{"embedding", {vocabulary, s.dModel}, true}};
  if (!s.rotary) entries.push_back({"positions", {s.context, s.dModel}, true});
  addLayers(entries, s);
  return entries;
}

class LanguageWeights : public model_training::CopiedWeights {
 public:
  explicit LanguageWeights(const LanguageModel& model)
      : CopiedWeights(model.parameters(), model.settings(), model.places()),
        rotary_(model.settings().rotary),
        places_(model.places()) {}

  model::Embedding embedding() const override {
    model::Embedding embedding;
    embedding.tokens = value(places_.embedding());
    if (!rotary_) embedding.positions = value(places_.positions());
    return embedding;
  }

  model::Readout readout() const override {
    model::Readout readout;
    readout.norm = normAt(places_.finalNorm());
    return readout;
  }

 private:
  bool rotary_;
  ParameterPlaces places_;
};

}  // namespace

void checkModel(const LanguageModelSettings& s) {
  model_training::requireCount("context", s.context, kLeastContext, kMostContext);
  checkLayers(s, s.context);
  if (s.rotary && s.dModel / s.heads % 2 != 0) {
    throw UserError(
        fmt::format("rotary positions turn pairs of coordinates, and d_k is {}: choose "
                    "a d_model and heads that give an even d_k",
                    s.dModel / s.heads));
  }
}

model::ModelConfig configOf(const LanguageModelSettings& s, Index vocabulary) {
  model::ModelConfig c;
  const bool all = s.networks && s.norms;
  c.modelType = !all || (!s.rotary && s.keyHeads() != s.heads) ? "headscope"
                : s.rotary                                     ? "starcoder2"
                                                               : "gpt2";
  describeLayers(s, c);
  c.vocabulary = vocabulary;
  c.positions = s.context;
  c.positionRows = s.rotary ? 0 : s.context;
  if (s.rotary) c.rotary.theta = Rotary::kUsualTheta;
  c.tied = model::ModelConfig::Tied::yes;
  c.endTokens = {0};
  return c;
}

Index parameterCount(const LanguageModelSettings& settings, Index vocabulary) {
  return model_training::parameterCount(entriesOf(settings, vocabulary));
}

LanguageModel::LanguageModel(const LanguageModelSettings& settings, Index vocabulary,
                             std::uint64_t seed)
    : settings_(settings),
      places_(settings),
      vocabulary_(vocabulary),
      parameters_(model_training::firstParameters(entriesOf(settings, vocabulary), seed)) {}

model::ModelPtr LanguageModel::model(std::string name) const {
  constexpr Index kUnlimited = std::numeric_limits<Index>::max();
  return std::make_shared<const model::Model>(std::move(name), configOf(settings_, vocabulary_),
                                              std::make_unique<const LanguageWeights>(*this),
                                              kUnlimited);
}

}  // namespace headscope::language
