#include "core/language/kept_run.h"

#include <algorithm>
#include <utility>

#include "core/document/trace.h"
#include "core/language/sample.h"
#include "core/language/sentence_reading.h"

namespace headscope::language {
namespace {

constexpr Index kWrittenTokens = 40;
constexpr model::Sampling kWriting{.temperature = 0.7, .topK = 0, .seed = 1};

/// All heads' weights as one tensor, (L, H, T, T).
Tensor attentionsOf(const model::ModelTrace& trace) {
  const model::ModelConfig& c = trace.config();
  Tensor all = Tensor::uninitialised({c.layers, c.heads, trace.tokens(), trace.tokens()});
  float* to = all.mutableData();
  for (Index layer = 0; layer < c.layers; ++layer) {
    const Tensor& weights = trace.layer(layer)->tensor(TensorId::weights);
    to = std::copy_n(weights.data(), weights.size(), to);
  }
  return all;
}

}  // namespace

void RunKeeper::look(const LanguageTrainer& run, const ExecutionContext& execution) {
  const Index step = run.stepsTaken();
  const std::vector<KeptMoment>& moments = kept_.moments;
  const bool evaluated = !run.evaluations().empty() && run.evaluations().back().step == step;
  if (!evaluated || (!moments.empty() && moments.back().step() == step)) return;
  const model::ModelPtr model = run.modelNow();
  auto read = readSentence(model, *run.corpus(), {}, run.settings().model.context,
                           memoryBudgetBytes_, execution);
  if (!read) return;
  auto without = rightWithoutLookers(run.model(), run.evaluations().back(), execution);
  if (!without) return;
  kept_.settings = run.settings();
  kept_.sentence = std::move(read->sentence);
  kept_.tokens = read->trace->document().input.tokens;
  kept_.answeredAt.clear();
  for (std::size_t q = 0; q < run.evaluations().back().questions.size(); ++q) {
    kept_.answeredAt.push_back(run.answeredAt(q));
  }
  kept_.moments.push_back({run.evaluations().back(),
                           run.records().empty() ? 0.0 : run.records().back().loss,
                           sampleOf(model, *run.corpus(), run.corpus()->sampleBeginning,
                                    kWrittenTokens, kWriting, execution),
                           std::move(read->next), std::move(*without), attentionsOf(*read->trace)});
}

}  // namespace headscope::language
