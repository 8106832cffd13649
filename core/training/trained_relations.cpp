#include "core/training/trained_relations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "core/attention/config.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"

namespace headscope::training {
namespace {

constexpr const char* kNotRead =
    trLater("the sentence is built in a way that the heads were not trained on");
constexpr const char* kOtherSentence =
    trLater("the heads were trained on words of one sentence, and the keys come from another");
constexpr const char* kNotOneSeries =
    trLater("answers are computed only for series of up to 512 steps without repetition");
constexpr Index kMostStepsPaired = 512;  // limits the number of pairs of steps

/// The answers to the questions in one item of a document.
struct AnswersOfItem {
  Partners partners;
  std::string whyNone;  // the reason where answers are unknown
};

std::vector<AnswersOfItem> answersInText(const Document& document) {
  std::vector<AnswersOfItem> items;
  for (const auto& tokens : document.input->tokens) {
    AnswersOfItem& item = items.emplace_back();
    const auto end = std::find(tokens.begin(), tokens.end(), "");
    const std::vector<std::string> words(tokens.begin(), end);  // padding left out
    if (auto sentence = readSentence(words)) {
      item.partners = std::move(sentence->partners);
    } else if (std::ssize(words) > kLongestSentence || std::ssize(words) < kShortestSentence) {
      item.whyNone =
          trFormat("it has {}, and the heads were trained on {} to {}",
                   counted(std::ssize(words), tr("{} word or mark"), tr("{} words and marks")),
                   kShortestSentence, kLongestSentence);
    } else {
      item.whyNone = tr(kNotRead);
    }
    auto& previous = item.partners[static_cast<std::size_t>(WordQuestion::previous)];
    previous.assign(words.size(), {});
    for (std::size_t i = 1; i < words.size(); ++i) previous[i] = {static_cast<Index>(i) - 1};
  }
  return items;
}

std::vector<AnswersOfItem> answersInSeries(const Document& document) {
  const auto& given = std::get<SeriesSource>(*document.source).items;
  const Readings& readings = document.input->readings;
  std::vector<AnswersOfItem> items;
  for (std::size_t i = 0; i < readings.lengths.size(); ++i) {
    AnswersOfItem& item = items.emplace_back();
    const Series& series = *given[i % given.size()];
    const Index steps = readings.lengths[i];
    if (steps > series.values.dim(0) || series.values.dim(0) > kMostStepsPaired) {
      item.whyNone = tr(kNotOneSeries);
      continue;
    }
    item.partners = partnersIn(series);
    for (auto& places : item.partners) {
      places.resize(static_cast<std::size_t>(steps));
      for (auto& partners : places) {
        std::erase_if(partners, [&](Index j) { return j >= steps; });
      }
    }
  }
  return items;
}

/// The answers in each item of a document, limited to keys that the mask allows.
class AnswersInDocument {
 public:
  explicit AnswersInDocument(const Document& document)
      : document_(document),
        items_(trainingDomainOf(document).series() ? answersInSeries(document)
                                                   : answersInText(document)) {}

  DeclaredRelation relation(const AskedQuestion& question) const {
    DeclaredRelation relation;
    relation.name = question.title;
    relation.origin = DeclaredRelation::Origin::trained;
    if (document_.config.crossAttention()) relation.whyNone = tr(kOtherSentence);
    for (Index item = 0; item < document_.config.batch; ++item) {
      auto& rows = relation.partners.emplace_back();
      bool any = false, allowed = false;
      for (Index i = 0; i < document_.config.seqLen; ++i) {
        rows.push_back(partnersOf(question.number, item, i));
        allowed = allowed || !rows.back().empty();
        any = any || !unmaskedPartnersOf(question.number, item, i).empty();
      }
      relation.hiddenByMask = relation.hiddenByMask || (any && !allowed);
      const AnswersOfItem& answers = items_[static_cast<std::size_t>(item)];
      if (answers.partners[question.number].empty() && relation.whyNone.empty()) {
        relation.whyNone = answers.whyNone;
      }
    }
    return relation;
  }

