// Steering options: the flags for a direction that is added to a model's residual stream.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "core/base/json.h"
#include "core/model/steering.h"
#include "core/tokenizer/tokenizer.h"

namespace headscope::cli {

struct SteeringOptions {
  std::optional<std::string> from, against;  // texts
  std::string head;                          // "L.H": what it adds, not the whole stream
  std::optional<Index> at;                   // the place in these texts; none: the last
  std::string file;                          // a direction in a file: FILE[:TENSOR]
  std::optional<Index> layer, place;         // where the direction is added
  double strength = 1.0;
  bool inEncoder = false;  // of two stacks: steers the encoder, not the decoder

  bool given() const { return from || against || !file.empty() || layer || !head.empty(); }
};

/// Adds the flags --steer-….
void addSteeringFlags(CLI::App& app, SteeringOptions& options);

/// The steering of a document that the flags ask for; `tokenizer` may be null where they give no
/// text. Layers of a decoder with cross-attention count as its authors count; their stream enters
/// the self-attention. Throws UserError that names the flag.
model::Steering steeringFrom(const SteeringOptions& options, const model::ModelDocument& document,
                             const tokenizer::Tokenizer* tokenizer,
                             const ExecutionContext& execution);

/// {"layer", "place", "strength", "length"}: the length of what is added.
Json steeringJson(const SteeringOptions& options, const model::Steering& steering);

}  // namespace headscope::cli
