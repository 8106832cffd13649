// The partners of each query by symbolic rules: over word classes of the lexicon and positions for
// text, over the flags of X for a series. No matrix is used.
#include "core/heads/declared_relations.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/attention/config.h"
#include "core/document/document.h"
#include "core/heads/designed_heads.h"
#include "core/input/lexicon.h"
#include "core/input/meanings.h"
#include "core/input/tagger.h"

namespace headscope {

namespace {

using Partner = std::optional<Index>;
using Keys = std::vector<Index>;

bool among(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// The words and word classes at the places of one item, of X or of the memory.
class Places {
 public:
  Places(const Document& document, Index item, const std::vector<std::string>& tokens)
      : document_(document), item_(item) {
    for (const std::string& token : tokens) words_.push_back(lowerCased(token));
    const auto padding = std::find(tokens.begin(), tokens.end(), "");
    for (const WordUse& each : wordUses({tokens.begin(), padding})) {
      classes_.emplace_back(toString(each.wordClass));
    }
    classes_.resize(words_.size());
    text_ = std::holds_alternative<TextSource>(*document.source);
  }

  Index count() const { return static_cast<Index>(words_.size()); }
  const std::string& word(Index i) const { return words_[static_cast<std::size_t>(i)]; }

  bool isOf(Index i, const std::vector<std::string>& names) const {
    if (names.empty()) return true;
    if (text_) return among(names, classes_[static_cast<std::size_t>(i)]);
    const auto& columns = document_.input->coordinates;
    const auto found = std::find(columns.begin(), columns.end(), names.front());
    return found != columns.end() &&
           document_.input->x.at({item_, i, found - columns.begin()}) == 1.0F;
  }

 private:
  const Document& document_;
  Index item_;
  bool text_ = true;
  std::vector<std::string> words_, classes_;
};

/// One item of a document: its queries and its keys, which are the same in self-attention.
class Item {
 public:
  Item(const Document& document, Index item)
      : mask_(document.config.mask),
        item_(item),
        grid_(document.input->patches),
        queries_(document, item, document.input->tokens[static_cast<std::size_t>(item)]) {
    if (!document.config.crossAttention()) return;
    memory_.emplace(document, item, document.input->memoryTokens[static_cast<std::size_t>(item)]);
  }

  const Places& queries() const { return queries_; }
  const Places& keys() const { return memory_ ? *memory_ : queries_; }
  const PatchGrid& grid() const { return grid_; }

  /// Keys of those classes that the query may see, padding left out.
  Keys seen(Index query, const std::vector<std::string>& names) const {
    const Places& places = keys();
    const AllowedKeys allowed = allowedKeys(mask_, item_, query, places.count());
    Keys found;
    for (Index j = 0; j < places.count(); ++j) {
      if (allowed(j) && !places.word(j).empty() && places.isOf(j, names)) found.push_back(j);
    }
    return found;
  }

 private:
  const Mask& mask_;
  Index item_;
  PatchGrid grid_;
  Places queries_;
  std::optional<Places> memory_;
};

Partner onlyOne(const Keys& keys) { return keys.size() == 1 ? Partner(keys.front()) : Partner(); }

/// The nearest key or, with a sign of −1, the farthest. None where two are equally far: they share
/// the weight.
Partner nearest(const Keys& keys, Index query, Index sign = 1) {
  Partner best;
  bool tied = false;
  for (const Index key : keys) {
    if (key == query) continue;
    const Index now = sign * std::abs(key - query);
    const Index before = best ? sign * std::abs(*best - query) : now + 1;
    tied = now == before || (tied && now > before);
    if (now < before) best = key;
  }
  return tied ? Partner() : best;
}

Partner within(Keys keys, Index first, Index last, bool takeLast = false) {
  std::erase_if(keys, [&](Index key) { return key < first || key > last; });
  if (keys.empty()) return {};
  return takeLast ? keys.back() : keys.front();
}

/// The patch next to a patch, where the rule names one.
Partner neighbourIn(const PatchGrid& grid, const std::string& where, const Keys& keys, Index i) {
  const auto at = [&](Index down, Index right) {
    const Index patch = grid.neighbour(i, down, right);
    return patch < 0 ? Partner() : within(keys, patch, patch);
  };
  if (where == "above") return at(-1, 0);
  if (where == "below") return at(1, 0);
  if (where == "left") return at(0, -1);
  if (where == "right") return at(0, 1);
  return {};
}

Partner partnerBy(const PartnerRule& rule, const Item& item, Index i) {
  const std::string& where = rule.where;
  Keys keys = item.seen(i, rule.is);
  const Index count = item.keys().count();
  const Index last = count - 1;
  if (where == "previous") return within(keys, i - 1, i - 1);
  if (where == "next" || where == "right after") return within(keys, i + 1, i + 1);
  if (where == "itself") return within(keys, i, i);
  if (where == "first") return within(keys, 0, 0);
  if (where == "nearest before") return within(keys, 0, i - 1, true);
  if (where == "nearest after") return within(keys, i + 1, last);
  if (where == "within two after") return within(keys, i + 1, i + 2);
  if (where == "last after") return within(keys, i + 1, last, true);
  if (where == "earliest") return within(keys, 0, last);
  if (where == "nearest") return nearest(keys, i);
  if (where == "farthest") return nearest(keys, i, -1);
  if (where == "the only") return onlyOne(keys);
  if (where == "early, from late") {
    const Partner key = onlyOne(keys);
    return key && 2 * *key < count && 2 * i >= count ? key : Partner();
  }
  if (where == "same word") {
    const std::string& word = item.queries().word(i);
    std::erase_if(keys, [&](Index j) { return j == i || item.keys().word(j) != word; });
    return onlyOne(keys);
  }
  if (where == "same meaning") {
    const std::string meaning = meanings().of(item.queries().word(i));
    std::erase_if(keys, [&](Index j) { return meanings().of(item.keys().word(j)) != meaning; });
    return onlyOne(keys);
  }
  return neighbourIn(item.grid(), where, keys, i);
}

Partner partnerOf(const HeadDescription& head, const Item& item, Index query) {
  if (item.queries().word(query).empty()) return {};
  for (const PartnerRule& rule : head.partner) {
    if (!item.queries().isOf(query, rule.of)) continue;
    if (const Partner found = partnerBy(rule, item, query)) return found;
  }
  return {};
}

}  // namespace

DeclaredRelations designedRelations(const Document& document) {
  const std::vector<DesignedHead> heads = designedHeads(document);
  DeclaredRelations relations(heads.size());
  if (heads.empty()) return relations;
  const auto plan = planHeads(document.config, *document.source, document.positions);
  std::vector<Item> items;
  for (Index item = 0; item < document.config.batch; ++item) items.emplace_back(document, item);
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (heads[h].drawn || plan[h].description->partner.empty()) continue;
    DeclaredRelation relation;
    relation.name = heads[h].title;
    for (const Item& item : items) {
      auto& partners = relation.partners.emplace_back();
      for (Index i = 0; i < item.queries().count(); ++i) {
        auto& ofQuery = partners.emplace_back();
        if (const Partner found = partnerOf(*plan[h].description, item, i)) ofQuery = {*found};
      }
    }
    relations[h] = std::move(relation);
  }
  return relations;
}

}  // namespace headscope
