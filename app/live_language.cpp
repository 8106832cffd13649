#include "app/live_language.h"

#include <algorithm>
#include <utility>

#include "core/formats/corpora.h"
#include "core/language/stories.h"
#include "core/model/generation.h"

namespace headscope {
namespace {

constexpr double kFastSeconds = 0.2;  // a moment costs as much as a few steps
constexpr double kTextSeconds = 0.7;  // the least age of a text that is replaced: one reads it
constexpr Index kStoryTokens = 2'000'000;
constexpr std::size_t kNextWords = 12;
constexpr model::Sampling kWriting{.temperature = 0.7};

/// All runs learn from the same stories.
language::CorpusPtr stories() {
  static const language::CorpusPtr corpus = formats::storyCorpus(1, kStoryTokens);
  return corpus;
}

}  // namespace

std::string LanguageMoment::nameOf(Index token) const {
  return corpus->tokenizer->inWords(static_cast<tokenizer::TokenId>(token));
}

struct LiveLanguage::Live {
  Live(const language::LanguageSettings& s, Index memoryBudget, std::uint64_t momentsBefore)
      : settings(s), budget(memoryBudget), moments(momentsBefore) {}

  std::optional<LanguageMoment> advance(const Request& request, const std::atomic<bool>& cancelled);

  language::LanguageSettings settings;
  Index budget;
  std::uint64_t moments;
  std::optional<language::LanguageTrainer> run;  // from the first request on

 private:
  /// Writes the sentence and what the model makes of it into a moment. False where cancelled.
  bool read(LanguageMoment& moment, const model::ModelPtr& model, const std::string& sentence,
            const ExecutionContext& execution) const;
  /// Lets the model write a text, up to its end or the end of the room. False where cancelled.
  bool write(const LanguageMoment& moment, const model::ModelPtr& model, std::uint64_t seed,
             const ExecutionContext& execution);

