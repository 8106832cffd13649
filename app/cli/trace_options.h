// Trace options: the flags of the file that the model command writes: its path, what it holds
// besides attentions, hidden states and logits, and the number whose gradients it holds.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/file_flags.h"
#include "core/formats/tokenizer_json.h"
#include "core/model/model_trace.h"
#include "core/tensor/safetensors.h"

namespace headscope::cli {

struct TraceOptions {
  std::string path;
  std::vector<std::string> sites;
  std::optional<Index> gradOfId, againstId;
  std::string gradOf, against;  // words; empty: none

  /// Throws UserError for an unknown site, and for a second token without a first.
  void check() const;
};

void addTraceOptions(CLI::App& app, TraceOptions& options);
/// Adds the path to the files that the command writes.
void noteTraceFile(FileFlags& files, const TraceOptions& options);

/// The contents of the file for a pass.
class TraceFile {
 public:
  /// Runs the pass backward if gradients are requested, from token `at`, by default the last.
  /// Throws UserError for a token that is not the model's. `names` may be null: only ids name
  /// tokens then.
  TraceFile(const TraceOptions& options, const model::ModelTracePtr& trace,
            const formats::TokenizerPtr& names, int threads, std::optional<Index> at,
            std::vector<NamedTensor> others = {});
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Writes the file. Throws UserError naming the path.
  void save() const;

 private:
  struct Contents;
  std::string path_;
  model::ModelTracePtr trace_;
  std::unique_ptr<Contents> contents_;
};

}  // namespace headscope::cli