 private:
  std::vector<Index> unmaskedPartnersOf(std::size_t question, Index item, Index i) const {
    const auto& places = items_[static_cast<std::size_t>(item)].partners[question];
    if (document_.config.crossAttention() || i >= std::ssize(places)) return {};
    return places[static_cast<std::size_t>(i)];
  }
  std::vector<Index> partnersOf(std::size_t question, Index item, Index i) const {
    std::vector<Index> partners = unmaskedPartnersOf(question, item, i);
    const AllowedKeys allowed =
        allowedKeys(document_.config.mask, item, i, document_.config.seqLen);
    std::erase_if(partners, [&](Index j) { return !allowed(j); });
    return partners;
  }

  const Document& document_;
  std::vector<AnswersOfItem> items_;
};

bool hasLearned(const Document& document) {
  const WeightSource& source = document.weightSource;
  return source.drawn() && source.init == WeightInit::learned &&
         trainingDomainOf(*document.source).has_value();
}

void addPartners(DeclaredRelation& to, const DeclaredRelation& of) {
  for (std::size_t item = 0; item < of.partners.size(); ++item) {
    for (std::size_t i = 0; i < of.partners[item].size(); ++i) {
      std::vector<Index>& all = to.partners[item][i];
      all.insert(all.end(), of.partners[item][i].begin(), of.partners[item][i].end());
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
    }
  }
}

std::vector<AskedQuestion> questionsAsked(Index head, const Document& document) {
  const std::vector<AskedQuestion> all = questionsOf(trainingDomainOf(document));
  std::vector<AskedQuestion> asked;
  for (const std::size_t each : askedOfHead(head, document.config)) asked.push_back(all[each]);
  return asked;
}

DeclaredRelation ofSeveral(const std::vector<AskedQuestion>& questions,
                           const std::vector<DeclaredRelation>& all) {
  DeclaredRelation relation = all[questions.front().number];
  if (questions.size() == 1) return relation;
  relation.name = titleOf(questions);
  for (const AskedQuestion& question : questions) {
    relation.parts.push_back(all[question.number]);
    addPartners(relation, relation.parts.back());
  }
  return relation;
}

}  // namespace

std::string titleOf(const std::vector<AskedQuestion>& questions) {
  std::vector<std::string_view> titles, names;
  for (const AskedQuestion& question : questions) {
    titles.push_back(question.title);
    names.push_back(question.name);
  }
  if (titles.size() <= 2) return fmt::format("{}", fmt::join(titles, " + "));
  if (titles.size() == kLayerQuestions) return "all eight questions";
  return fmt::format("{} questions: {}", titles.size(), fmt::join(names, ", "));
}

std::vector<TrainedFor> trainedFor(const Document& document) {
  if (!hasLearned(document)) return {};
  std::vector<TrainedFor> heads;
  for (Index head = 0; head < document.config.numHeads; ++head) {
    const std::vector<AskedQuestion> questions = questionsAsked(head, document);
    TrainedFor& of = heads.emplace_back(TrainedFor{titleOf(questions), {}});
    for (const AskedQuestion& question : questions) {
      of.asked.push_back(fmt::format("{}: {}", question.title, question.words));
    }
  }
  return heads;
}

DeclaredRelations trainedRelations(const Document& document) {
  if (!hasLearned(document)) return {};
  const AnswersInDocument answers(document);
  std::vector<DeclaredRelation> all;
  for (const AskedQuestion& each : questionsOf(trainingDomainOf(document))) {
    all.push_back(answers.relation(each));
  }
  DeclaredRelations relations;
  for (Index head = 0; head < document.config.numHeads; ++head) {
    const std::vector<AskedQuestion> questions = questionsAsked(head, document);
    relations.push_back(questions.empty() ? std::optional<DeclaredRelation>()
                                          : ofSeveral(questions, all));
  }
  return relations;
}

}  // namespace headscope::training
