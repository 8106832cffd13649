// Head flags: how flags name heads: layer and head from 0, "1.2" or "L1H2", several with commas, or
// "all".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/stacks.h"

namespace headscope::cli {

/// Parses "3.7", "L3H7" or "l3h7"; nothing for another text.
std::optional<HeadOfLayer> plainHead(const std::string& text);
/// Parses "3.7" or "L3H7", layer and head counted from 0; of a decoder "decoder:3.7" or
/// "cross:3.7". Throws UserError that names the flag.
HeadOfLayer headFrom(std::string_view flag, const std::string& text,
                     const model::ModelConfig& config);
/// A head of an encoder–decoder model, or of another model's only stack.
struct HeadOfStack {
  model::Stack stack = model::Stack::decoder;
  HeadOfLayer head = {};
};
/// Parses a head as headFrom does; of an encoder–decoder model also "encoder:3.7".
HeadOfStack headOfStackFrom(std::string_view flag, const std::string& text,
                            const model::ModelConfig& config);
/// Parses several heads; "all" stands for every head.
std::vector<HeadOfLayer> headsFrom(std::string_view flag, const std::vector<std::string>& texts,
                                   const model::ModelConfig& config);
/// Parses several heads of one stack as headOfStackFrom does; "all" stands for every head of the
/// only stack, and "encoder:all", "decoder:all" or "cross:all" for those of an attention. Throws
/// UserError for heads of different stacks.
struct HeadsOfStack {
  model::Stack stack = model::Stack::decoder;
  std::vector<HeadOfLayer> heads;
};
HeadsOfStack headsOfStackFrom(std::string_view flag, const std::vector<std::string>& texts,
                              const model::Model& model);
/// Parses heads of one layer, which may be given without it: "2" or "1.2"; "all" stands for every
/// one. `layer`: its number from 0. Throws UserError for a head of another layer.
std::vector<Index> headsOfLayerFrom(std::string_view flag, const std::vector<std::string>& texts,
                                    Index layer, Index heads);

}  // namespace headscope::cli
