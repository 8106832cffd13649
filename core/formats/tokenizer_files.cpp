#include "core/formats/tokenizer_files.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.h"
#include "core/formats/gguf_model.h"
#include "core/formats/older_tokenizers.h"
#include "core/formats/shipped_model.h"
#include "core/platform/paths.h"

namespace headscope::formats {

bool hasTokenizer(const std::filesystem::path& directory) {
  if (const auto shipped = shippedModel(directory)) return shipped->hasTokenizer();
  if (ggufAt(directory)) return true;
  const auto has = [&](const char* name) { return platform::exists(directory / name); };
  return has("tokenizer.json") || has("vocab.txt") || (has("vocab.json") && has("merges.txt")) ||
         has("tokenizer.model") || has("spiece.model") || (has("source.spm") && has("vocab.json"));
}

bool hasTargetTokenizer(const std::filesystem::path& directory) {
  return !platform::exists(directory / "tokenizer.json") &&
         platform::exists(directory / "target.spm");
}

TokenizerPtr openTargetTokenizer(const std::filesystem::path& directory) {
  if (!hasTargetTokenizer(directory)) return openTokenizer(directory);
  const bool own = platform::exists(directory / "target_vocab.json");
  return marianTokenizer(directory, "target.spm", own ? "target_vocab.json" : "vocab.json");
}

TokenizerPtr openTokenizer(const std::filesystem::path& directory) {
  if (const auto shipped = shippedModel(directory)) {
    if (!shipped->hasTokenizer()) {
      throw UserError(
          fmt::format("{} reads pictures and has no tokenizer: give --image", directory.string()));
    }
    return parseTokenizer(shipped->file("tokenizer.json"), shipped->fileName("tokenizer.json"));
  }
  if (const auto gguf = ggufAt(directory)) return ggufTokenizer(GgufFile(*gguf));
  const auto has = [&](const char* name) { return platform::exists(directory / name); };
  if (!platform::isFolder(directory)) {
    throw UserError(fmt::format("{} is not a folder; give the folder with the model's files",
                                directory.string()));
  }
  if (has("tokenizer.json")) {
    const std::filesystem::path path = directory / "tokenizer.json";
    return parseTokenizer(readTokenizerPart(path), path.string());
  }
  if (has("source.spm") && has("vocab.json")) {
    return marianTokenizer(directory, "source.spm", "vocab.json");
  }
  if (has("vocab.json") && has("merges.txt")) return byteLevelTokenizer(directory);
  if (has("vocab.txt")) return bertTokenizer(directory);
  if (has("tokenizer.model")) {
    return sentencePieceTokenizer(directory, "tokenizer.model", "LlamaTokenizer");
  }
  if (has("spiece.model")) return sentencePieceTokenizer(directory, "spiece.model", "T5Tokenizer");
  if (has("sentencepiece.bpe.model")) {
    throw UserError(
        fmt::format("{} is SentencePiece's and has other ids than the model's tokens; put the "
                    "tokenizer.json that transformers saves into the same folder",
                    (directory / "sentencepiece.bpe.model").string()));
  }
  throw UserError(
      fmt::format("{} holds no tokenizer: neither tokenizer.json, nor vocab.json with merges.txt, "
                  "nor vocab.txt, nor tokenizer.model, nor spiece.model (T5), nor source.spm and "
                  "target.spm with vocab.json (Marian); give a model's folder that has one",
                  directory.string()));
}

}  // namespace headscope::formats
