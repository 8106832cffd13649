// The labels of designed heads on the example inputs, and the reason where a label is not the
// head's own name.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/analysis/head_report.h"
#include "core/document/attention.h"
#include "core/editing/make_document.h"
#include "core/heads/designed_heads.h"
#include "core/presets/presets.h"
#include "core/training/relations.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

const WeightSource kDesigned{WeightInit::designed, 1, {}};

/// Every example as 16 heads of 64, and every preset as it is.
std::vector<std::pair<std::string, DocumentPtr>> labelledDocuments() {
  std::vector<std::pair<std::string, DocumentPtr>> found;
  for (const Example& example : examples()) {
    if (std::holds_alternative<TensorSource>(example.source)) continue;  // nothing is designed for
    found.emplace_back(example.name, makeDocument("", sized(1024, 16, 1), example.source,
                                                  Positions::named, kDesigned, kBudget));
  }
  for (const Preset& preset : presets()) {
    if (preset.explicitWeights || preset.unlearned) continue;  // a bias of pairs outweighs design
    found.emplace_back(preset.name, makePreset(preset, kDesigned, kBudget));
  }
  return found;
}

struct Labelled {
  std::vector<DesignedHead> heads;
  DeclaredRelations relations;
  std::vector<HeadLabel> labels;
  std::vector<std::optional<RelationScore>> made;
};

Labelled labelled(const DocumentPtr& document) {
  Labelled found{designedHeads(*document), declaredRelations(*document), {}, {}};
  HeadReport report = *headReport(*runAttention(document), 0, found.relations);
  found.labels = std::move(report.labels);
  found.made = std::move(report.designedPurposes);
  return found;
}

bool hasPartners(const DeclaredRelation& relation) {
  const auto& partners = relation.partners[0];
  return std::any_of(partners.begin(), partners.end(),
                     [](const auto& keys) { return !keys.empty(); });
}

/// The heads that declare no relation; the others are named after theirs wherever it has a row.
const std::map<std::string, std::string> kByTheMetrics{
    {"Uniform", "uniform"}, {"Neighbours", "local"}, {"Recent steps", "local"}};

TEST(DesignedLabels, HeadsDoWhatTheyWereDesignedForOnAllExamples) {
  std::map<std::string, int> ownNames;
  for (const auto& [name, document] : labelledDocuments()) {
    const Labelled found = labelled(document);
    for (std::size_t h = 0; h < found.heads.size(); ++h) {
      const DesignedHead& head = found.heads[h];
      const HeadLabel& label = found.labels[h];
      const std::string where = name + ": " + head.title + " is called " + label.title;
      ASSERT_EQ(found.made[h].has_value(), found.relations[h].has_value()) << where;
      if (found.made[h] && hasPartners(*found.relations[h])) {
        EXPECT_EQ(found.made[h]->name, head.title) << where;
        EXPECT_GE(*found.made[h]->score, 0.5) << where;
        EXPECT_GE(*label.score, *found.made[h]->score) << where;
        ++ownNames[head.title];
      }
      const auto byMetrics = kByTheMetrics.find(head.title);
      if (byMetrics == kByTheMetrics.end()) continue;
      const bool sees = head.why.empty();
      if (sees) {
        EXPECT_EQ(label.key, byMetrics->second) << where;
      }
    }
  }
  // for text, from text to text, for series, for images
  EXPECT_EQ(ownNames.size(), 14U + 6U + 3U + 4U);
}

/// A head's intended relation is shown together with the pattern it has instead.
TEST(DesignedLabels, SayWhereThereIsNoPartner) {
  for (const auto& [name, document] : labelledDocuments()) {
    const Labelled found = labelled(document);
    for (std::size_t h = 0; h < found.heads.size(); ++h) {
      if (!found.made[h] || hasPartners(*found.relations[h])) continue;
      EXPECT_EQ(found.made[h]->score.why, "no token has a target to look at") << name;
    }
  }
  const Labelled first =
      labelled(makePreset(presetByName("original-transformer"), kDesigned, kBudget));
  EXPECT_EQ(first.made[2]->name, "Adjective ↔ noun");
  EXPECT_FALSE(first.made[2]->score);
  EXPECT_EQ(first.labels[2].title, "First token");  // where it looks without one
  EXPECT_GE(*first.labels[2].score, 0.6);
}

TEST(DesignedLabels, OfOneSequenceToAnother) {
  const DocumentPtr document =
      makeDocument("", sized(512, 8, 1), exampleByName("english-german").source, Positions::named,
                   kDesigned, kBudget);
  const Labelled found = labelled(document);
  ASSERT_TRUE(found.relations[0]);  // "because" with "weil" and "tired" with "müde": not in step
  EXPECT_EQ(found.relations[0]->partners[0][3], std::vector<Index>{4});
  EXPECT_EQ(found.relations[0]->partners[0][6], std::vector<Index>{6});
  EXPECT_EQ(found.relations[0]->partners[0][5], std::vector<Index>{7});
  EXPECT_EQ(found.labels[0].title, "Same meaning");
  EXPECT_GE(*found.labels[0].score, 0.8);
  EXPECT_EQ(found.labels[1].title, "Same place");
  EXPECT_EQ(found.labels[4].title, "Nouns");
  EXPECT_EQ(found.labels[5].title, "Verbs");
  ASSERT_TRUE(found.relations[6]);
  for (const auto& partner : found.relations[6]->partners[0]) {
    EXPECT_EQ(partner, std::vector<Index>{0});
  }
  EXPECT_EQ(found.labels[6].title, "First token");
  EXPECT_GE(*found.labels[6].score, 0.7);
  EXPECT_EQ(found.labels[7].key, "uniform");
}

/// A token hidden by the memory's mask is not a partner.
TEST(DesignedLabels, OfAMemoryOfNoLengthThereIsNone) {
  AttentionConfig config = sized(512, 8, 1);
  config.mask.lengths = {0};
  const DocumentPtr document = makeDocument("", config, exampleByName("english-german").source,
                                            Positions::named, kDesigned, kBudget);
  const Labelled found = labelled(document);
  ASSERT_TRUE(found.relations[6]);
  EXPECT_FALSE(hasPartners(*found.relations[6]));
}

}  // namespace
}  // namespace headscope::test
