// Target text: the flags for the text that the decoder of an encoder–decoder model reads, and what
// it writes by itself where none is given.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/generated.h"
#include "app/cli/open_model.h"

namespace headscope::cli {

struct TargetOptions {
  std::optional<std::string> text;
  std::vector<Index> ids;

  bool given() const { return text.has_value() || !ids.empty(); }
};

/// Adds --target and --decoder-ids.
void addTargetFlags(CLI::App& app, TargetOptions& options, const std::string& group = {});

/// The text of a decoder; `generated` holds what the model wrote, where it was not given.
struct Target {
  model::ModelInput input;
  std::optional<Generated> generated;
};

/// A decoder's document over its start token alone, which a target follows; `memory` is the pass of
/// the source text.
model::ModelDocumentPtr emptyTarget(const model::ModelPtr& model, model::ModelTracePtr memory);
/// The target of the flags, or the one that the model writes behind an empty one, with all changes
/// of that document. Throws UserError as modelInput does.
Target targetOf(const TargetOptions& options, OpenModels& models, const std::string& folder,
                const model::ModelDocumentPtr& empty, const Writing& writing,
                const ExecutionContext& execution);

/// The document of a decoder over a source text and the target of the flags. A target that the
/// model writes ends before its end token, which its last place predicts.
model::ModelDocumentPtr documentWithTarget(const TargetOptions& options, OpenModels& models,
                                           const std::string& folder, const model::ModelPtr& model,
                                           model::ModelInput source,
                                           const ExecutionContext& execution);

/// Throws UserError for a target of a model that has no encoder.
void refuseTarget(const TargetOptions& options, const model::Model& model);

}  // namespace headscope::cli
