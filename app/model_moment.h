// Model moment: a whole model with a text, its pass and its predictions, and the units of work that
// compute them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/background_task.h"
#include "app/layers_in_flow.h"
#include "core/base/block_store.h"
#include "core/formats/adapter.h"
#include "core/formats/pictures/picture.h"
#include "core/formats/session.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/model_changes.h"
#include "core/model/prediction.h"

namespace headscope {

/// The predictions of the model without changes, kept where it was changed.
struct UneditedModel {
  model::ModelTracePtr trace;
  std::vector<model::TokenProbability> best;  // by token
  std::vector<std::vector<double>> sames;     // by token: of the changed model's tokens
};

/// A model with a text: the pass and the predictions.
struct ModelMoment {
  model::ModelTracePtr trace;
  formats::TokenizerPtr tokenizer;  // null: none is supported; `text` is ids
  std::string tokenizerProblem;     // why there is no tokenizer
  std::filesystem::path folder;     // or the name of a built-in model
  formats::AdapterChoice adapter;   // on the model
  std::string text;  // of a model that reads images the path of a picture; empty: ours
  /// An encoder–decoder model has its source text and its encoder's pass here, without predictions;
  /// `text` and `trace` are then the target and the decoder's pass. Null for a model of one stack.
  std::shared_ptr<const ModelMoment> source = nullptr;
  bool written = false;                                       // the model wrote the target itself
  bool writing = false;                                       // and has not ended it
  model::ModelChanges writtenWith = {};                       // its edits when it wrote
  bool writtenBefore = false;                                 // its present edits are others
  std::shared_ptr<const formats::Picture> picture = nullptr;  // as the model is shown it
  /// For each patch of a drawn picture (shipped_picture.h), whether the shape touches it; otherwise
  /// empty.
  std::vector<bool> shapePatches = {};
  Index wholeTokens = 0;  // the number of tokens before `text` was cut; 0: it is whole
  /// The predictions by token, of an image at its class token alone; empty without a readout. They
  /// arrive after the pass of a new text.
  std::vector<std::vector<model::TokenProbability>> predictions;
  std::shared_ptr<const UneditedModel> unedited;  // null: the model is unchanged
  std::uint64_t changes = 0;                      // identifies the edits of its model
  std::uint64_t number = 0;                       // identifies this moment

  const model::ModelConfig& config() const { return trace->config(); }
  /// The moment of the text that the model was given first: of two stacks, of the source.
  const ModelMoment& first() const { return source != nullptr ? *source : *this; }
  const std::string& given() const { return first().text; }
  /// The tokens as text for display: "␣the"; a part of a character by its bytes.
  std::vector<std::string> tokenNames() const;
  std::string tokenName(Index place) const;
  /// The name of a token, or of a classifier's label.
  std::string nameOf(Index id) const;
  bool ofImage() const { return picture != nullptr; }
};

/// Reads another text, for a model of images the picture of that path. Throws UserError.
model::ModelInput inputOfText(const ModelMoment& moment, const std::string& text);

struct KeptEdits;  // kept_edits.h

/// A computed moment. Where the text is too long, it holds only the token counts.
struct FoundMoment {
  std::optional<ModelMoment> moment;
  Index tokens = 0, most = 0;
  std::string model;
  std::vector<std::shared_ptr<const KeptEdits>> made = {};  // the applied edits of a session
  /// The request's edits, on the model with another adapter; nothing: they are on the same model.
  std::optional<model::ModelChanges> moved = {};
};

/// The inputs of a moment.
struct MomentRequest {
  std::filesystem::path folder;    // empty: the model of `before`
  formats::AdapterChoice adapter;  // for the model of `folder`
  std::shared_ptr<const ModelMoment> before;
  std::string text;
  /// The text that the decoder of an encoder–decoder model reads. Empty: the target of `before`
  /// while the source is the same; otherwise one that the model writes.
  std::string target = {};
  bool rewriteTarget = false;  // the model writes the target also where `before` has one
  bool cut = false;
  model::ModelChanges edits;
  formats::SavedModels kept;  // a session's edits, at most one of each stack, to be used instead
  Index budget = 0;
  std::uint64_t number = 0;
  std::uint64_t changes = 0;
  BlockStorePtr memory = nullptr;
};

/// Returns the units that open the model, run its pass, and compute the predictions; where the
/// model was changed, then the same for the original model. `publish` receives the pass of a new
/// text before its predictions.
BackgroundTask<FoundMoment>::NextUnit momentUnits(
    MomentRequest request, std::function<void(FoundMoment, const std::atomic<bool>&)> publish);

}  // namespace headscope
