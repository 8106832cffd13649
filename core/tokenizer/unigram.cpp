#include "core/tokenizer/unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace headscope::tokenizer {
namespace {

/// An unknown character is less probable than the least probable token by this much, as in
/// SentencePiece (kUnkPenalty).
constexpr double kUnknownPenalty = 10.0;
constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

}  // namespace

/// The best path to a place in the word, and the last token of it.
struct Unigram::Reached {
  double score = 0.0;
  std::uint32_t from = kNowhere;  // the beginning of the last token
  TokenId id = 0;
  bool unknown = false;
};

Unigram::Unigram(const Vocabulary& vocabulary, std::vector<double> scores, UnigramSettings settings)
    : scores_(std::move(scores)), settings_(settings) {
  if (settings_.unknown && vocabulary.text(*settings_.unknown) == nullptr) {
    throw UserError(fmt::format("unk_id is {}, and the vocabulary has {} tokens",
                                *settings_.unknown, withThousands(std::ssize(vocabulary))));
  }
  double least = scores_.empty() ? 0.0 : scores_.front();
  for (std::size_t id = 0; id < scores_.size(); ++id) {
    least = std::min(least, scores_[id]);
    const std::string* text = vocabulary.text(static_cast<TokenId>(id));
    if (text != nullptr) longest_ = std::max(longest_, text->size());
  }
  unknownScore_ = least - kUnknownPenalty;
}

/// The best path to every place of the word (Viterbi 1967), from left to right.
std::vector<Unigram::Reached> Unigram::bestPaths(const Vocabulary& vocabulary,
                                                 std::string_view word) const {
  std::vector<Reached> best(word.size() + 1);
  const auto offer = [&best](std::uint32_t from, std::size_t to, double score, TokenId id,
                             bool unknown) {
    Reached& there = best[to];
    const double whole = best[from].score + score;
    // at equal scores the path that was found first stays, as in the Rust library
    if (there.from == kNowhere || whole > there.score) there = {whole, from, id, unknown};
  };
  for (std::uint32_t at = 0; at < word.size();) {
    const std::uint32_t character = characterBytes(word, at);
    bool known = false;
    for (std::size_t end = at + character; end <= std::min<std::size_t>(word.size(), at + longest_);
         end += characterBytes(word, end)) {
      if (const auto id = vocabulary.id(word.substr(at, end - at))) {
        offer(at, end, scores_[static_cast<std::size_t>(*id)], *id, false);
        known = known || end == at + character;
      }
      if (end == word.size()) break;
    }
    if (!known) offer(at, at + character, unknownScore_, settings_.unknown.value_or(0), true);
    at += character;
  }
  return best;
}

/// Appends a piece of unknown text: one token, or one for each of its bytes.
void Unigram::addUnknown(const Vocabulary& vocabulary, std::string_view word, Span span,
                         std::vector<Piece>& pieces) const {
  std::vector<Piece> bytes;
  for (const char byte : span.of(word)) {
    if (!settings_.byteFallback) break;
    const auto id = vocabulary.id(byteToken(static_cast<unsigned char>(byte)));
    if (!id) break;
    bytes.push_back({*id, span});
  }
  if (bytes.size() == span.size()) {
    pieces.insert(pieces.end(), bytes.begin(), bytes.end());
  } else if (settings_.unknown) {
    pieces.push_back({*settings_.unknown, span});
  } else {
    throw UserError(fmt::format(
        "the tokenizer has no token for \"{}\" and none for unknown text (unk_id): leave it out",
        span.of(word)));
  }
}

void Unigram::tokenize(const Vocabulary& vocabulary, std::string_view word,
                       std::vector<Piece>& pieces) const {
  const std::vector<Reached> best = bestPaths(vocabulary, word);
  std::vector<std::pair<Span, const Reached*>> path;  // from the end to the beginning
  for (auto end = static_cast<std::uint32_t>(word.size()); end > 0;) {
    const Reached& last = best[end];
    const Span span{last.from, end};
    const bool fuses = last.unknown && settings_.unknown && !path.empty() &&
                       path.back().second->id == *settings_.unknown;
    if (fuses) {
      path.back().first.begin = span.begin;
    } else {
      path.emplace_back(span, &last);
    }
    end = last.from;
  }
  for (auto step = path.rbegin(); step != path.rend(); ++step) {
    const auto& [span, last] = *step;
    if (last->unknown) {
      addUnknown(vocabulary, word, span, pieces);
    } else {
      pieces.push_back({last->id, span});
    }
  }
}

}  // namespace headscope::tokenizer
