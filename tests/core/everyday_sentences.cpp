#include "tests/core/everyday_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "core/attention/attention_tensors.h"
#include "core/attention/run_steps.h"
#include "core/attention/weight_tensors.h"
#include "core/base/json.h"
#include "core/input/embedding.h"
#include "core/input/input.h"

namespace headscope::test {
namespace {

using training::Sentence;

std::vector<std::string> parts(const std::string& text, const std::string& separator) {
  std::vector<std::string> found;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + separator.size()) {
    end = text.find(separator, begin);
    found.push_back(text.substr(begin, end - begin));
  }
  return found;
}

/// The place of "the" or, of the second one, "the#2".
Index placeOf(const Sentence& sentence, const std::string& named) {
  const std::vector<std::string> word = parts(named, "#");
  int left = word.size() > 1 ? std::stoi(word[1]) : 1;
  for (Index i = 0; i < std::ssize(sentence.words); ++i) {
    if (sentence.words[static_cast<std::size_t>(i)] == word[0] && --left == 0) return i;
  }
  throw std::invalid_argument("no word " + named + " in the sentence");
}

}  // namespace

std::vector<Sentence> everydaySentences(const std::string& half) {
  const std::string path = std::string(HEADSCOPE_TEST_DATA) + "/everyday_sentences.json";
  std::ifstream file(path);
  const Json json = parseJson(std::string(std::istreambuf_iterator<char>(file), {}));
  std::vector<Sentence> sentences;
  for (const JsonField& entry : JsonField(json, path).at(half).items()) {
    Sentence& sentence = sentences.emplace_back();
    sentence.words = tokenize(entry.at("text").text());
    for (const training::WordQuestionInfo& question : training::wordQuestions()) {
      auto& places = sentence.partners[static_cast<std::size_t>(question.question)];
      places.resize(sentence.words.size());
      const auto pairs = entry.find(question.name);
      if (!pairs) continue;
      for (const std::string& pair : parts(pairs->text(), ", ")) {
        const std::vector<std::string> sides = parts(pair, " > ");
        auto& partners = places[static_cast<std::size_t>(placeOf(sentence, sides.at(0)))];
        for (const std::string& one : parts(sides.at(1), " | ")) {
          partners.push_back(placeOf(sentence, one));
        }
      }
    }
  }
  return sentences;
}

void PartnersFound::add(const PartnersFound& other) {
  asked += other.asked;
  right += other.right;
  weight += other.weight;
}

PartnersFound SentencesFound::all() const {
  PartnersFound sum;
  for (const PartnersFound& each : byQuestion) sum.add(each);
  return sum;
}

std::string SentencesFound::table() const {
  std::string text;
  const auto line = [&text](std::string_view name, const PartnersFound& found) {
    if (found.asked == 0) return;
    text += fmt::format("{:5} {:3} of {:3} right, mean weight {:.2f}\n", name, found.right,
                        found.asked, found.meanWeight());
  };
  for (const training::WordQuestionInfo& question : training::wordQuestions()) {
    line(question.name, byQuestion[static_cast<std::size_t>(question.question)]);
  }
  line("all", all());
  return text + missed;
}

SentencesFound partnersFound(const Weights& weights, const AttentionConfig& config,
                             const std::vector<Sentence>& sentences) {
  SentencesFound found;
  for (const Sentence& sentence : sentences) {
    AttentionConfig c = config;
    c.batch = 1;
    c.seqLen = std::ssize(sentence.words);
    const Pins none;
    AttentionTensors tensors(c, none);
    tensors.put(TensorId::x, embedText({sentence.words}, c.seqLen, c.dModel, Positions::named).x);
    for (const WeightTensor& each : kWeightTensors) tensors.put(each.id, weights.*each.tensor);
    runSteps(tensors, nullptr, {});
    std::string missed;
    for (const training::WordQuestionInfo& question : training::wordQuestions()) {
      const auto q = static_cast<std::size_t>(question.question);
      const ConstMatrixView looks =
          tensors.tensor(TensorId::weights).matrixOf(0, static_cast<Index>(q));
      for (Index i = 0; i < c.seqLen; ++i) {
        const std::vector<Index>& partners = sentence.partnersOf(question.question, i);
        if (partners.empty()) continue;
        const auto row = looks.row(i);
        const Index most = std::max_element(row.begin(), row.end()) - row.begin();
        const bool right = std::count(partners.begin(), partners.end(), most) > 0;
        PartnersFound one{1, right ? 1 : 0, 0.0};
        for (const Index j : partners) one.weight += static_cast<double>(looks(i, j));
        found.byQuestion[q].add(one);
        const auto word = [&](Index place) {
          return sentence.words[static_cast<std::size_t>(place)];
        };
        if (!right) {
          missed += fmt::format("; {} of {} looks {:.2f} at {}", question.name, word(i),
                                row[static_cast<std::size_t>(most)], word(most));
        }
      }
    }
    std::string text;
    for (const std::string& word : sentence.words) text += word + " ";
    if (!missed.empty()) found.missed += text + missed + "\n";
  }
  return found;
}

}  // namespace headscope::test
