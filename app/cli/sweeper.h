// Sweeper: the flags of the sweep command, and the sweep that they ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/asked_word.h"
#include "app/cli/image_options.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/progress.h"
#include "app/cli/target_text.h"
#include "app/cli/text_sets.h"
#include "core/formats/text_set.h"
#include "core/model/texts_sweep.h"

namespace headscope::cli {

struct SweepOptions {
  std::string directory;
  AdapterOptions adapter;
  ModelTextOptions text;
  std::vector<Index> ids;
  ImageOptions image;
  TargetOptions target;
  std::string over = "heads", with = "zero";
  std::optional<std::string> otherText;
  std::vector<Index> otherIds;
  ImageOptions otherImage{"--other-", {}, {}};
  AskedWordOptions asked;
  std::string set, jsonLines;  // files, or templates
  TemplateOptions templates;
  std::string place;  // where parts are replaced: a token, "each", "asked"; empty: everywhere
  std::string by;     // the number that sorts the table; empty: total, in CSV the model's order
  std::string to;     // the receiver of paths: "9.6:q"
  std::vector<std::string> receivers;  // of paths, one after the other; each becomes `to`
  bool swap = false;
  int threads = 0;
  bool strict = false;
  bool json = false;
  bool csv = false;
};

/// The flags once for each of their receivers; "all:q" stands for those of every head that paths
/// lead to. Throws UserError that names the flag.
std::vector<SweepOptions> forEachReceiver(const SweepOptions& options, OpenModels& models);

/// The part of the model that the flags say.
model::SweepOver overOf(const SweepOptions& options);
/// The place of the flags, as SweepSetting::place. Throws UserError that names the flag.
Index placeOf(const SweepOptions& options);

/// The result of a sweep over one or several texts.
struct Swept : model::SweptTexts {
  std::vector<std::string> names;  // of the texts in a set

  /// The metric of the other text, the mean over the texts.
  std::optional<double> other() const;
  /// Returns nothing where the texts ask for different words.
  std::optional<model::AskedWord> word() const;
};

/// Runs a sweep as its flags say, which must outlive it.
class Sweeper {
 public:
  Sweeper(const SweepOptions& options, OpenModels& models);

  /// The tokenizer for the words of the text that is predicted; null: none.
  const formats::TokenizerPtr& names() const { return names_; }
  const model::ModelConfig& config() const { return model_->config(); }

  std::vector<formats::TextOfSet> textsOf(const std::string& set) const {
    return textsOfSet(set, options_.templates, models_, options_.directory, options_.text.in);
  }

  /// Sweeps over the text of the flags, or over their set.
  Swept run();
  /// Sweeps over texts of a set, as if it had no others.
  Swept over(const std::vector<formats::TextOfSet>& set);

 private:
  Swept over(std::vector<model::TextToSweep> texts, std::vector<std::string> names,
             std::vector<model::ModelInput> meanOf);
  bool twoStacks() const { return model_->encoder() != nullptr; }
  /// The settings of the stack that reads the text: the encoder, or the only one.
  const model::ModelConfig& readingConfig() const {
    return (twoStacks() ? model_->encoder() : model_)->config();
  }
  model::ModelInput inputOf(const formats::TextOrIds& text) const;
  model::ModelDocumentPtr documentOver(std::vector<model::TextToSweep>& texts) const;
  model::TextToSweep textOfFlags() const;
  model::TextToSweep textOf(const formats::TextOfSet& text) const;

  const SweepOptions& options_;
  OpenModels& models_;
  model::ModelPtr model_;
  formats::TokenizerPtr names_;
  model::SweepSetting setting_;
  ExecutionContext execution_;
  Progress progress_{"sweep"};
};

}  // namespace headscope::cli
