// Live model: a whole model opened from its folder, its text and its pass, read and computed in the
// background. The newest request replaces older ones. The last finished moment is shown.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/background_task.h"
#include "app/layers_in_flow.h"
#include "app/model_moment.h"
#include "core/base/block_store.h"
#include "core/editing/edit.h"
#include "core/formats/session.h"

namespace headscope {

/// The content of a picture of the page: a moment, and the changes of its model.
struct ShownModel {
  std::shared_ptr<const ModelMoment> moment;
  model::ModelChanges edits;
};

class LiveModel {
 public:
  /// `shown`: the state of another live model, for a picture of it.
  LiveModel(Scheduler& scheduler, Index memoryBudgetBytes, const ShownModel& shown = {})
      : budget_(memoryBudgetBytes),
        text_(shown.moment != nullptr ? shown.moment->given() : std::string()),
        edits_(shown.edits),
        moment_(shown.moment),
        files_(scheduler),
        task_(scheduler) {}

  void setWake(std::function<void()> wake) {
    files_.setWake(wake);
    task_.setWake(std::move(wake));
  }

  /// Opens the model of a folder, which replaces the open one once it is read. An empty text: one
  /// that suits the model; an empty target: an encoder–decoder model writes it. A LoRA adapter's
  /// own folder opens its base with it.
  void open(const std::filesystem::path& folder, std::string text = {},
            const formats::AdapterChoice& adapter = {}, std::string target = {});
  /// Puts a LoRA adapter onto the open model in the place of its present one, as an edit; an empty
  /// folder takes it off. The edits of layers stay.
  void setAdapter(const formats::AdapterChoice& adapter);
  void setText(std::string text);
  /// Sets the target of an encoder–decoder model; empty: the model writes one.
  void setTarget(std::string target);
  /// Opens the folder again with the current files and the text. Switches all heads on and drops
  /// the layers' edits, because edits belong to the previous weights.
  void reload();
  /// Returns whether the weights on disk differ from those of the shown moment. The moment keeps
  /// the weights that were opened; those not in memory can no longer be read.
  bool weightsChanged() const { return weightsChanged_; }
  /// Cuts a text that is too long to the length that the model takes.
  void cutText();
  /// The number of tokens that cutText() would keep; nothing where the text fits.
  std::optional<Index> cutOffered() const { return tooLong_; }

  // Heads and layers are of the decoder, or of the only stack, unless another stack is named.

  /// Toggles whether the head's output is left out.
  void switchHead(HeadOfLayer head, model::Stack stack = model::Stack::decoder);
  bool isOff(HeadOfLayer head, model::Stack stack = model::Stack::decoder) const {
    return gainOf(head, stack) == 0.0F;
  }
  /// The heads that are off, layer by layer.
  std::vector<HeadOfLayer> headsOff(model::Stack stack = model::Stack::decoder) const;
  /// Switches all heads of all stacks on.
  void switchAllOn();
  /// Switches exactly these heads off.
  void setHeadsOff(const std::vector<HeadOfLayer>& heads);
  std::vector<Index> layersEdited(model::Stack stack = model::Stack::decoder) const;
  /// Returns whether the layer is edited or one of its heads is off.
  bool differs(Index layer, model::Stack stack = model::Stack::decoder) const;
  /// Restores a layer of the original model.
  void resetLayer(Index layer, model::Stack stack = model::Stack::decoder);
  /// Returns whether anything differs from the original model.
  bool changed() const { return edits_.any(); }
  /// Restores the original model.
  void undoChanges();

  /// Undo and redo of the changes above. Flow's own history has the edits made in Flow.
  bool canUndo() const { return !undo_.empty(); }
  bool canRedo() const { return !redo_.empty(); }
  std::string undoName() const { return canUndo() ? undo_.back().name : std::string(); }
  std::string redoName() const { return canRedo() ? redo_.back().name : std::string(); }
  void undo();
  void redo();
  /// Returns, once, the edits that Flow's document needs after changes of the layer it shows.
  std::vector<Edit> takeFlowEdits() { return std::exchange(flowEdits_, {}); }

  /// Reports that Flow now shows this document, a layer of the present moment's trace.
  void openedInFlow(Index layer, const DocumentPtr& document,
                    model::Stack stack = model::Stack::decoder);
  /// Runs the edits of an opened layer in the model. Call it once a frame.
  void followDocument(const DocumentPtr& newest);
  /// The layer that the newest document shows; null: none.
  const LayersInFlow::Opened* layerInFlow() const { return inFlow_ ? &*inFlow_ : nullptr; }
  /// The stack of that layer.
  model::Stack stackInFlow() const;

  /// Takes over a session's edits and document. The edits are applied when their model is next
  /// opened with the weights that were edited; until then they are kept unchanged.
  void take(const formats::SavedModels& models, DocumentPtr document);
  /// The edits to save in a session: those of the open model, and those not yet applied.
  formats::SavedModels saved();
  /// Returns, once, the reason why a session's edits could not be applied. They stay in the
  /// session.
  std::string takeKeptProblem() { return std::exchange(keptProblem_, {}); }

