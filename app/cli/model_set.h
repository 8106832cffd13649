// Model set: the measures of every head of a model over many texts (`model DIR --set`).
#pragma once

#include <CLI/CLI.hpp>
#include <istream>
#include <ostream>
#include <string>

#include "app/cli/context.h"
#include "app/cli/open_model.h"
#include "app/cli/text_sets.h"

namespace headscope::cli {

struct SetOptions {
  std::string texts;  // a file, or "template:NAME"; empty: not given
  std::string by;     // the key of a metric; heads are sorted by its mean
  bool csv = false;
  std::istream* in = nullptr;  // of "--set -"; null: it cannot be read

  bool given() const { return !texts.empty(); }
};

/// Adds --set, --by and --csv.
void addSetOptions(CLI::App& app, SetOptions& options, const Context& context);

/// Throws UserError where --by or --csv stands without --set.
void checkSetOptions(const SetOptions& options);

/// Measures the heads of the model in `folder` and prints them, as JSON where `json` is set. Throws
/// UserError for an unknown metric, and one that names the text.
void printMeasuresOfSet(const SetOptions& options, const TemplateOptions& templates,
                        OpenModels& models, const model::ModelPtr& model, const std::string& folder,
                        int threads, bool json, std::ostream& out);

}  // namespace headscope::cli
