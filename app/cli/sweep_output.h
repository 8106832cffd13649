// Sweep output: the flags of a sweep, its result over one or several texts, and that result as a
// table, JSON or CSV.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/asked_word.h"
#include "app/cli/model_text.h"
#include "app/cli/open_model.h"
#include "app/cli/text_sets.h"
#include "core/base/json.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/texts_sweep.h"

namespace headscope::cli {

struct SweepOptions {
  std::string directory;
  AdapterOptions adapter;
  ModelTextOptions text;
  std::vector<Index> ids;
  std::string over = "heads", with = "zero";
  std::optional<std::string> otherText;
  std::vector<Index> otherIds;
  AskedWordOptions asked;
  std::string set, jsonLines;  // files, or templates
  TemplateOptions templates;
  std::optional<Index> place;  // where parts are replaced; none: everywhere
  std::string by;  // the number that sorts the parts; empty: total, in JSON the model's order
  std::string to;  // the receiver of paths: "9.6:q"
  bool swap = false;
  int threads = 0;
  bool strict = false;
  bool json = false;
  bool csv = false;
};

/// The kind of part of --over.
model::SweepOver overOf(const SweepOptions& options);

/// The result of a sweep over one or several texts.
struct Swept : model::SweptTexts {
  std::vector<std::string> names;  // of the texts in a set

  /// The metric of the other text, the mean over the texts.
  std::optional<double> other() const {
    if (otherMetrics.empty()) return std::nullopt;
    return std::accumulate(otherMetrics.begin(), otherMetrics.end(), 0.0) /
           static_cast<double>(otherMetrics.size());
  }
  /// Returns nothing where the texts ask for different words.
  std::optional<model::AskedWord> word() const {
    const auto same = [&](const model::AskedWord& each) {
      return each.word == asked.front().word && each.other == asked.front().other;
    };
    return std::ranges::all_of(asked, same) ? std::optional(asked.front()) : std::nullopt;
  }
};

Json sweepJson(const Swept& swept, const SweepOptions& options, const formats::TokenizerPtr& names);
void printCsv(std::ostream& out, const Swept& swept, const SweepOptions& options);
void printSweep(std::ostream& out, const Swept& swept, const SweepOptions& options,
                const formats::TokenizerPtr& names);

}  // namespace headscope::cli
