// GGUF model: a GGUF file as a model of Hugging Face's: its configuration in the fields of
// config.json, its tensors under the names there, and its tokenizer as a tokenizer.json.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "core/base/json.h"
#include "core/formats/gguf.h"
#include "core/formats/tokenizer_json.h"
#include "core/formats/weight_file.h"

namespace headscope::formats {

/// Returns whether a path names a GGUF file, by its ending.
bool isGguf(const std::filesystem::path& path);
/// The GGUF file that a path stands for: itself, or the only one of a folder without a config.json.
std::optional<std::filesystem::path> ggufAt(const std::filesystem::path& path);

using GgufFilePtr = std::shared_ptr<const GgufFile>;

/// The fields of config.json that the metadata give. Throws UserError for an architecture that is
/// not read, and for metadata that are missing.
Json ggufConfig(const GgufFile& file);

/// The tensors under Hugging Face's names. What llama.cpp changed when it converted the model is
/// changed back: the order of the rows of queries and keys (llama), the gains less 1 (gemma).
WeightFilePtr ggufWeights(GgufFilePtr file);

/// The tokenizer. Throws UserError for a kind that is not read.
TokenizerPtr ggufTokenizer(const GgufFile& file);

}  // namespace headscope::formats
