// Corpora: the texts that a language model can be trained on, cut into tokens.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/language/corpus.h"

namespace headscope::formats {

/// `count` tokens of stories to learn from, and a twentieth of that held out. The tokenizer reads
/// text as people write it: a capital at the beginning of a sentence, the full stop at its word.
language::CorpusPtr storyCorpus(std::uint64_t seed, Index count);

/// How a text is cut into tokens: its most frequent words, with bytes for the others; byte pairs
/// learned from it; or characters.
enum class TextTokens { words, bpe, characters };
inline constexpr std::array kTextTokens{TextTokens::words, TextTokens::bpe, TextTokens::characters};
/// "words", "bpe", "characters".
std::string_view toString(TextTokens tokens);
/// The kind with this name. Throws UserError that lists them.
TextTokens textTokensFromString(std::string_view name);

/// The smallest and largest text, in bytes.
inline constexpr Index kLeastTextBytes = Index{20} << 10;
inline constexpr Index kMostTextBytes = Index{64} << 20;
/// The most tokens of its vocabulary.
inline constexpr Index kMostTextTokens = 65'536;

/// Throws UserError where a text cannot be cut into so many different tokens.
void checkVocabulary(TextTokens tokens, Index vocabulary);

/// A text file as a corpus: its last twentieth is held out. `vocabulary` is the most tokens. Throws
/// UserError that names the file: not UTF-8, too short, too long, unreadable.
language::CorpusPtr textCorpus(const std::filesystem::path& file, TextTokens tokens,
                               Index vocabulary);

/// The ids of the tokens into which the first `merges` of a corpus's byte-pair encoding cut a text;
/// none of them: its bytes.
std::vector<tokenizer::TokenId> cutByMerges(const language::Corpus& corpus, std::string_view text,
                                            std::size_t merges);

}  // namespace headscope::formats
