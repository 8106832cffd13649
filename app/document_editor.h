// Documents: the document with its history and the pass that is computed of it, what is done to
// them, and what is said of that in the status bar.
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
#include "core/editing/history.h"

namespace headscope {

/// A document, and what it is called.
struct NamedDocument {
  DocumentPtr document{};
  std::string name{};
};

class DocumentEditor {
 public:
  struct Message {
    std::string text;
    bool isError = false;
  };

  /// `trace`: of the history's document, where it is computed already.
  DocumentEditor(History history, TracePtr trace, Index memoryBudget, int threads);
  /// Has the newest document computed, unless it is.
  void start();

  History& history() { return history_; }
  const History& history() const { return history_; }
  const DocumentPtr& newest() const { return history_.current(); }
  /// The last finished, which may be of an older document; null until there is one.
  const TracePtr& trace() const { return trace_; }
  bool isComputed() const { return trace_ != nullptr && trace_->documentPtr() == newest(); }
  Index memoryBudget() const { return memoryBudget_; }  // bytes

  const Message& message() const { return message_; }
  void say(std::string sentence, bool error = false) { message_ = {std::move(sentence), error}; }
  /// Does it, or says why it cannot be done.
  template <typename Action>
  void attempt(Action&& action) {
    try {
      action();
    } catch (const std::bad_alloc& error) {
      retryRequested_ = true;
      say(sentenceFor(error) + "; everything stays as it was", true);
    } catch (const std::exception& error) {
      say(sentenceFor(error), true);
    }
  }

  /// Where weights have to be learned for it, that is done beside the frames: what is shown forms
  /// while they are, edits that follow go with it, and all become one entry of the history then.
  void apply(const Edit& edit, const std::string& gesture);
  /// Several edits that are one.
  void applyTogether(const std::vector<Edit>& edits, const std::string& name);
  /// What the panels are of: the newest document, or one whose heads are still being learned.
  const DocumentPtr& shown() const {
    return change_ && change_->forming ? change_->forming : newest();
  }

  /// Once a frame: takes over what has been learned since.
  void takeLearned();
  bool learning() const { return change_.has_value(); }
  LayerLearning::Progress learned() const { return learning_.progress(); }
  void waitForLearning() { learning_.wait(); }
  /// Designed heads take the place of those that are being learned.
  void stopLearning();
  /// Off: designed heads are taken where learned ones are of another size.
  void learnAtNewSizes(bool on) { learnsAtNewSizes_ = on; }
  void undo();
  void redo();
  void jumpTo(std::size_t index);
  /// Another document takes its place, as an entry of the history.
  void open(DocumentPtr document, const std::string& name);
  /// A series, an input or weights: all of the file or nothing.
  void openFile(const std::filesystem::path& path);

  /// Takes the newest pass where one has finished, and gives the one before it (null: there was
  /// none). What cannot be computed does not stay in the document either.
  std::optional<TracePtr> takeResult();
  Worker::Progress progress() const { return worker_.progress(); }
  bool busy() const { return progress().busy; }
  /// Waits until it is computed, at most so many seconds (negative: as long as it takes).
  void wait(double seconds = -1.0) { worker_.wait(seconds); }
  /// Passes and learning that are under way end.
  void stop() {
    worker_.stop();
    learning_.stop();
  }
  void setWake(std::function<void()> wake) {
    learning_.setWake(wake);
    worker_.setWake(std::move(wake));
  }

  /// Memory ran out in the middle of a frame: the worker may not have the newest document.
  void noteNoMemory() { retryRequested_ = !isComputed() && !busy(); }
  /// Asks for it again after that.
  void askAgain() {
    if (std::exchange(retryRequested_, false)) worker_.request(shown());
  }

 private:
  /// Edits whose weights are still being learned.
  struct Change {
    std::vector<Edit> edits;
    std::string name;
    DocumentPtr forming{};                // what they come to by now; null: nothing yet
    std::optional<Weights> weights{};     // as learned by now, of the sizes asked for
    std::optional<LearnedSizes> sizes{};  // these
  };
  struct Outcome {
    DocumentPtr document;
    std::string note;
    std::optional<LearnedSizes> learns;  // sizes that its weights have to be learned for
    AttentionConfig config;              // of these
  };
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
  bool learnsAtNewSizes_ = true;
  LayerLearning learning_;
  Worker worker_;  // last: gone before what it could still touch
};

}  // namespace headscope
