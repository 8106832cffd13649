// Older tokenizers: those of models' directories without tokenizer.json, from the files that each
// class of tokenizer had before: vocab.txt (BERT), vocab.json with merges.txt (GPT-2, RoBERTa,
// CLIP, Qwen2), SentencePiece's file (Llama, Gemma, T5, ALBERT; Marian has two). All throw
// UserError that names the file and its error, and where tokenizer_config.json names a class that
// is not known.
#pragma once

#include <filesystem>
#include <string>

#include "core/formats/tokenizer_json.h"

namespace headscope::formats {

/// The bytes of a file of a tokenizer.
std::string readTokenizerPart(const std::filesystem::path& path);

/// From vocab.txt.
TokenizerPtr bertTokenizer(const std::filesystem::path& directory);
/// From vocab.json and merges.txt.
TokenizerPtr byteLevelTokenizer(const std::filesystem::path& directory);
/// From SentencePiece's file. `usual`: the class where none is named.
TokenizerPtr sentencePieceTokenizer(const std::filesystem::path& directory, const char* file,
                                    const char* usual);
/// From one of Marian's two SentencePiece files, and the file that has the ids of its pieces.
TokenizerPtr marianTokenizer(const std::filesystem::path& directory, const char* file,
                             const char* vocabularyFile);

}  // namespace headscope::formats
