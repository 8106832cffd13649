// Model readings: flags that analyse how a model's pass produced a word, and how it continues.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "app/cli/generated.h"
#include "app/cli/head_flags.h"
#include "app/cli/image_options.h"
#include "core/base/json.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/stream_parts.h"
#include "core/model/text_alignment.h"

namespace headscope::cli {

struct ModelReadings {
  bool lens = false;
  std::vector<std::string> attribute;  // one or two words
  std::optional<Index> at;             // the index of the token; none: the last
  bool gradients = false;              // the trace's file has gradients, which read `at` too
  std::vector<std::string> patch;      // the heads to replace, one after the other; empty: none
  std::string patchWith = "mean";      // or "zero"
  std::optional<std::string> patchText;
  std::vector<Index> patchIds;
  ImageOptions patchImage{"--patch-", {}, {}};
  std::string folder;  // the model's, which says how the picture is read
  Index generate = 0;
  double temperature = 0.0;
  Index topK = 0;
  std::optional<std::uint64_t> seed;  // of the sampling, and of a template's texts; none: 1
  Index beams = 0;                    // of a beam search; 0: none

  Writing writing() const { return {generate, {temperature, topK, seed.value_or(1)}, beams}; }
  bool any() const { return lens || !attribute.empty() || at || !patch.empty() || generate > 0; }
};

void addModelReadings(CLI::App& app, ModelReadings& readings);

/// Says how another text is aligned; nothing for one of equal length.
void printAlignment(std::ostream& out, const model::AlignedText& text);
/// Adds "aligned", the other text's place for each token or null; nothing for equal lengths.
void addAlignment(Json& json, const model::AlignedText& text);

/// [{"part","layer","head","value"}]: what each writer of the residual stream adds to a number.
Json partsJson(const std::vector<model::WrittenPart>& parts, const model::ModelConfig& config);
/// Prints as many of them, those of the largest magnitude first.
void printLargestParts(std::ostream& out, std::vector<model::WrittenPart> parts,
                       const model::ModelConfig& config, std::size_t most);

/// `names` may be null: ids then name the tokens.
void addReadings(Json& json, const ModelReadings& readings, const model::ModelTracePtr& trace,
                 const formats::TokenizerPtr& names);
void printReadings(std::ostream& out, const ModelReadings& readings,
                   const model::ModelTracePtr& trace, const formats::TokenizerPtr& names);

}  // namespace headscope::cli
