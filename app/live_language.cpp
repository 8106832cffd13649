#include "app/live_language.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "core/document/trace.h"
#include "core/formats/language_run.h"
#include "core/formats/model_directory.h"
#include "core/formats/shipped_model.h"
#include "core/language/sample.h"
#include "core/language/sentence_reading.h"
#include "core/language/stories.h"
#include "core/model/model_heads.h"

namespace headscope {
namespace {

constexpr double kFastSeconds = 0.2;  // a moment costs as much as a few steps
constexpr double kTextSeconds = 0.7;  // the least age of a text that is replaced: one reads it
constexpr Index kStoryTokens = 2'000'000;
constexpr Index kFewStoryTokens = 20'000;  // for a kept run, which learns nothing
constexpr double kKeptSpeed = 50.0;        // steps per second
constexpr Index kFirstText = 25;           // the first step after the start whose text is kept
constexpr Index kStripSteps = 8;
constexpr Index kShippedModelBytes = Index{64} << 20;
constexpr model::Sampling kWriting{.temperature = 0.7};

/// All runs on stories learn from the same ones.
language::CorpusPtr stories() {
  static const language::CorpusPtr corpus = formats::storyCorpus(1, kStoryTokens);
  return corpus;
}

language::CorpusPtr corpusOf(const LearnedFrom& from) {
  return from.text.empty() ? stories()
                           : formats::textCorpus(from.text, from.tokens, from.vocabulary);
}

}  // namespace

std::string LanguageMoment::nameOf(Index token) const {
  return corpus->tokenizer->inWords(static_cast<tokenizer::TokenId>(token));
}

void LanguageMoment::forgetLater() {
  const auto later = [this](const auto& item) { return item.step > step; };
  std::erase_if(records, later);
  std::erase_if(evaluations, later);
  std::erase_if(earlier, later);
  std::erase_if(strip, [this](const language::HeadsAtStep& heads) { return heads.step() > step; });
  for (auto& answered : answeredAt) {
    if (answered && *answered > step) answered.reset();
  }
  if (stepsTaken > step) {
    stopped.reset();
    finished = false;
  }
  stepsTaken = step;
  trainingMs = 0.0;
}

struct LiveLanguage::Live {
  /// `known`: what it learns from, where that has been read already; else null.
  Live(LearnedFrom learned, language::CorpusPtr known, const language::LanguageSettings& s,
       Index memoryBudget, std::uint64_t momentsBefore)
      : from(std::move(learned)),
        corpus(std::move(known)),
        settings(s),
        budget(memoryBudget),
        moments(momentsBefore) {}

  /// A run that is shown from the file that comes with the program.
  explicit Live(std::uint64_t momentsBefore) : budget(0), moments(momentsBefore), isKept(true) {}

  std::optional<LanguageMoment> advance(const Request& request, const std::atomic<bool>& cancelled);
  LanguageMoment advanceKept(const Request& request);
  /// The model of the shown step, whose number the moment receives.
  const language::LanguageModel& shownModel(LanguageMoment& moment, std::optional<Index> look);
  // Computes a model's pass over the sentence, its text and its answers without a head. False where
  // cancelled.
  bool read(LanguageMoment& moment, const model::ModelPtr& model, const std::string& sentence,
            const ExecutionContext& execution) const;
  bool write(const LanguageMoment& moment, const model::ModelPtr& model, std::uint64_t seed,
             const ExecutionContext& execution);
  bool switchOff(const LanguageMoment& moment, const language::LanguageModel& model,
                 const ExecutionContext& execution);
  /// Sets the texts of a film's moment: those of the steps at which a fast run keeps one.
  bool writeForFilm(LanguageMoment& moment, const ExecutionContext& execution);

