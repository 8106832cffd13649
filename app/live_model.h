// Live model: a whole model that was opened from its folder, the text it is given, and its pass:
// read and computed beside the frames, the newest wish winning. What is shown is the last moment
// that was finished.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/background.h"
#include "app/layers_in_flow.h"
#include "core/base/block_store.h"
#include "core/editing/edit.h"
#include "core/formats/session.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/model_trace.h"
#include "core/model/prediction.h"

namespace headscope {

/// What the model says as it came, where something in it was changed since.
struct UneditedModel {
  model::ModelTracePtr trace;
  std::vector<model::Prediction> best;     // by token
  std::vector<std::vector<double>> sames;  // by token: the probabilities of what it says changed
};

/// A model with a text in it: the pass, and what the model says.
struct ModelMoment {
  model::ModelTracePtr trace;
  formats::TokenizerPtr tokenizer;  // null: the folder has none that is known, `text` is ids
  std::string tokenizerProblem;     // why it is not known
  std::filesystem::path folder;     // or the name of one that comes with the program
  std::string text;
  Index wholeTokens = 0;  // of the text that `text` is the start of; 0: it is whole
  /// By token; empty without a readout. They follow the pass of a new text.
  std::vector<std::vector<model::Prediction>> predictions;
  std::shared_ptr<const UneditedModel> unedited;  // null: nothing was changed
  std::uint64_t changes = 0;                      // tells its model's edits from all others
  std::uint64_t number = 0;                       // tells it from every other moment

  const model::ModelConfig& config() const { return trace->config(); }
  /// In words that can be shown: "␣the"; a part of a character by its bytes.
  std::vector<std::string> tokenNames() const;
  std::string nameOf(Index id) const;
};

/// Another text for the same model. Throws UserError for what is not one.
model::ModelInput inputOfText(const ModelMoment& moment, const std::string& text);

/// Edits that a session kept, made on the model once it is open.
struct KeptEdits {
  std::shared_ptr<const formats::SavedModel> of;
  std::string problem;  // why they are not
  formats::EditsOnModel edits;
  std::vector<LayersInFlow::Opened> layers;  // the session's documents that are layers of it
};

/// What a picture of the page shows: a moment, and what was changed in its model.
struct ShownModel {
  std::shared_ptr<const ModelMoment> moment;
  std::vector<model::HeadOfLayer> off;
  model::ModelDocumentPtr edits;
};

class LiveModel {
 public:
  /// `shown`: what another one shows, as for a picture of it.
  explicit LiveModel(Index memoryBudgetBytes, const ShownModel& shown = {})
      : budget_(memoryBudgetBytes),
        text_(shown.moment != nullptr ? shown.moment->text : std::string()),
        off_(shown.off),
        edits_(shown.edits),
        moment_(shown.moment) {}

  void setWake(std::function<void()> wake) {
    files_.setWake(wake);
    thread_.setWake(std::move(wake));
  }

  /// The model of this folder takes the place of the one that is open, once it could be read.
  /// An empty text: one that suits the model.
  void open(const std::filesystem::path& folder, std::string text = {});
  void setText(std::string text);
  /// Opens the folder again, as it is on the disk by now, with the text. All heads are on then and
  /// no layer is edited: edits belong to the weights of before.
  void reload();
  /// Whether the weights on the disk are no longer those of the moment that is shown. What is shown
  /// is of those that were opened; a part of them that is not in memory can no longer be read.
  bool weightsChanged() const { return weightsChanged_; }
  /// The text that was too long is cut to what the model takes.
  void cutText();
  /// To how many tokens that is; nothing where the text was not too long.
  std::optional<Index> cutOffered() const { return tooLong_; }

  /// The head's output is left out, or no longer.
  void switchHead(model::HeadOfLayer head);
  bool isOff(model::HeadOfLayer head) const { return gainOf(head) == 0.0F; }
  /// Layer by layer.
  std::vector<model::HeadOfLayer> headsOff() const;
  void switchAllOn();
  bool isEdited(Index layer) const { return edits_ != nullptr && edits_->edited.contains(layer); }
  std::vector<Index> layersEdited() const;
  /// The layer is edited, or a head of it is off.
  bool differs(Index layer) const;
  /// A layer as the model came.
  void resetLayer(Index layer);
  /// Something differs from the model as it came.
  bool changed() const { return !off_.empty() || (edits_ != nullptr && !edits_->edited.empty()); }
  /// The model as it came.
  void undoChanges();

