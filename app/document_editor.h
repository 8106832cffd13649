// Document editor: the document with its history and its computed pass, the operations on them, and
// their messages in the status bar.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/layer_learning.h"
#include "app/worker.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/editing/history.h"

namespace headscope {

class DocumentEditor {
 public:
  struct Message {
    std::string text;
    bool isError = false;
    int number = 0;  // counts the messages, so that a repeated one is a new one
  };

  /// `trace`: the pass of the history's current document, if already computed.
  DocumentEditor(Scheduler& scheduler, History history, TracePtr trace, Index memoryBudget,
                 int threads, std::shared_ptr<LearnedLayers> layers = nullptr);
  /// Requests the pass of the newest document, unless it is already computed.
  void start();

  History& history() { return history_; }
  const History& history() const { return history_; }
  const DocumentPtr& newest() const { return history_.current(); }
  /// The last finished pass, which may belong to an older document; null until there is one.
  const TracePtr& trace() const { return trace_; }
  bool isComputed() const;
  Index memoryBudget() const { return memoryBudget_; }  // bytes

  const Message& message() const { return message_; }
  void say(std::string sentence, bool error = false) {
    message_ = {std::move(sentence), error, message_.number + 1};
  }
  /// Runs `action`, or reports its error in the status bar.
  template <typename Action>
  void attempt(Action&& action) {
    try {
      action();
    } catch (const std::bad_alloc& error) {
      retryRequested_ = true;
      say(sentenceFor(error) + tr("; everything stays as it was"), true);
    } catch (const std::exception& error) {
      say(sentenceFor(error), true);
    }
  }

  /// Applies an edit. If it needs learned weights, they are learned in the background: the shown
  /// document uses the intermediate weights, later edits are added to the change, and the whole
  /// becomes one entry of the history.
  void apply(const Edit& edit, const std::string& gesture);
  /// Applies several edits as one entry of the history.
  void applyTogether(const std::vector<Edit>& edits, const std::string& name);
  /// The document that the panels show: the newest one, or one whose heads are still being learned.
  const DocumentPtr& shown() const {
    return change_ && change_->forming ? change_->forming : newest();
  }

  /// Takes over the weights learned since the last call. Call it once a frame.
  void takeLearned();
  bool learning() const { return change_.has_value(); }
  /// The layers that have learned already.
  const std::shared_ptr<LearnedLayers>& learnedLayers() const { return layers_; }
  LayerLearning::Progress learned() const { return learning_.progress(); }
  /// Stops learning and uses designed heads instead.
  void stopLearning();
  /// Returns whether a change of size learns new heads; if not, it uses designed heads.
  void learnAtNewSizes(bool on) { learnsAtNewSizes_ = on; }
  void undo();
  void redo();
  void jumpTo(std::size_t index);
  /// Sets the user's own document aside with its history: what follows is a history of its own,
  /// which begins with the same document, until returnToOwn() drops it.
  void setOwnAside();
  /// Does nothing where the own document is not set aside.
  void returnToOwn();
  bool ownIsAside() const { return own_.has_value(); }
  /// The user's own history and document, shown or set aside.
  const History& ownHistory() const { return own_ ? own_->history : history_; }
  const DocumentPtr& ownNewest() const { return ownHistory().current(); }
  bool ownIsComputed() const;
  /// Replaces the document, as an entry of the history.
  void open(DocumentPtr document, const std::string& name);
  /// Opens a series, an input or weights; applies the whole file or nothing.
  void openFile(const std::filesystem::path& path);
  /// Learns the weights that the program starts with.
  void learnAtStart();
  /// Returns whether the user's own document is a file as it was opened, or what the program
  /// started with: nothing of it is lost when the program ends.
  bool isAsOpened() const { return opened_.lock() == ownNewest(); }

  /// Takes the newest finished pass, if any, and returns the one before it (null: there was none).
  /// Undoes the edit whose pass cannot be computed.
  std::optional<TracePtr> takeResult();
  Worker::Progress progress() const { return worker_.progress(); }
  bool busy() const { return progress().busy; }
  /// Waits for the pass, at most `seconds` (negative: without limit).
  void wait(double seconds = -1.0) { worker_.wait(seconds); }
  /// Waits for learned weights and for the pass, which takeResult() then returns.
  void finish();
  /// Cancels the running pass and learning.
  void stop() {
    worker_.stop();
    learning_.stop();
  }
  void setWake(std::function<void()> wake) {
    learning_.setWake(wake);
    worker_.setWake(std::move(wake));
  }

  /// Notes that memory ran out during a frame: the worker may lack the newest document.
  void noteNoMemory() { retryRequested_ = !isComputed() && !busy(); }
  /// Requests the pass again after noteNoMemory().
  void askAgain() {
    if (std::exchange(retryRequested_, false)) worker_.request(shown());
  }

 private:
  /// Edits whose weights are still being learned.
  struct Change {
    std::vector<Edit> edits;
    std::string name;
    DocumentPtr forming{};                // the document with the present weights; null: none yet
    std::optional<Weights> weights{};     // the present weights, of the requested sizes
    std::optional<LearnedSizes> sizes{};  // the requested sizes
    bool onlyOpens = false;               // the user has changed nothing: see isAsOpened()
  };
  /// The user's own work while another history is shown.
  struct Own {
    History history;
    TracePtr trace;
    std::optional<Change> change;
  };
  struct Outcome;
  Outcome outcomeOf(const Change& change) const;
  bool asksForLearned(const Change& change) const;
  void follow(Change change);
  void commit(const Change& change, Outcome outcome);
  void leaveChange();

  Index memoryBudget_;
  History history_;
  TracePtr trace_;
  Message message_;
  bool retryRequested_ = false;
  std::optional<Change> change_;
  std::optional<Own> own_;
  bool learnsAtNewSizes_ = true;
  std::weak_ptr<const Document> opened_;
  std::shared_ptr<LearnedLayers> layers_;
  LayerLearning learning_;
  Worker worker_;  // last: destroyed before the members that it uses
};

}  // namespace headscope
