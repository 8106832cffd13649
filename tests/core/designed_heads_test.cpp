// Designed heads: each one attends as described, on sentences written for it and on others, and
// gives the reason where it cannot.
#include "core/heads/designed_heads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/attention/switches.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/heads/distance_kernel.h"
#include "core/presets/presets.h"
#include "core/training/relations.h"
#include "tests/core/support/designed.h"

namespace headscope::test {
namespace {

using Partners = std::vector<std::optional<Index>>;

/// The partners of an item's queries; a designed head has at most one for each.
Partners onlyPartners(const DeclaredRelation& relation, std::size_t item = 0) {
  Partners partners;
  for (const std::vector<Index>& keys : relation.partners[item]) {
    partners.push_back(keys.empty() ? std::nullopt : std::optional<Index>(keys.front()));
  }
  return partners;
}

/// The pass of a document with designed heads, read by the heads' titles and by words.
class Pass {
 public:
  explicit Pass(const DocumentPtr& document)
      : document_(document),
        trace_(runAttention(document, nullptr, {})),
        heads_(designedHeads(*document)),
        relations_(declaredRelations(*document)) {}

  Index head(const std::string& title) const {
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      if (heads_[h].title == title) return static_cast<Index>(h);
    }
    ADD_FAILURE() << "no head " << title;
    return 0;
  }
  Index place(const std::string& word) const {
    const auto& tokens = document_->input->tokens[0];
    return std::find(tokens.begin(), tokens.end(), word) - tokens.begin();
  }
  float weight(const std::string& title, Index query, Index key, Index item = 0) const {
    return trace_->value({TensorId::weights, item, head(title), query, key});
  }
  float weight(const std::string& title, const std::string& query, const std::string& key) const {
    return weight(title, place(query), place(key));
  }
  const std::vector<DesignedHead>& heads() const { return heads_; }
  const std::optional<DeclaredRelation>& relation(const std::string& title) const {
    return relations_[static_cast<std::size_t>(head(title))];
  }
  Partners declared(const std::string& title) const { return onlyPartners(*relation(title)); }

  /// Sum and number of the weights on declared partners, by title.
  void addTo(std::map<std::string, std::pair<double, int>>& sums) const {
    for (std::size_t h = 0; h < relations_.size(); ++h) {
      if (!relations_[h]) continue;
      for (Index item = 0; item < document_->config.batch; ++item) {
        const Partners partners = onlyPartners(*relations_[h], static_cast<std::size_t>(item));
        for (std::size_t i = 0; i < partners.size(); ++i) {
          if (!partners[i]) continue;
          auto& [sum, count] = sums[heads_[h].title];
          sum += trace_->value({TensorId::weights, item, static_cast<Index>(h),
                                static_cast<Index>(i), *partners[i]});
          ++count;
        }
      }
    }
  }

