// ConfigReader: reads the fields of a config.json strictly, each by the name that a family gives
// it. Every field that is read is remembered; `finish` decides about the others.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"
#include "core/formats/families/tensor_names.h"
#include "core/model/model_config.h"
#include "core/model/model_notes.h"

namespace headscope::formats {

/// The names of a model's sizes in config.json. A null name: the family has no such field.
struct SizeFields {
  const char* width = "hidden_size";
  const char* layers = "num_hidden_layers";
  const char* heads = "num_attention_heads";
  const char* kvHeads = nullptr;  // H where the field is missing
  bool kvHeadsRequired = false;   // the default of transformers is a number that no file means
  const char* headDim = nullptr;
  Index headDimOtherwise = 0;  // where the field is missing; 0: D / H
  const char* ffWidth = "intermediate_size";
  bool fourfold = false;  // F is 4 D where the field is missing or has no name
  const char* vocabulary = "vocab_size";
  const char* positions = "max_position_embeddings";
};

class ConfigReader {
 public:
  /// `generation`: the fields of generation_config.json; null without that file.
  ConfigReader(const JsonField& root, model::ModelNotes& notes,
               const JsonField* generation = nullptr)
      : root_(root), generation_(generation), notes_(notes) {}

  /// The configuration and names; a model of two stacks has its decoder's here.
  model::ModelConfig config;
  TensorNames names;
  struct Stack {
    model::ModelConfig config;
    TensorNames names;
  };
  std::optional<Stack> encoderStack;

  /// Reads model_type and what all families have, then what the family has.
  void readCommon();
  /// Reads the sizes; a size may also have the name that transformers gives it in all families.
  void sizes(const SizeFields& fields);
  /// Reads the end tokens, checks the layer types, decides about the fields that nothing has read,
  /// and checks that the sizes fit together.
  void finish();

  /// The value of a field; nothing where it is missing or null.
  std::optional<JsonField> find(std::string_view name);
  JsonField at(std::string_view name);
  /// Returns whether the file has the field, even as null.
  bool has(std::string_view name) const { return root_.value().find(name) != nullptr; }
  /// Returns whether `architectures` names a class with this part in its name.
  bool savedFrom(std::string_view part) const;
  /// Returns whether the field is there and null.
  bool isNull(std::string_view name);
  /// The field may have any value: the family has one behaviour.
  void ignore(std::string_view name) { seen_.emplace(name); }

  Index size(std::string_view name, Index most);
  Index size(std::string_view name, Index most, Index otherwise);
  /// A size that may have either of two names.
  Index eitherSize(std::string_view name, std::string_view alias, Index most);
  bool flag(std::string_view name, bool otherwise);
  double positive(std::string_view name, double otherwise);
  /// A norm's ε, at least 0.
  double epsilon(std::string_view name, double otherwise);
  model::Activation activation(std::string_view name, const char* otherwise);
  /// The activation that a part of a field's text names.
  model::Activation activationOf(const JsonField& field, std::string_view name) const;

  /// A gated feed-forward network with the activation of a field.
  void gated(std::string_view activationField, const char* otherwise);
  /// A soft cap; 0 where the field is null or 0.
  double softCap(std::string_view name, double otherwise);
  /// RMSNorm with ε.
  void rmsNorm(std::string_view epsilonField, double otherwise);
  /// LayerNorm with ε.
  void layerNorm(std::string_view epsilonField, double otherwise, bool bias = true);

  /// The window of each layer: `width` in the layers that `layer_types` calls sliding, or, where
  /// that is missing, in those that `sliding` names (a layer from 0).
  void windows(Index width, const std::function<bool(Index layer)>& sliding);
  /// Sets windows as windows() does. The width is that of `sliding_window`, `otherwise` where that
  /// is missing; there are no windows where it is null.
  void slidingWindow(Index otherwise, const std::function<bool(Index layer)>& sliding);

  /// An encoder whose norms follow the sums.
  void encoder();
  /// Makes what was read so far the encoder of two stacks, and the rest of it the decoder.
  void twoStacks();
  /// Learned positions, one for each token of the longest text.
  void absolutePositions();
  void biases(bool queryKeyValue, bool output, bool feedForward);
  /// The readout has a matrix of its own where the file does not say whether it is the embedding.
  void untiedByDefault();
  std::size_t layers() const { return static_cast<std::size_t>(config.layers); }

  static Index sizeOf(const JsonField& field, Index most, Index least = 1);
  static double positiveOf(const JsonField& field);
  /// Throws UserError: "FIELD is VALUE, <what>".
  [[noreturn]] static void refuse(const JsonField& field, const std::string& what);
  /// Refuses a field that asks for mathematics which the model's blocks do not have.
  [[noreturn]] void refuseAsked(const JsonField& field, std::string_view asked) const;
  /// refuseAsked where the field is there and its value asks for something.
  void refuseIfAsked(std::string_view name);
  void refuseIfAsked(std::string_view name, std::string_view mathematics);
  /// Passes over, notes or refuses a field that nothing has read.
  void checkOther(const std::string& name, const JsonField& field);
  /// Refuses a nested field whose value differs from the top-level field of its name.
  void refuseContradiction(const std::string& name, const JsonField& nested) const;

 private:
  /// A field of how text is generated: generation_config.json's where it has the field, even as
  /// null, and otherwise config.json's.
  std::optional<JsonField> findInGenerationConfig(std::string_view name);
  void readArchitectures();
  void readEnds();
  void readTarget();
  void checkLayerTypes();
  void checkOthers();

  const JsonField& root_;
  const JsonField* generation_;
  model::ModelNotes& notes_;
  std::set<std::string, std::less<>> seen_;
  bool layerTypesRead_ = false;
};

}  // namespace headscope::formats
