// Tokenizer files: the tokeniser of a model's directory as Hugging Face lays it out, tokenizer.json
// or the older files: vocab.txt (BERT), vocab.json with merges.txt (GPT-2, RoBERTa, Qwen2),
// tokenizer.model or spiece.model (SentencePiece: Llama, Gemma, T5, ALBERT), source.spm and
// target.spm with vocab.json (Marian).
#pragma once

#include <filesystem>

#include "core/formats/tokenizer_json.h"

namespace headscope::formats {

/// Returns whether the directory has the files of a tokeniser.
bool hasTokenizer(const std::filesystem::path& directory);

/// Throws UserError naming the file and its error, or the missing file.
TokenizerPtr openTokenizer(const std::filesystem::path& directory);

/// Returns whether target texts have a tokenizer of their own (Marian).
bool hasTargetTokenizer(const std::filesystem::path& directory);
/// The tokenizer of target texts, openTokenizer's where there is one for both. Throws as it does.
TokenizerPtr openTargetTokenizer(const std::filesystem::path& directory);

}  // namespace headscope::formats