  std::mutex mutex;  // a film looks at the run while it may go on
  LearnedFrom from;
  language::CorpusPtr corpus;
  language::LanguageSettings settings;
  Index budget;
  std::uint64_t moments;
  bool isKept = false;
  Index keptStep = 0;                              // of a kept run: the step that it has reached
  model::ModelPtr keptModel;                       // likewise of its last step, once it was shown
  std::optional<language::LanguageTrainer> run;    // from the first request on
  std::optional<language::LanguageModel> earlier;  // with the parameters of an earlier step
  std::vector<WrittenText> texts;                  // each at least twice as many steps on
  std::map<Index, language::HeadsAtStep> heads;    // of headsSentence, by their steps
  std::string headsSentence;
  std::map<Index, WrittenText> filmTexts;  // by the steps of writeForFilm()
  WrittenText written;
  std::uint64_t writtenSeed = 0;  // 0: the text is of other parameters
  double writtenAt = 0.0;
  std::vector<double> without;
  std::optional<Index> withoutAt;  // the step of which `without` is; none: of other parameters
};

const language::LanguageModel& LiveLanguage::Live::shownModel(LanguageMoment& moment,
                                                              std::optional<Index> look) {
  moment.step = run->stepsTaken();
  const bool looksBack = look && *look < run->stepsTaken();
  const training::Snapshot* snapshot = looksBack ? run->snapshots().atMost(*look) : nullptr;
  if (snapshot == nullptr) return run->model();
  if (!earlier) earlier.emplace(settings.model, run->corpus()->vocabulary, settings.seed);
  putInto(*snapshot, earlier->parameters());
  moment.step = snapshot->step;
  return *earlier;
}

bool LiveLanguage::Live::read(LanguageMoment& moment, const model::ModelPtr& model,
                              const std::string& sentence,
                              const ExecutionContext& execution) const {
  const language::Corpus& corpus = *moment.corpus;
  auto reading =
      readSentence(model, corpus, sentence, moment.settings.model.context, budget, execution);
  if (!reading) return false;
  moment.sentence = std::move(reading->sentence);
  moment.leftOut = reading->leftOut;
  moment.unknown = std::move(reading->unknown);
  moment.next = std::move(reading->next);
  const model::ModelTracePtr trace = std::move(reading->trace);
  moment.tokens = trace->document().input.tokens;
  for (Index layer = 0; layer < trace->layers(); ++layer) {
    moment.weights.push_back(trace->layer(layer)->tensor(TensorId::weights));
  }
  if (corpus.stories) return true;
  model::ModelMeasure measure(trace, nullptr, execution);
  while (!measure.runUnit()) {
  }
  auto measured = measure.measured();
  if (!measured) return false;
  for (HeadLabel& label : measured->labels) {
    moment.does.push_back({label.defined() ? std::move(label.title) : std::string(), label.score});
  }
  return true;
}

bool LiveLanguage::Live::write(const LanguageMoment& moment, const model::ModelPtr& model,
                               std::uint64_t seed, const ExecutionContext& execution) {
  model::Sampling sampling = kWriting;
  sampling.seed = seed;
  std::string text = sampleOf(model, *moment.corpus, moment.corpus->sampleBeginning,
                              moment.settings.model.context, sampling, execution);
  if (execution.stop()) return false;
  written = {moment.step, std::move(text)};
  writtenSeed = seed;
  writtenAt = clockSeconds();
  if (moment.step < moment.stepsTaken) return true;
  std::erase_if(texts, [&](const WrittenText& kept) { return kept.step >= moment.step; });
  if (texts.empty() || moment.step >= std::max(kFirstText, 2 * texts.back().step)) {
    texts.push_back(written);
  }
  return true;
}

bool LiveLanguage::Live::switchOff(const LanguageMoment& moment,
                                   const language::LanguageModel& model,
                                   const ExecutionContext& execution) {
  if (withoutAt == moment.step) return true;
  const language::LanguageEvaluation* now = moment.evaluation();
  auto right = now != nullptr ? rightWithoutLookers(model, *now, execution)
                              : std::optional(std::vector<double>());
  if (!right) return false;
  without = std::move(*right);
  withoutAt = moment.step;
  return true;
}

bool LiveLanguage::Live::writeForFilm(LanguageMoment& moment, const ExecutionContext& execution) {
  Index now = 0;
  for (Index next = kFirstText; next <= moment.step; next *= 2) now = next;
  WrittenText& text = filmTexts[now];
  if (text.text.empty()) {
    LanguageMoment then = moment;
    const model::ModelPtr model = shownModel(then, now).model(corpus->title);
    model::Sampling sampling = kWriting;
    sampling.seed = 1;
    text.text = sampleOf(model, *corpus, corpus->sampleBeginning, settings.model.context, sampling,
                         execution);
    text.step = then.step;
  }
  if (execution.stop()) return false;
  moment.written = text;
  for (const auto& [step, earlierText] : filmTexts) {
    if (step < now) moment.earlier.push_back(earlierText);
  }
  return true;
}

LanguageMoment LiveLanguage::Live::advanceKept(const Request& request) {
  const std::shared_ptr<const language::KeptRun> run = formats::shippedRun();
  if (corpus == nullptr) corpus = formats::storyCorpus(1, kFewStoryTokens);
  const auto& kept = run->moments;
  const auto newest = [&](Index step) {
    const auto after = std::ranges::upper_bound(kept, step, {}, &language::KeptMoment::step);
    return std::prev(after);
  };
  if (request.goTo) keptStep = *request.goTo;
  const auto now = newest(keptStep);
  const bool last = std::next(now) == kept.end();
  const bool atOnce = request.due.seconds || !request.playing;
  if (request.due.steps > 0 && atOnce && !last) {
    keptStep = std::next(now)->step();
  } else {
    keptStep = std::min(keptStep + request.due.steps, kept.back().step());
  }
  const auto taken = newest(keptStep);
  const auto shown = newest(std::min(taken->step(), request.due.look.value_or(taken->step())));

  LanguageMoment moment;
  moment.kept = true;
  moment.corpus = corpus;
  moment.settings = run->settings;
  moment.stepsTaken = taken->step();
  moment.step = shown->step();
  if (std::next(shown) == kept.end()) {  // the shipped model is what the run ended in
    if (keptModel == nullptr) {
      keptModel = formats::openModel(formats::kStoriesModel, kShippedModelBytes);
    }
    moment.model = keptModel;
  }
  moment.sentence = run->sentence;
  moment.tokens = run->tokens;
  moment.weights = weightsByLayer(*shown);
  if (request.strip) moment.strip = headsOverSteps(*run, taken->step(), kStripSteps);
  moment.next = shown->next;
  moment.written = {shown->step(), shown->written};
  moment.without = shown->without;
  for (auto each = kept.begin(); each != std::next(taken); ++each) {
    moment.evaluations.push_back(each->evaluation);
    if (each->step() > 0) moment.records.push_back({each->step(), each->loss, 0.0});
    const bool twice = moment.earlier.empty() || each->step() >= 2 * moment.earlier.back().step;
    if (each->step() > 0 && each->step() < shown->step() && twice) {
      moment.earlier.push_back({each->step(), each->written});
    }
  }
  for (const auto& at : run->answeredAt) {
    moment.answeredAt.push_back(at && *at <= taken->step() ? at : std::nullopt);
  }
  moment.finished = taken->step() == kept.back().step();
  moment.number = ++moments;
  return moment;
}

std::optional<LanguageMoment> LiveLanguage::Live::advance(const Request& request,
                                                          const std::atomic<bool>& cancelled) {
  ExecutionContext execution;
  execution.cancelled = &cancelled;
  const std::lock_guard lock(mutex);
  if (isKept) return advanceKept(request);
  if (corpus == nullptr) corpus = corpusOf(from);
  if (!run) run.emplace(corpus, settings, budget);
  request.due.advance(*run, execution);
  if (request.due.steps > 0 || !request.due.changes.empty()) {
    writtenSeed = 0;
    withoutAt.reset();
  }
  if (!request.due.changes.empty()) {
    filmTexts.clear();
    heads.clear();
  }
  const bool rests = !request.filmed && (!request.playing || run->finished());
  // at rest the answers are those of the shown step
  if ((rests || run->evaluations().empty()) && !run->stopped() && !run->evaluate(execution)) {
    return std::nullopt;
  }
  LanguageMoment moment;
  moment.from = from;
  moment.corpus = corpus;
  moment.settings = run->settings();
  moment.stepsTaken = run->stepsTaken();
  moment.records = run->records();
  moment.evaluations = run->evaluations();
  const language::LanguageModel& shown = shownModel(moment, request.due.look);
  const model::ModelPtr model = shown.model(corpus->title);
  moment.model = model;
  if (!read(moment, model, request.sentence, execution)) return std::nullopt;
  if (request.strip) {
    if (std::exchange(headsSentence, moment.sentence) != moment.sentence) heads.clear();
    auto strip = headsOverSteps(*run, request.sentence, kStripSteps, budget, heads, execution);
    if (!strip) return std::nullopt;
    moment.strip = std::move(*strip);
  }
  for (std::size_t q = 0; corpus->stories && q < language::kStoryQuestions; ++q) {
    moment.answeredAt.push_back(run->answeredAt(q));
  }
  moment.stopped = run->stopped();
  moment.finished = run->finished();
  moment.trainingMs = run->trainingMs();
  moment.number = ++moments;
  if (request.filmed) {
    if (!writeForFilm(moment, execution)) return std::nullopt;
    moment.forgetLater();
    return moment;
  }
  const bool old = rests ? written.step != moment.step || writtenSeed != request.textSeed
                         : clockSeconds() - writtenAt > kTextSeconds;
  if (old && !write(moment, model, request.textSeed, execution)) return std::nullopt;
  if (rests) {
    if (!switchOff(moment, shown, execution)) return std::nullopt;
    moment.without = without;
  }
  if (!request.saveIn.empty()) {
    const language::LanguageModelSettings& m = moment.settings.model;
    moment.saved =
        request.saveIn / fmt::format("{}-{}-layers-{}-heads-seed-{}-step-{}",
                                     corpus->stories ? "stories" : from.text.stem().string(),
                                     m.layers, m.heads, moment.settings.seed, moment.step);
    formats::saveAsModel(*moment.saved, shown, *moment.corpus);
  }
  moment.written = written;
  std::ranges::copy_if(texts, std::back_inserter(moment.earlier),
                       [&](const WrittenText& text) { return text.step < written.step; });
  return moment;
}

LiveLanguage::LiveLanguage(Scheduler& scheduler, Index memoryBudgetBytes,
                           std::filesystem::path models,
                           std::shared_ptr<const LanguageMoment> shown,
                           std::shared_ptr<Live> filmed)
    : WatchedRun(scheduler, memoryBudgetBytes, kFastSeconds, 0.0, shown),
      models_(std::move(models)),
      filmed_(filmed != nullptr) {
  if (shown == nullptr) return;
  begunLast_ = {shown->from, shown->settings};
  if (!filmed_) return;
  run_ = std::move(filmed);
  WatchedRun::show(std::move(shown), true);
}

void LiveLanguage::keepReplaced(const std::optional<Begun>& begun) {
  if (run_ == nullptr || moment() == nullptr || moment()->stepsTaken == 0) return;
  replaced_.push_back({run_, moment(), begun, lookedAt(), isKept_});
  if (replaced_.size() > kMostReplaced) replaced_.erase(replaced_.begin());
}

template <typename Asked>
bool LiveLanguage::showReplaced(Asked asked) {
  const auto found = std::ranges::find_if(replaced_, asked);
  if (found == replaced_.end()) return false;
  Aside old = std::move(*found);
  replaced_.erase(found);
  keepReplaced(begunLast_);
  run_ = std::move(old.run);
  begunLast_ = old.begunLast;
  setKept(old.isKept);
  WatchedRun::show(std::move(old.moment), true, old.look);
  return true;
}

/// Notes whether the run is a kept one, which has a pace of its own.
void LiveLanguage::setKept(bool kept) {
  if (std::exchange(isKept_, kept) != kept) setSpeed(kept ? kKeptSpeed : 0.0);
}

void LiveLanguage::begin(const LearnedFrom& from, const language::LanguageSettings& settings) {
  const bool again = !isKept_ && isOf(from, settings);
  language::CorpusPtr known;
  if (moment() != nullptr && !moment()->kept && moment()->from == from) known = moment()->corpus;
  const Index vocabulary = known != nullptr    ? known->vocabulary
                           : from.text.empty() ? std::ssize(language::storyWords())
                                               : from.vocabulary;
  const Begun asked{from, settings};
  if (!again) {
    const auto same = [&](const Aside& old) {
      return !old.isKept && old.begunLast && old.begunLast->isOf(asked);
    };
    if (showReplaced(same)) return;
  }
  const std::optional<Begun> before = std::exchange(begunLast_, asked);
  checkTraining(settings, vocabulary, memoryBudget());
  if (!again) keepReplaced(before);
  run_ = std::make_shared<Live>(from, std::move(known), settings, memoryBudget(), ++begun_ << 32U);
  setKept(false);
  WatchedRun::show(nullptr, true);
}

void LiveLanguage::beginKept() {
  if (!isKept_) {
    if (showReplaced([](const Aside& old) { return old.isKept; })) return;
    keepReplaced(begunLast_);
  }
  begunLast_.reset();
  run_ = std::make_shared<Live>(++begun_ << 32U);
  setKept(true);
  WatchedRun::show(nullptr, true);
}

bool LiveLanguage::isOf(const LearnedFrom& from, const language::LanguageSettings& settings) const {
  return begunLast_ && begunLast_->isOf({from, settings});
}

void LiveLanguage::goBack(Index step) {
  if (!isKept_) return WatchedRun::goBack(step);
  goTo_ = step;
  WatchedRun::play(false);
  lookAt(std::nullopt);
  outdate();
}

void LiveLanguage::setAside() {
  aside_ = Aside{std::exchange(run_, nullptr), moment(), std::exchange(begunLast_, std::nullopt),
                 lookedAt(), std::exchange(isKept_, false)};
  aside_->speed = resetSpeed();
  WatchedRun::show(nullptr, false);
}

void LiveLanguage::bringBack() {
  if (!aside_) return;
  Aside own = *std::exchange(aside_, std::nullopt);
  run_ = std::move(own.run);
  begunLast_ = own.begunLast;
  isKept_ = own.isKept;
  WatchedRun::show(std::move(own.moment), run_ != nullptr, own.look);
  setSpeed(own.speed);
}

void LiveLanguage::play(bool on) {
  WatchedRun::play(on);
  if (!on) outdate();  // the text of the step at which it pauses
}

void LiveLanguage::setSentence(const std::string& sentence) {
  if (sentence_ == sentence) return;
  sentence_ = sentence;
  outdate();
}

void LiveLanguage::save() {
  saveAsked_ = true;
  outdate();
}

void LiveLanguage::writeAnother() {
  ++textSeed_;
  outdate();
}

void LiveLanguage::requestStrip(bool wanted) {
  if (std::exchange(strip_, wanted) != wanted && wanted) outdate();
}

void LiveLanguage::follow(double now) {
  auto due = takeDue(now);
  if (!due) return;
  Request request{
      std::move(*due), sentence_,
      textSeed_,       playing(),
      strip_,          std::exchange(saveAsked_, false) ? models_ : std::filesystem::path(),
      filmed_,         std::exchange(goTo_, std::nullopt)};
  WatchedRun::request(
      [live = run_, request = std::move(request)](const std::atomic<bool>& cancelled) {
        return live->advance(request, cancelled);
      });
}

}  // namespace headscope
