#include "core/training/trained_relations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "core/training/learned_layer.h"

namespace headscope::training {
namespace {

constexpr const char* kNotRead = "the sentence is not of the grammar that it learned";
constexpr const char* kOtherSentence =
    "it was asked about words of one sentence, and the keys are those of another";

/// The answers to a question in each item of a document, as far as the mask lets a query see them.
class AnswersInText {
 public:
  explicit AnswersInText(const Document& document) : document_(document) {
    for (const auto& tokens : document.input->tokens) {
      const auto end = std::find(tokens.begin(), tokens.end(), "");
      const std::vector<std::string> words(tokens.begin(), end);  // padding left out
      lengths_.push_back(std::ssize(words));
      sentences_.push_back(readSentence(words));
    }
  }

  DeclaredRelation relation(WordQuestion question) const {
    DeclaredRelation relation;
    relation.name = info(question).title;
    relation.trained = true;
    if (document_.config.crossAttention()) relation.whyNone = kOtherSentence;
    for (Index item = 0; item < document_.config.batch; ++item) {
      auto& rows = relation.partners.emplace_back();
      for (Index i = 0; i < document_.config.seqLen; ++i) {
        rows.push_back(partnersOf(question, item, i));
      }
      const bool known = sentences_[static_cast<std::size_t>(item)].has_value();
      if (!known && question != WordQuestion::previous && relation.whyNone.empty()) {
        relation.whyNone = kNotRead;
      }
    }
    return relation;
  }

 private:
  std::vector<Index> partnersOf(WordQuestion question, Index item, Index i) const {
    if (document_.config.crossAttention() || i >= lengths_[static_cast<std::size_t>(item)]) {
      return {};
    }
    const auto& sentence = sentences_[static_cast<std::size_t>(item)];
    std::vector<Index> partners;
    if (question == WordQuestion::previous) {
      if (i > 0) partners = {i - 1};
    } else if (sentence) {
      partners = sentence->partnersOf(question, i);
    }
    const AllowedKeys allowed =
        allowedKeys(document_.config.mask, item, i, document_.config.seqLen);
    std::erase_if(partners, [&](Index j) { return !allowed(j); });
    return partners;
  }

  const Document& document_;
  std::vector<Index> lengths_;
  std::vector<std::optional<Sentence>> sentences_;
};

bool learnedWords(const Document& document) {
  const WeightSource& source = document.weightSource;
  return source.drawn() && source.init == WeightInit::learned &&
         std::holds_alternative<TextSource>(*document.source);
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

DeclaredRelation ofSeveral(const std::vector<WordQuestion>& questions,
                           const std::vector<DeclaredRelation>& all) {
  const auto of = [&](WordQuestion question) { return all[static_cast<std::size_t>(question)]; };
  DeclaredRelation relation = of(questions.front());
  if (questions.size() == 1) return relation;
  relation.name = titleOf(questions);
  for (const WordQuestion question : questions) {
    relation.parts.push_back(of(question));
    addPartners(relation, relation.parts.back());
  }
  return relation;
}

}  // namespace

std::string titleOf(const std::vector<WordQuestion>& questions) {
  std::vector<std::string_view> titles, names;
  for (const WordQuestion question : questions) {
    titles.push_back(info(question).title);
    names.push_back(info(question).name);
  }
  if (titles.size() <= 2) return fmt::format("{}", fmt::join(titles, " + "));
  if (titles.size() == kWordQuestions) return "all eight questions";
  return fmt::format("{} questions: {}", titles.size(), fmt::join(names, ", "));
}

std::vector<TrainedFor> trainedFor(const Document& document) {
  if (!learnedWords(document)) return {};
  std::vector<TrainedFor> heads;
  for (Index head = 0; head < document.config.numHeads; ++head) {
    const std::vector<WordQuestion> questions = questionsOfHead(head, document.config);
    TrainedFor& of = heads.emplace_back(TrainedFor{titleOf(questions), {}});
    for (const WordQuestion question : questions) {
      of.asked.push_back(fmt::format("{}: {}", info(question).title, info(question).words));
    }
  }
  return heads;
}

DeclaredRelations trainedRelations(const Document& document) {
  if (!learnedWords(document)) return {};
  const AnswersInText answers(document);
  std::vector<DeclaredRelation> all;
  for (const WordQuestionInfo& each : wordQuestions()) {
    all.push_back(answers.relation(each.question));
  }
  DeclaredRelations relations;
  for (Index head = 0; head < document.config.numHeads; ++head) {
    const std::vector<WordQuestion> questions = questionsOfHead(head, document.config);
    relations.push_back(questions.empty() ? std::optional<DeclaredRelation>()
                                          : ofSeveral(questions, all));
  }
  return relations;
}

}  // namespace headscope::training