  /// The five above, taken back and made again; what was edited in Flow is in Flow's history.
  bool canUndo() const { return !undo_.empty(); }
  bool canRedo() const { return !redo_.empty(); }
  std::string undoName() const { return canUndo() ? undo_.back().name : std::string(); }
  std::string redoName() const { return canRedo() ? redo_.back().name : std::string(); }
  void undo();
  void redo();
  /// Edits of Flow's document that changes of the layer it shows come to; each is given once.
  std::vector<Edit> takeFlowEdits() { return std::exchange(flowEdits_, {}); }

  /// This document, of the present moment's trace, takes the place of the one that is shown.
  void openedInFlow(Index layer, const DocumentPtr& document);
  /// Once a frame: what is edited in a layer that was opened so is run in the model.
  void followDocument(const DocumentPtr& newest);
  /// The layer that the newest document is; null: none.
  const LayersInFlow::Opened* layerInFlow() const { return inFlow_; }

  /// A session with these edits and this document is shown from now on. They are made when their
  /// model is opened next and holds the weights that were edited; till then they are kept as they
  /// are.
  void take(const formats::SavedModels& models, DocumentPtr document);
  /// What a session is to keep: the edits of the model that is open, and those that were not made.
  formats::SavedModels saved();
  /// Why edits that a session kept could not be made, once; they stay in the session.
  std::string takeKeptProblem() { return std::exchange(keptProblem_, {}); }

  /// Once a frame: takes what is there.
  void follow();
  /// Once a frame, at `now` of its clock: looks at the files of the weights, once a second at most.
  void watchFiles(double now);
  /// Null before the first.
  std::shared_ptr<const ModelMoment> moment() const { return moment_; }
  ShownModel shown() const { return {moment_, off_, edits_}; }
  /// Why the newest wish could not be met.
  const std::string& problem() const { return problem_; }
  bool busy() const { return thread_.busy(); }
  bool finish() {
    const bool looked = files_.wait();
    return thread_.wait() || looked;
  }
  /// What is being computed ends.
  void stop() {
    files_.stop();
    thread_.stop();
  }

  /// Nothing but how many tokens the model takes, where the text has more.
  struct Found {
    std::optional<ModelMoment> moment;
    Index tokens = 0, most = 0;
    std::string model;
    std::shared_ptr<const KeptEdits> made = nullptr;  // of a session
  };

 private:
  /// A change made on the page: gains of heads, and layers that are set back to the model's own.
  struct Change {
    struct Gain {
      model::HeadOfLayer head;
      float before, after;
    };
    std::string name;
    std::vector<Gain> gains{};
    std::vector<Index> layers{};
    model::ModelDocumentPtr edits = nullptr;  // with these layers as they were before
  };
  void compute();
  std::shared_ptr<const formats::SavedModel> keptOf(const std::filesystem::path& folder) const;
  void takeMade(const KeptEdits& made);
  void make(Change change);
  /// Makes a change, or takes it back.
  void apply(const Change& change, bool forward);
  float gainOf(model::HeadOfLayer head) const;
  void setGain(model::HeadOfLayer head, float gain);
  void setLayer(Index layer, const model::ModelDocumentPtr& edits, const std::string& name);

  Index budget_;
  std::filesystem::path folder_;  // to be opened
  std::string text_;              // empty: one that suits the model
  bool cut_ = false;              // the text, where it is too long
  std::vector<model::HeadOfLayer> off_;
  model::ModelDocumentPtr edits_;    // the layers that were edited; null: none
  std::vector<Change> undo_, redo_;  // the newest last
  formats::SavedModels kept_;        // by a session, and not made on a model yet
  std::string keptProblem_;
  DocumentPtr keptWith_;                             // the document of the session
  std::shared_ptr<const formats::SavedModel> live_;  // what is saved of the model that is open
  model::ModelDocumentPtr liveEdits_;                // what it was made of
  std::size_t liveLayers_ = 0;
  LayersInFlow layers_;
  const LayersInFlow::Opened* inFlow_ = nullptr;
  DocumentPtr flow_;  // the newest of Flow's
  std::vector<Edit> flowEdits_;
  std::shared_ptr<const ModelMoment> moment_;
  std::string problem_;
  std::optional<Index> tooLong_;
  std::uint64_t computed_ = 0;
  std::uint64_t changes_ = 0;  // one more with each change of off_ and edits_
  BlockStorePtr memory_ = std::make_shared<BlockStore>();  // of passes, for the next
  std::weak_ptr<const model::Model> watched_;
  bool weightsChanged_ = false;  // of that one
  double nextLook_ = 0.0;        // at its files, by the frames' clock
  /// Of a model, whether its files have changed.
  using LookedAt = std::pair<model::ModelPtr, bool>;
  BackgroundTask<LookedAt> files_;
  BackgroundTask<Found> thread_;  // last: gone before what it writes
};

}  // namespace headscope
