// Documents: the document with its history and the pass that is computed of it, what is done to
// them, and what is said of that in the status bar.
#pragma once

#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "app/background.h"
#include "app/worker.h"
#include "core/error.h"
#include "core/history.h"

namespace headscope {

/// A document, and what it is called.
struct NamedDocument {
  DocumentPtr document{};
  std::string name{};
};

class Documents {
 public:
  struct Message {
    std::string text;
    bool isError = false;
  };

  /// `trace`: of the history's document, where it is computed already.
  Documents(History history, TracePtr trace, Index memoryBudget, int threads);
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
      asksAgain_ = true;
      say(sentenceFor(error) + "; everything stays as it was", true);
    } catch (const std::exception& error) {
      say(sentenceFor(error), true);
    }
  }

  /// Where weights have to be learned for it, that is done beside the frames, and the document
  /// stays as it is until they are.
  void apply(const Edit& edit, const std::string& gesture);
  /// Once a frame: takes over what was learned, or says how far that is.
  void takeLearned();
  bool learning() const { return learning_.busy(); }
  void waitForLearning() { learning_.wait(); }
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
  void setWake(std::function<void()> wake) {
    learning_.setWake(wake);
    worker_.setWake(std::move(wake));
  }

  /// Memory ran out in the middle of a frame: the worker may not have the newest document.
  void noteNoMemory() { asksAgain_ = !isComputed() && !busy(); }
  /// Asks for it again after that.
  void askAgain() {
    if (std::exchange(asksAgain_, false)) worker_.request(newest());
  }

 private:
  /// What an edit gave whose weights had to be learned.
  struct Learned {
    DocumentPtr before, document;
    std::string name, note;
  };
  bool learnsFirst(const Edit& edit) const;
  void learnBeside(const Edit& edit);

  Index memoryBudget_;
  History history_;
  TracePtr trace_;
  Message message_;
  bool asksAgain_ = false;
  std::shared_ptr<std::atomic<Index>> learnedSteps_ = std::make_shared<std::atomic<Index>>(0);
  BackgroundTask<Learned> learning_;
  Worker worker_;  // last: gone before what it could still touch
};

}  // namespace headscope
