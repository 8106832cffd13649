#include <fmt/format.h>

#include <algorithm>
#include <queue>

#include "core/base/error.h"
#include "core/base/utf8.h"
#include "core/tokenizer/model.h"

namespace headscope::tokenizer {

/// A partial token, linked to its neighbours; −1 where there is none.
struct Bpe::Symbol {
  TokenId id;
  std::uint32_t bytes;  // 0: joined to the previous one
  std::int32_t previous, next;
};

Bpe::Bpe(const Vocabulary& vocabulary, std::span<const Pair> merges, BpeSettings settings)
    : settings_(std::move(settings)) {
  constexpr std::size_t kShown = 40;
  if (settings_.unknown) {
    unknown_ = vocabulary.id(*settings_.unknown);
    if (!unknown_) {
      throw UserError(fmt::format("unk_token is \"{}\", which is not in the vocabulary",
                                  excerpt(*settings_.unknown, kShown)));
    }
  }
  merges_.reserve(merges.size());
  std::string joined;
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const std::string_view left = merges[i].first, right = merges[i].second;
    const auto idOf = [&](std::string_view text) {
      if (const auto id = vocabulary.id(text)) return *id;
      throw UserError(
          fmt::format("merges[{}] joins \"{}\" and \"{}\", and \"{}\" is not in the vocabulary", i,
                      excerpt(left, kShown), excerpt(right, kShown), excerpt(text, kShown)));
    };
    if (left.empty() || right.empty()) {
      throw UserError(fmt::format("merges[{}] has one token, \"{}{}\"; it needs two", i,
                                  excerpt(left, kShown), excerpt(right, kShown)));
    }
    const std::string& prefix = settings_.continuingPrefix;
    joined.assign(left);
    joined += right.starts_with(prefix) ? right.substr(prefix.size()) : right;
    merges_.insert_or_assign(pairOf(idOf(left), idOf(right)),
                             Merge{static_cast<std::uint32_t>(i), idOf(joined)});
  }
}

std::vector<Bpe::Symbol> Bpe::symbolsOf(const Vocabulary& vocabulary, std::string_view word) const {
  std::vector<Symbol> symbols;
  symbols.reserve(word.size());
  const auto add = [&](TokenId id, std::uint32_t bytes) { symbols.push_back({id, bytes, -1, -1}); };
  bool afterUnknown = false;
  std::string decorated;
  for (std::uint32_t at = 0; at < word.size();) {
    const std::uint32_t bytes = characterBytes(word, at);
    std::string_view character = word.substr(at, bytes);
    const bool first = at == 0;
    at += bytes;
    const bool last = at == word.size();
    if ((!first && !settings_.continuingPrefix.empty()) || (last && !settings_.endSuffix.empty())) {
      decorated = first ? "" : settings_.continuingPrefix;
      decorated += character;
      if (last) decorated += settings_.endSuffix;
      character = decorated;
    }
    if (const auto id = vocabulary.id(character)) {
      add(*id, bytes);
      afterUnknown = false;
      continue;
    }
    if (settings_.byteFallback) {
      const std::size_t before = symbols.size();
      for (const char byte : character) {
        const auto id = vocabulary.id(byteToken(static_cast<unsigned char>(byte)));
        if (!id) break;
        add(*id, 1);
      }
      if (symbols.size() == before + character.size()) {
        afterUnknown = false;
        continue;
      }
      symbols.resize(before, Symbol{});
    }
    if (!unknown_) continue;
    if (afterUnknown && settings_.fuseUnknown) {
      symbols.back().bytes += bytes;
    } else {
      add(*unknown_, bytes);
    }
    afterUnknown = true;
  }
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    symbols[i].previous = static_cast<std::int32_t>(i) - 1;
    symbols[i].next = i + 1 < symbols.size() ? static_cast<std::int32_t>(i) + 1 : -1;
  }
  return symbols;
}

void Bpe::join(std::vector<Symbol>& symbols) const {
  struct Candidate {
    std::uint32_t rank;
    std::int32_t left;
    TokenId joined;
  };
  // the pair that was learned first; the leftmost of equal ones
  const auto later = [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
  };
  std::vector<Candidate> room;
  room.reserve(symbols.size());
  std::priority_queue<Candidate, std::vector<Candidate>, decltype(later)> queue(later,
                                                                                std::move(room));
  const auto at = [&](std::int32_t index) -> Symbol& {
    return symbols[static_cast<std::size_t>(index)];
  };
  const auto mergeAt = [&](std::int32_t left) -> const Merge* {
    if (left < 0 || at(left).next < 0) return nullptr;
    const auto found = merges_.find(pairOf(at(left).id, at(at(left).next).id));
    return found == merges_.end() ? nullptr : &found->second;
  };
  const auto consider = [&](std::int32_t left) {
    if (const Merge* merge = mergeAt(left)) queue.push({merge->rank, left, merge->joined});
  };
  for (std::int32_t i = 0; i + 1 < std::ssize(symbols); ++i) consider(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Symbol& left = at(best.left);
    const Merge* merge = left.bytes == 0 ? nullptr : mergeAt(best.left);
    if (merge == nullptr || merge->joined != best.joined) continue;  // no longer adjacent
    Symbol& right = at(left.next);
    left.id = best.joined;
    left.bytes += right.bytes;
    right.bytes = 0;
    left.next = right.next;
    if (left.next >= 0) at(left.next).previous = best.left;
    consider(left.previous);
    consider(best.left);
  }
}

void Bpe::tokenize(const Vocabulary& vocabulary, std::string_view word,
                   std::vector<Piece>& pieces) const {
  if (settings_.ignoreMerges) {
    if (const auto id = vocabulary.id(word)) {
      pieces.push_back({*id, {0, static_cast<std::uint32_t>(word.size())}});
      return;
    }
  }
  std::vector<Symbol> symbols = symbolsOf(vocabulary, word);
  join(symbols);
  std::uint32_t at = 0;
  for (const Symbol& symbol : symbols) {
    if (symbol.bytes == 0) continue;
    pieces.push_back({symbol.id, {at, at + symbol.bytes}});
    at += symbol.bytes;
  }
}

std::string byteToken(unsigned char byte) { return fmt::format("<0x{:02X}>", byte); }

std::optional<unsigned char> byteOfToken(std::string_view token) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (token.size() != byteToken(0).size() || !token.starts_with("<0x") || token.back() != '>') {
    return std::nullopt;
  }
  const std::size_t high = kDigits.find(token[3]), low = kDigits.find(token[4]);
  if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
  return static_cast<unsigned char>(high * kDigits.size() + low);
}

}  // namespace headscope::tokenizer