  std::string text_;
  Index textStep_ = 0;
  double writtenAt_ = 0.0;
};

bool LiveLanguage::Live::read(LanguageMoment& moment, const model::ModelPtr& model,
                              const std::string& sentence,
                              const ExecutionContext& execution) const {
  const language::Corpus& corpus = *moment.corpus;
  moment.sentence = sentence.empty() ? corpus.example : sentence;
  const auto unknown = corpus.tokenizer->id(language::kUnknownToken);
  std::vector<tokenizer::Token> tokens = corpus.tokenizer->encode(moment.sentence);
  moment.leftOut = std::max<Index>(0, std::ssize(tokens) - moment.settings.model.context);
  tokens.erase(tokens.begin(), tokens.begin() + moment.leftOut);
  model::ModelInput input;
  for (const tokenizer::Token& token : tokens) {
    input.ids.push_back(token.id);
    input.tokens.push_back(corpus.tokenizer->inWords(token.id));
    if (token.id == unknown) moment.unknown.emplace_back(token.offsets.of(moment.sentence));
  }
  moment.trace = runModel(makeModelDocument(model, std::move(input)), nullptr, execution, budget);
  if (moment.trace == nullptr) return false;
  moment.next = moment.trace->predictions(moment.trace->tokens() - 1, kNextWords);
  return true;
}

bool LiveLanguage::Live::write(const LanguageMoment& moment, const model::ModelPtr& model,
                               std::uint64_t seed, const ExecutionContext& execution) {
  const language::Corpus& corpus = *moment.corpus;
  model::ModelInput begin;
  begin.ids.push_back(corpus.beginToken);
  const auto pass =
      runModel(makeModelDocument(model, std::move(begin)), nullptr, execution, budget);
  if (pass == nullptr) return false;
  const Index most = settings.model.context - 1;
  model::Sampling sampling = kWriting;
  sampling.seed = seed;
  model::Decoder decoder(pass, most);
  std::vector<tokenizer::TokenId> written;
  while (std::ssize(written) < most) {
    const Index token = takenFrom(decoder.logits(), sampling, std::ssize(written));
    if (token == corpus.beginToken) break;  // another story would follow
    written.push_back(static_cast<tokenizer::TokenId>(token));
    if (std::ssize(written) < most && !decoder.feed(token, execution)) return false;
  }
  text_ = corpus.tokenizer->decode(written);
  textStep_ = moment.step;
  writtenAt_ = clockSeconds();
  return true;
}

std::optional<LanguageMoment> LiveLanguage::Live::advance(const Request& request,
                                                          const std::atomic<bool>& cancelled) {
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  if (!run) run.emplace(stories(), settings, budget);
  request.due.advance(*run, execution);
  if (run->evaluations().empty() && !run->evaluate(execution)) return std::nullopt;
  LanguageMoment moment;
  moment.corpus = run->corpus();
  moment.settings = run->settings();
  moment.stepsTaken = moment.step = run->stepsTaken();
  model::ModelPtr model;
  const training::Snapshot* snapshot =
      request.due.look ? run->snapshots().atMost(*request.due.look) : nullptr;
  if (snapshot != nullptr && snapshot->step < run->stepsTaken()) {
    moment.step = snapshot->step;
    model = run->modelAt(snapshot->step);
  } else {
    model = run->modelNow();
  }
  if (!read(moment, model, request.sentence, execution)) return std::nullopt;
  const bool hurries = request.playing && !run->finished();
  if (!hurries || clockSeconds() - writtenAt_ > kTextSeconds) {
    if (!write(moment, model, request.textSeed, execution)) return std::nullopt;
  }
  moment.text = text_;
  moment.textStep = textStep_;
  moment.records = run->records();
  moment.evaluations = run->evaluations();
  for (std::size_t q = 0; q < language::kStoryQuestions; ++q) {
    moment.answeredAt.push_back(run->answeredAt(q));
  }
  moment.stopped = run->stopped();
  moment.finished = run->finished();
  moment.trainingMs = run->trainingMs();
  moment.number = ++moments;
  return moment;
}

LiveLanguage::LiveLanguage(Scheduler& scheduler, Index memoryBudgetBytes,
                           std::shared_ptr<const LanguageMoment> shown)
    : memoryBudgetBytes_(memoryBudgetBytes),
      watched_(scheduler, kFastSeconds, 0.0, std::move(shown)) {
  if (moment() != nullptr) begunLast_ = moment()->settings;
}

void LiveLanguage::begin(const language::LanguageSettings& settings) {
  begunLast_ = settings;
  checkTraining(settings, std::ssize(language::storyWords()), memoryBudgetBytes_);
  run_ = std::make_shared<Live>(settings, memoryBudgetBytes_, ++begun_ << 32U);
  watched_.show(nullptr, true);
}

bool LiveLanguage::isOf(const language::LanguageSettings& settings) const {
  return begunLast_ && begunLast_->model == settings.model && begunLast_->seed == settings.seed;
}

void LiveLanguage::setAside() {
  aside_ = Aside{std::exchange(run_, nullptr), moment(), std::exchange(begunLast_, std::nullopt),
                 watched_.lookedAt()};
  watched_.show(nullptr, false);
}

void LiveLanguage::bringBack() {
  if (!aside_) return;
  Aside own = *std::exchange(aside_, std::nullopt);
  run_ = std::move(own.run);
  begunLast_ = own.begunLast;
  watched_.show(std::move(own.moment), run_ != nullptr, own.look);
}

void LiveLanguage::play(bool on) {
  watched_.play(on);
  if (!on) watched_.outdate();  // the text of the step at which it pauses
}

void LiveLanguage::setLearningRate(double rate) {
  watched_.change([rate](language::LanguageTrainer& run) { run.setLearningRate(rate); });
}
void LiveLanguage::setBatch(Index batch) {
  watched_.change([batch](language::LanguageTrainer& run) { run.setBatch(batch); });
}
void LiveLanguage::setSteps(Index steps) {
  watched_.change([steps](language::LanguageTrainer& run) { run.setSteps(steps); });
}

void LiveLanguage::setSentence(const std::string& sentence) {
  if (sentence_ == sentence) return;
  sentence_ = sentence;
  watched_.outdate();
}

void LiveLanguage::writeAnother() {
  ++textSeed_;
  watched_.outdate();
}

void LiveLanguage::follow(double now) {
  auto due = watched_.follow(now);
  if (!due) return;
  Request request{std::move(*due), sentence_, textSeed_, playing()};
  watched_.request([live = run_, request = std::move(request)](const std::atomic<bool>& cancelled) {
    return live->advance(request, cancelled);
  });
}

}  // namespace headscope