  /// Sets the shown model aside with its text and its changes; none is shown then. bringBack()
  /// shows it again, unless a session was opened in between; it returns whether something was
  /// aside.
  void setAside();
  bool bringBack();
  /// Returns whether a pass for the newest request is shown, with its predictions.
  bool upToDate() const { return moment_ != nullptr && !busy() && !moment_->predictions.empty(); }

  /// Takes the finished results. Call it once a frame.
  void follow();
  /// Checks the files of the weights, at most once a second. Call it once a frame; `now` is the
  /// frame's clock, in seconds.
  void watchFiles(double now);
  /// The newest moment; null before the first.
  std::shared_ptr<const ModelMoment> moment() const { return moment_; }
  ShownModel shown() const { return {moment_, edits_}; }
  /// The reason why the newest request failed.
  const std::string& problem() const { return problem_; }
  bool busy() const { return task_.busy(); }
  bool finish() {
    const bool looked = files_.wait();
    return task_.wait() || looked;
  }
  /// Cancels the running computations.
  void stop() {
    files_.stop();
    task_.stop();
  }

 private:
  /// A change made on the page: gains of heads, and layers that are reset to the original.
  struct Change {
    struct Gain {
      HeadOfLayer head;
      float before, after;
      model::Stack stack = model::Stack::decoder;
    };
    struct Reset {
      Index layer;
      model::Stack stack;
    };
    std::string name;
    std::vector<Gain> gains{};
    std::vector<Reset> layers{};
    model::ModelChanges before{};  // with the edits of these layers
    std::optional<std::pair<formats::AdapterChoice, formats::AdapterChoice>> adapters{};
  };
  /// The parts that setAside() keeps.
  struct Own {
    std::shared_ptr<const ModelMoment> moment;
    std::string text, target;
    formats::AdapterChoice adapter;
    model::ModelChanges edits;
    std::vector<Change> undo, redo;
    formats::SavedModels kept;
    formats::SavedModels saved;  // as a session saves it
  };
  /// A stack's edits in the form in which a session saves them.
  struct Saved {
    std::shared_ptr<const formats::SavedModel> form;
    model::ModelDocumentPtr edits;  // that it was made from
    std::size_t layers = 0;         // in Flow, likewise
  };
  void compute();
  formats::SavedModels keptOf(const std::filesystem::path& folder) const;
  void takeMade(const KeptEdits& made);
  std::shared_ptr<const formats::SavedModel> savedOf(model::Stack stack);
  std::string layerInWords(Index layer, model::Stack stack) const;
  /// The document of a stack of the present moment.
  const model::ModelDocumentPtr& present(model::Stack stack) const;
  /// The stacks of the present model.
  std::vector<model::Stack> stacks() const;
  /// The stack of the present model to which a document belongs; nothing: it is of another model.
  std::optional<model::Stack> stackOf(const model::ModelDocument& document) const;
  void make(Change change);
  /// Applies a change, or undoes it.
  void apply(const Change& change, bool forward);
  float gainOf(HeadOfLayer head, model::Stack stack) const;
  void setGain(const Change::Gain& gain, float value);
  void setLayer(const Change::Reset& reset, const model::ModelDocumentPtr& edits,
                const std::string& name);

  Index budget_;
  std::filesystem::path folder_;    // the folder to open
  formats::AdapterChoice adapter_;  // on the model
  std::string text_;                // empty: one that suits the model
  std::string target_;              // of two stacks; empty: one that the model writes
  bool rewriteTarget_ = false;      // the model writes it also where it has one
  bool cut_ = false;                // cuts a text that is too long
  model::ModelChanges edits_;
  std::vector<Change> undo_, redo_;  // the newest last
  std::optional<Own> own_;           // aside
  formats::SavedModels kept_;        // a session's edits that are not applied yet
  std::string keptProblem_;
  DocumentPtr keptWith_;       // the document of the session
  std::array<Saved, 2> live_;  // of the open model, by stack
  LayersInFlow layers_;
  std::optional<LayersInFlow::Opened> inFlow_;
  DocumentPtr flow_;  // Flow's newest document
  std::vector<Edit> flowEdits_;
  std::shared_ptr<const ModelMoment> moment_;
  std::string problem_;
  std::optional<Index> tooLong_;
  std::uint64_t computed_ = 0;
  std::uint64_t changes_ = 0;                              // incremented by each change of edits_
  BlockStorePtr memory_ = std::make_shared<BlockStore>();  // memory that passes reuse
  std::weak_ptr<const model::Model> watched_;
  bool weightsChanged_ = false;  // whether the weights of `watched_` changed
  double nextLook_ = 0.0;        // the time of the next check of the files, by the frame's clock
  /// A model, and whether its files have changed.
  using LookedAt = std::pair<model::ModelPtr, bool>;
  BackgroundTask<LookedAt> files_;
  BackgroundTask<FoundMoment> task_;  // last: destroyed before the members that it writes
};

}  // namespace headscope
