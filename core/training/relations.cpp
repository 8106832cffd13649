#include "core/training/relations.h"

#include <algorithm>
#include <variant>

#include "core/attention/config.h"
#include "core/document/document.h"
#include "core/training/trained_relations.h"

namespace headscope {
namespace {

/// The partners of each token that the mask allows.
std::vector<std::vector<Index>> allowedPartners(const LearnedRelation& relation,
                                                const AttentionConfig& c, bool& hiddenByMask) {
  std::vector<std::vector<Index>> rows(static_cast<std::size_t>(c.seqLen));
  bool any = false, allowed = false;
  for (std::size_t i = 0; i < std::min(rows.size(), relation.partners.size()); ++i) {
    const AllowedKeys keys = allowedKeys(c.mask, 0, static_cast<Index>(i), c.seqLen);
    for (const Index key : relation.partners[i]) {
      any = true;
      if (key < c.seqLen && keys(key)) rows[i].push_back(key);
    }
    allowed = allowed || !rows[i].empty();
  }
  hiddenByMask = any && !allowed;
  return rows;
}

/// The relations that come with the input, as long as the weights are the ones that came with it.
DeclaredRelations learnedRelations(const Document& document) {
  const auto* source = std::get_if<TensorSource>(document.source.get());
  if (source == nullptr || source->relations.empty()) return {};
  if (document.weightSource.loadedFrom != source->name) return {};
  const AttentionConfig& c = document.config;
  DeclaredRelations relations(static_cast<std::size_t>(c.numHeads));
  for (const LearnedRelation& learned : source->relations) {
    if (learned.head >= c.numHeads) continue;
    DeclaredRelation& relation = relations[static_cast<std::size_t>(learned.head)].emplace();
    relation.name = learned.name;
    relation.origin = DeclaredRelation::Origin::learned;
    relation.partners.resize(static_cast<std::size_t>(c.batch),
                             std::vector<std::vector<Index>>(static_cast<std::size_t>(c.seqLen)));
    relation.partners.front() = allowedPartners(learned, c, relation.hiddenByMask);
  }
  return relations;
}

}  // namespace

DeclaredRelations declaredRelations(const Document& document) {
  if (!document.weightSource.drawn()) return learnedRelations(document);
  switch (document.weightSource.init) {
    case WeightInit::designed:
      return designedRelations(document);
    case WeightInit::learned:
      return training::trainedRelations(document);
    default:
      return {};
  }
}

}  // namespace headscope