 private:
  DocumentPtr document_;
  TracePtr trace_;
  std::vector<DesignedHead> heads_;
  DeclaredRelations relations_;
};

struct Pair {
  std::string sentence, head, query, key;
};

const std::vector<Pair> kNamedPairs{
    {kFluffy, "Verb → its subject", "sat", "cat"},
    {kFluffy, "Adjective ↔ noun", "fluffy", "cat"},
    {kFluffy, "Pronoun → noun", "which", "cat"},
    {kFluffy, "Preposition → its object", "on", "mat"},
    {kBank, "Verb → its subject", "is", "bank"},
    {kBank, "Verb → its subject", "flows", "river"},
    {kBank, "Adjective ↔ noun", "closed", "bank"},
    {kBank, "Pronoun → noun", "that", "bank"},
    {kCat, "Verb → its subject", "sat", "cat"},
    {kCat, "Preposition → its object", "on", "mat"},
};

/// The least weight on a partner that counts as found.
constexpr float kFound = 0.5F;

TEST(DesignedHeads, AttendToWhatTheIssueNames) {
  for (const auto& [width, heads] : {std::pair<Index, Index>{512, 8}, {768, 12}, {1024, 16}}) {
    for (const Pair& pair : kNamedPairs) {
      const Pass pass(designedText(pair.sentence, width, heads));
      EXPECT_GE(pass.weight(pair.head, pair.query, pair.key), kFound)
          << width << ": " << pair.query << " → " << pair.key;
    }
  }
}

TEST(DesignedHeads, TheLastEightToo) {
  const Pass bank(designedText(kBank));
  EXPECT_GE(bank.weight("Subject → its predicate", "bank", "closed"), kFound);
  EXPECT_GE(bank.weight("Noun ↔ noun", "bank", "river"), kFound);
  EXPECT_GE(bank.weight("Subject → its predicate", "river", "flows"), kFound);
  const Pass cat(designedText(kCat));
  EXPECT_GE(cat.weight("Determiner → its noun", 0, 1), kFound);
  EXPECT_GE(cat.weight("Determiner → its noun", 4, 5), kFound);
  EXPECT_GE(cat.weight("Same word", 0, 4), kFound);
  EXPECT_GE(cat.weight("Same word", 4, 0), kFound);
  const Pass fox(designedText("The brown fox does not jump over it."));
  EXPECT_GE(fox.weight("Negation → what it negates", "not", "jump"), kFound);
}

TEST(DesignedHeads, ReachTheirDeclaredPartnersOnAllExamples) {
  for (const Preset& preset : presets()) {
    if (preset.explicitWeights || preset.unlearned) continue;  // a bias of pairs outweighs design
    std::map<std::string, std::pair<double, int>> sums;
    Pass(makePreset(preset, {WeightInit::designed, 1, {}}, kBudget)).addTo(sums);
    EXPECT_FALSE(sums.empty()) << preset.name;
    for (const auto& [title, sum] : sums) {
      EXPECT_GE(sum.first / sum.second, kFound) << preset.name << ": " << title;
    }
  }
  std::map<std::string, std::pair<double, int>> sums;
  for (const Example& example : examples()) {
    const auto* text = std::get_if<TextSource>(&example.source);
    if (text == nullptr || !text->memoryTexts.empty()) continue;
    Pass(designed(*text, sized(1024, 16, 1))).addTo(sums);
  }
  EXPECT_EQ(sums.size(), 14U);  // uniform and neighbours, of 16, declare none
  for (const auto& [title, sum] : sums) EXPECT_GE(sum.first / sum.second, kFound) << title;
}

TEST(DesignedHeads, OtherSentencesOfTheLexiconBehaveAlike) {
  std::map<std::string, std::pair<double, int>> sums;
  for (const char* text :
       {"Dogs chase the cat and birds watch the old man.",
        "The teacher of the children was tired because it never stopped.",
        "My small sister quickly wrote a long letter to her best friend.",
        "A zorp that the blick saw is not happy, and nobody knows why the garden looks so empty.",
        "Is the door of the old house closed?"}) {
    Pass(designedText(text)).addTo(sums);
  }
  for (const auto& [title, sum] : sums) EXPECT_GE(sum.first / sum.second, kFound) << title;
}

TEST(DesignedHeads, RowsWithoutAPartnerRest) {
  const Pass pass(designedText(kBank));
  // passive rows on the first token, a preposition without an object with itself
  EXPECT_GE(pass.weight("Verb → its subject", "river", "The"), kFound);
  EXPECT_GE(pass.weight("Pronoun → noun", "closed", "The"), kFound);
  EXPECT_GE(pass.weight("Same word", "river", "river"), kFound);
  for (const char* title : {"Preposition → its object", "Determiner → its noun",
                            "Negation → what it negates", "Adjective ↔ noun", "Noun ↔ noun"}) {
    EXPECT_GE(pass.weight(title, "flows", "The"), kFound) << title;
  }
  EXPECT_GE(pass.weight("Preposition → its object", "by", "by"), kFound);
  EXPECT_FALSE(
      pass.declared("Preposition → its object")[static_cast<std::size_t>(pass.place("by"))]);
}

/// An unknown word has a class by its neighbours; in another language it has none.
TEST(DesignedHeads, AnUnknownWordIsOfTheClassThatItSeemsToHave) {
  const Pass pass(designedText("The zorp sat on the blick"));
  Partners subjects(6), objects(6);
  subjects[2] = 1;
  objects[3] = 5;
  EXPECT_EQ(pass.declared("Verb → its subject"), subjects);
  EXPECT_EQ(pass.declared("Preposition → its object"), objects);
  const Pass foreign(designedText("Ul zorp sat on ul blick"));
  const Partners none(6);
  EXPECT_EQ(foreign.declared("Verb → its subject"), none);
  EXPECT_EQ(foreign.declared("Preposition → its object"), none);
}

TEST(DesignedHeads, DeclaredPartnersFollowTheRules) {
  const Pass pass(designedText("Dogs see a big red ball, and the ball is round."));
  // Dogs see a big red ball , and the ball is round .
  Partners verbs(13), adjectives(13), nouns(13), predicates(13), same(13);
  verbs[1] = 0;   // nearest noun before
  verbs[10] = 0;  // copula: earliest
  EXPECT_EQ(pass.declared("Verb → its subject"), verbs);
  adjectives[3] = adjectives[4] = 5;  // a noun among the next two
  adjectives[11] = 0;                 // earliest
  adjectives[0] = 3;
  adjectives[5] = 4;
  adjectives[9] = 11;
  EXPECT_EQ(pass.declared("Adjective ↔ noun"), adjectives);
  nouns[0] = 5;
  nouns[5] = 9;
  nouns[9] = 5;
  EXPECT_EQ(pass.declared("Noun ↔ noun"), nouns);
  predicates[0] = 1;
  predicates[5] = predicates[9] = 11;
  EXPECT_EQ(pass.declared("Subject → its predicate"), predicates);
  same[5] = 9;
  same[9] = 5;
  EXPECT_EQ(pass.declared("Same word"), same);
}

TEST(DesignedHeads, NeighboursFarAwayAndUniformSpreadAsTheySay) {
  const Pass pass(designedText(kFluffy));
  for (Index i = 2; i < 11; ++i) {
    float near = 0.0F;
    for (const Index j : {i - 2, i - 1, i + 1, i + 2}) near += pass.weight("Neighbours", i, j);
    EXPECT_GE(near, 0.85F) << i;
    EXPECT_LE(pass.weight("Neighbours", i, i), 0.02F);
  }
  for (Index j = 0; j < 13; ++j) EXPECT_FLOAT_EQ(pass.weight("Uniform", 4, j), 1.0F / 13);
  double distance = 0.0, uniform = 0.0;
  for (Index i = 0; i < 13; ++i) {
    for (Index j = 0; j < 13; ++j) {
      const auto away = static_cast<double>(std::abs(i - j));
      distance += away * pass.weight("Far away", i, j);
      uniform += away / 13;
    }
  }
  EXPECT_GE(distance, 1.25 * uniform);
  EXPECT_FALSE(pass.relation("Neighbours"));
  EXPECT_FALSE(pass.relation("Uniform"));
}

TEST(DesignedHeads, WeightsDoNotDependOnTheSentence) {
  const DocumentPtr one = designedText(kCat, 512, 8);
  const DocumentPtr other = designedText(kBank, 512, 8);
  for (const auto member : {&Weights::wQ, &Weights::wK, &Weights::wV, &Weights::wO}) {
    EXPECT_EQ((one->weights.*member).values(), (other->weights.*member).values());
  }
  const DocumentPtr typed = edited(one, SetText{0, false, kBank});
  EXPECT_TRUE(sameWeights(*one, *typed));  // not even drawn again
}

TEST(DesignedHeads, FollowSizesAndTheKindOfInput) {
  const DocumentPtr eight = designedText(kCat, 1024, 8);
  const DocumentPtr sixteen = edited(eight, SetDimensions{1024, 16, 16});
  EXPECT_EQ(sixteen->weights.wQ.values(), designedText(kCat)->weights.wQ.values());
  EXPECT_EQ(sixteen->weightSource.init, WeightInit::designed);
  const DocumentPtr series = edited(eight, SetInput{std::make_shared<const InputSource>(window())});
  EXPECT_EQ(designedHeads(*series)[2].title, "Temperature");
  EXPECT_NE(series->weights.wQ.values(), eight->weights.wQ.values());
  EXPECT_TRUE(sameWeights(*eight, *edited(eight, masked(eight, [](Mask& m) { m.causal = true; }))));
}

TEST(DesignedHeads, ValuesCopyWhatTheTokenIs) {
  const DocumentPtr d = designedText(kCat, 512, 8);
  const TracePtr trace = runAttention(d, nullptr, {});
  const Index noun = 2 + 1;  // constant, slow position, determiner, noun
  for (Index head : {0, 5}) EXPECT_EQ(d->weights.wV.at({head * 64 + 1, noun}), 1.0F);
  // head 1 is the previous token: of what `sat` takes, so much as it looks at `cat` is a noun
  const float onCat = trace->value({TensorId::weights, 0, 0, 2, 1});
  const float onMat = trace->value({TensorId::weights, 0, 0, 2, 5});
  EXPECT_NEAR(trace->value({TensorId::heads, 0, 0, 2, 1}), onCat + onMat, 1e-5);
}

/// W_O is dense, so that it visibly mixes the heads and an ablation differs by head and by word.
TEST(DesignedHeads, OutputProjectionIsDense) {
  for (const Index dK : {64, 80}) {
    const DocumentPtr d = edited(designedText(kCat, 512, 8), SetDimensions{512, 8, 8, dK});
    EXPECT_EQ(d->weightSource.init, WeightInit::designed);
    for (const DesignedHead& head : designedHeads(*d)) EXPECT_FALSE(head.drawn) << head.why;
    const auto values = d->weights.wO.values();
    EXPECT_LE(std::count(values.begin(), values.end(), 0.0F), 8);
    EXPECT_TRUE(sameWeights(*d, *edited(d, masked(d, [](Mask& m) { m.causal = true; }))));
  }
  // given by itself, the division is the same design
  const DocumentPtr divided = designedText(kCat, 512, 8);
  EXPECT_TRUE(sameWeights(*divided, *edited(divided, SetDimensions{512, 8, 8, 64})));
}

/// A head finds its partner, and other keys keep some weight: with ÷√d_k the choice is soft,
/// without it (scores √d_k = 8 times as large) it is a peak.
TEST(DesignedHeads, WeightsAreSoft) {
  for (const std::string& text : {kFluffy, kBank}) {
    const DocumentPtr scaled = designedText(text);
    const DocumentPtr unscaled = edited(scaled, SetSwitch{&Switches::scale, false});
    const TracePtr soft = runAttention(scaled, nullptr, {});
    const TracePtr sharp = runAttention(unscaled, nullptr, {});
    const auto heads = designedHeads(*scaled);
    for (std::size_t h = 0; h < heads.size(); ++h) {
      if (heads[h].title == "Uniform" || heads[h].title == "Neighbours") continue;
      const auto median = [&](const TracePtr& trace) {
        std::vector<float> largest;
        for (Index i = 0; i < scaled->config.seqLen; ++i) {
          std::vector<float> row;
          for (Index j = 0; j < scaled->config.seqLen; ++j) {
            row.push_back(trace->value({TensorId::weights, 0, static_cast<Index>(h), i, j}));
          }
          largest.push_back(*std::max_element(row.begin(), row.end()));
        }
        std::sort(largest.begin(), largest.end());
        return largest[largest.size() / 2];
      };
      EXPECT_GE(median(soft), 0.5F) << heads[h].title;
      EXPECT_LE(median(soft), 0.95F) << heads[h].title;
      EXPECT_GE(median(sharp), 0.98F) << heads[h].title;
    }
  }
}

TEST(DesignedHeads, PositionalHeadsWorkFromWidthEight) {
  const Pass pass(designedText(kFluffy, 128, 16));
  for (const auto& [title, step] :
       {std::pair<const char*, Index>{"Previous token", -1}, {"Next token", 1}, {"Itself", 0}}) {
    for (Index i = 1; i < 12; ++i) EXPECT_GE(pass.weight(title, i, i + step), kFound) << title;
  }
  for (Index i = 0; i < 13; ++i) EXPECT_GE(pass.weight("First token", i, 0), kFound);
}

/// The other positional heads: at an end of the sequence a token without a neighbour looks at
/// itself.
TEST(DesignedHeads, TheFirstAndTheLastStayWithThemselvesFromWidth48) {
  for (const Index width : {48, 64}) {
    for (const char* text : {kCat.c_str(), kFluffy.c_str()}) {
      const DocumentPtr document = designedText(text, 16 * width, 16);
      const Index last = document->config.seqLen - 1;
      const Pass pass(document);
      for (Index other = 1; other <= last; ++other) {
        EXPECT_GT(pass.weight("Previous token", 0, 0), pass.weight("Previous token", 0, other));
        EXPECT_GT(pass.weight("Next token", last, last),
                  pass.weight("Next token", last, last - other));
      }
    }
  }
  const Pass narrow(designedText(kFluffy, 16 * 8, 16));
  EXPECT_LE(narrow.weight("Previous token", 0, 0), 0.1F);
  for (const char* title : {"Previous token", "Next token"}) {
    const DesignedHead& head = narrow.heads()[static_cast<std::size_t>(narrow.head(title))];
    EXPECT_NE(head.about.find("stays with itself where d_k is 48 or more"), std::string::npos)
        << head.about;
  }
}

TEST(DesignedHeads, UnderACausalMaskTheyKnowWhatTheyCannotSee) {
  AttentionConfig config = sized(1024, 16, 1);
  config.mask.causal = true;
  const Pass pass(designed(TextSource{{kCat}, {}}, config));
  for (const char* title : {"Preposition → its object", "Next token", "Determiner → its noun"}) {
    const DesignedHead& head = pass.heads()[static_cast<std::size_t>(pass.head(title))];
    EXPECT_FALSE(head.drawn);
    EXPECT_NE(head.why.find("hides keys after the query"), std::string::npos) << title;
    EXPECT_EQ(pass.declared(title), Partners(6)) << title;
  }
  EXPECT_EQ(pass.heads()[static_cast<std::size_t>(pass.head("Verb → its subject"))].why, "");
  EXPECT_GE(pass.weight("Verb → its subject", "sat", "cat"), kFound);
}

TEST(DesignedHeads, OfASensorWindow) {
  const Pass pass(makePreset(presetByName("rul"), {WeightInit::designed, 1, {}}, kBudget));
  for (Index i = 0; i < 30; ++i) {
    EXPECT_GE(pass.weight("Change points", i, 18), kFound);
    EXPECT_GE(pass.weight("Change points", i, 13, 1), kFound);
    EXPECT_GE(pass.weight("Spikes", i, 7), kFound);
    EXPECT_GE(pass.weight("Spikes", i, 22, 1), kFound);
  }
  EXPECT_GE(pass.weight("Early against late", 29, 7), kFound);
  EXPECT_LE(pass.weight("Early against late", 0, 7), 0.1F);
  for (Index i = 3; i < 30; ++i) {
    float recent = 0.0F;
    for (Index j = i - 3; j < i; ++j) recent += pass.weight("Recent steps", i, j);
    EXPECT_GE(recent, 0.8F) << i;
  }
  // the coldest step attends more to a cold one than to a warm one
  EXPECT_GT(pass.weight("Temperature", 0, 4), 10.0F * pass.weight("Temperature", 0, 22));
  EXPECT_GT(pass.weight("Pressure", 20, 29), 1.5F * pass.weight("Pressure", 20, 3));
}

TEST(DesignedHeads, TellWhichCoordinatesMeet) {
  const auto heads = designedHeads(*designedText(kCat, 512, 8));
  const std::string& verb = heads[1].structure;
  for (const char* part : {"5 · verb + 4.7 · copula of the query is multiplied by noun of the key",
                           "5.5 · constant − 5.5 · verb", "the first place", "28 position pairs",
                           "1.6 at -1, 4.7 at 0, -2.5 at +1"}) {
    EXPECT_NE(verb.find(part), std::string::npos) << verb;
  }
  EXPECT_NE(heads[7].structure.find("as W_Q and W_K are"), std::string::npos);
}

TEST(DistanceKernels, FitWhatIsAskedNearby) {
  const DistanceKernel kernel =
      shapedKernel({{-40, -1, 30, 0}, {0, 0, 42, 42}, {1, 40, -50, -50}}, 28).pairs;
  EXPECT_NEAR(valueAt(kernel, -1) - valueAt(kernel, 1), 80.0, 0.5);
  for (int distance = -20; distance < -1; ++distance) {
    EXPECT_LT(valueAt(kernel, distance), valueAt(kernel, distance + 1));
  }
  EXPECT_FALSE(peakKernel({{{-1, 1.0}}, 12.0}, 0, 28));
  EXPECT_FALSE(peakKernel({{{-2, 1.0}, {-1, 1.0}, {1, 1.0}, {2, 1.0}}, 6.0}, 4, 5));
}

}  // namespace
}  // namespace headscope::test
