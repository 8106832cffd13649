// Live language: a language model trained in the background at an observable pace. Each moment
// shows the model of one step: where its heads look in a sentence of the user's own, which words it
// would put next, and a text that it writes.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/watched_run.h"
#include "core/formats/corpora.h"
#include "core/language/heads_over_steps.h"
#include "core/language/language_trainer.h"
#include "core/model/model_trace.h"

namespace headscope {

/// The source that a run learns from: a text of the user's own, or stories.
struct LearnedFrom {
  std::filesystem::path text;  // empty: stories
  formats::TextTokens tokens = formats::TextTokens::bpe;
  Index vocabulary = 1000;  // at most

  bool operator==(const LearnedFrom&) const = default;
};

/// The label of a head in a text and its score: "previous token", 0.83.
struct HeadDoes {
  std::string title;            // empty: not defined
  std::optional<double> score;  // none: it does nothing in particular
};

/// A text that the model of a step writes.
struct WrittenText {
  Index step = 0;
  std::string text;
};

/// A snapshot of a run.
struct LanguageMoment {
  LearnedFrom from;
  language::CorpusPtr corpus;
  language::LanguageSettings settings;
  Index stepsTaken = 0;
  Index step = 0;         // the step whose model is shown: stepsTaken, or an earlier one
  model::ModelPtr model;  // of the shown step; null where a kept run has no weights of that step
  std::string sentence;
  Index leftOut = 0;                          // tokens at its beginning for which there is no room
  std::vector<std::string> unknown;           // its words that no story has
  std::vector<std::string> tokens;            // of the sentence, for display
  std::vector<Tensor> weights;                // of each layer's heads, (1, H, T, T)
  std::vector<HeadDoes> does;                 // of its heads on the sentence; empty for stories
  std::vector<model::TokenProbability> next;  // after the sentence, the most probable first
  WrittenText written;               // of this step, or in a fast run of one shortly before
  std::vector<WrittenText> earlier;  // of steps before, each at least twice the one before
  /// The share of right answers to each question without the head that looks most at the word that
  /// decides. Empty while the run is at work, and where no stories are learned.
  std::vector<double> without;
  std::vector<language::HeadsAtStep> strip;  // heads at moments of the run, if requested
  std::vector<model_training::StepRecord> records;
  std::vector<language::LanguageEvaluation> evaluations;
  std::vector<std::optional<Index>> answeredAt;  // by question; empty where no stories are learned
  std::optional<training::Stop> stopped;
  bool finished = false;
  bool kept = false;  // of a run that is shown from a file: its sentence and settings are fixed
  double trainingMs = 0.0;
  std::uint64_t number = 0;  // identifies this moment
  /// The folder of the shown model, if it was asked for.
  std::optional<std::filesystem::path> saved;

  /// The newest evaluation at or before the shown step; null before the first.
  const language::LanguageEvaluation* evaluation() const { return newestAt(evaluations, step); }
  const model_training::StepRecord* record() const { return newestAt(records, step); }
  std::string nameOf(Index token) const;

  /// Drops what the run recorded after this moment's step (TrainingMoment::forgetLater).
  void forgetLater();
};

class LiveLanguage : public WatchedRun<language::LanguageTrainer, LanguageMoment> {
 public:
  struct Live;  // the thread's state of one run, shared so that it outlives a replaced run

  /// `models`: the folder for models that are saved; empty: none. `shown`: a moment of another run,
  /// for a picture of it; nothing is trained then. `filmed`: that run itself, as in LiveTraining.
  LiveLanguage(Scheduler& scheduler, Index memoryBudgetBytes, std::filesystem::path models = {},
               std::shared_ptr<const LanguageMoment> shown = nullptr,
               std::shared_ptr<Live> filmed = nullptr);

  /// Starts a new run, paused, or shows again the one of this text, model and seed that another
  /// run replaced. Throws UserError for invalid settings; the present run is kept then.
  /// A text that cannot be learned from is a problem() later.
  void begin(const LearnedFrom& from, const language::LanguageSettings& settings);
  /// Shows the run that comes with the program, paused at its first moment.
  void beginKept();
  bool isKept() const { return isKept_; }
  /// Returns whether the run last begun, or refused, learns from this with this model and seed.
  bool isOf(const LearnedFrom& from, const language::LanguageSettings& settings) const;

  /// Sets the run aside, as if none had ever begun, until bringBack() shows it again.
  void setAside();
  void bringBack();

  void play(bool on);
  /// Continues the run from the snapshot of an earlier step.
  void goBack(Index step);
  /// The sentence that later moments show; empty: the corpus's example.
  void setSentence(const std::string& sentence);
  /// Returns whether a model can be saved.
  bool saves() const { return !models_.empty(); }
  /// Saves the shown model as a folder; the next moment names it.
  void save();
  /// Lets the model write another text.
  void writeAnother();
  /// Later moments hold the heads at moments of the run, or no longer do.
  void requestStrip(bool wanted);

  /// Takes the newest moment and requests the steps due at `now`, in seconds. Call it once a frame.
  void follow(double now);
  /// The present run, for a film of it; null: there is none.
  const std::shared_ptr<Live>& run() const { return run_; }

 private:
  struct Request {
    StepsDue<language::LanguageTrainer> due;
    std::string sentence;
    std::uint64_t textSeed = 1;
    bool playing = false;
    bool strip = false;
    std::filesystem::path saveIn;  // empty: nothing is saved
    bool filmed = false;           // without what came after the shown step
    std::optional<Index> goTo;     // of a kept run: the step from which it goes on
  };
  struct Begun {
    LearnedFrom from;
    language::LanguageSettings settings;

    /// Returns whether both learn from one text, with one model and seed.
    bool isOf(const Begun& other) const {
      return from == other.from && settings.model == other.settings.model &&
             settings.seed == other.settings.seed;
    }
  };
  /// A run that is set aside.
  struct Aside {
    std::shared_ptr<Live> run;
    std::shared_ptr<const LanguageMoment> moment;
    std::optional<Begun> begunLast;
    std::optional<Index> look;
    bool isKept = false;
    double speed = 0.0;
  };

  /// Keeps the present run, which `begun` began, if it has taken steps, for when it is asked for
  /// again.
  void keepReplaced(const std::optional<Begun>& begun);
  /// Shows the newest kept run that `asked` is true for.
  template <typename Asked>
  bool showReplaced(Asked asked);
  void setKept(bool kept);

  static constexpr std::size_t kMostReplaced = 2;

  std::filesystem::path models_;
  bool saveAsked_ = false;
  bool strip_ = false;
  bool isKept_ = false;
  std::optional<Index> goTo_;
  bool filmed_ = false;  // the run belongs to another program, and is looked at alone
  std::shared_ptr<Live> run_;
  std::optional<Begun> begunLast_;
  std::optional<Aside> aside_;
  std::vector<Aside> replaced_;  // runs that others replaced, the newest last
  std::uint64_t begun_ = 0;      // the number of runs begun, so that their moments' numbers differ
  std::string sentence_;
  std::uint64_t textSeed_ = 1;
};

}  // namespace headscope
