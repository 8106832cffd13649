// The steps of a chain, and the score that it begins with, as a short text, for sessions and the
// command line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <optional>

#include "core/base/error.h"
#include "core/model/why.h"

namespace headscope::model {
namespace {

bool isDigit(char letter) { return letter >= '0' && letter <= '9'; }

struct WriterCode {
  WriterKind kind;
  char letter;
  bool layer, head;  // the numbers that follow
};
constexpr std::array kWriterCodes{
    WriterCode{WriterKind::token, 't', false, false},
    WriterCode{WriterKind::position, 'p', false, false},
    WriterCode{WriterKind::head, 'h', true, true},
    WriterCode{WriterKind::attentionBias, 'o', true, false},
    WriterCode{WriterKind::feedForward, 'f', true, false},
    WriterCode{WriterKind::steering, 'g', true, false},
    WriterCode{WriterKind::biases, 'b', false, false},
    WriterCode{WriterKind::relativePosition, 'r', false, false},
};

/// Reads a text from left to right.
class Reading {
 public:
  /// `problem`: the message about another text, with {} in its place.
  Reading(std::string_view text, const char* problem)
      : whole_(text), left_(text), problem_(problem) {}

  bool ended() const { return left_.empty(); }
  bool take(char letter) {
    if (left_.empty() || left_.front() != letter) return false;
    left_.remove_prefix(1);
    return true;
  }
  void require(char letter) {
    if (!take(letter)) fail();
  }
  Index number() {
    Index value = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc() || value < 0) fail();
    left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
    return value;
  }
  /// "h1.2", "1.2", "L1H2" or "l1h2"; nothing where none begins here.
  std::optional<HeadOfLayer> head() {
    if (left_.empty()) return std::nullopt;
    const bool letters = left_.front() == 'L' || left_.front() == 'l';
    if (!letters && left_.front() != 'h' && !isDigit(left_.front())) return std::nullopt;
    if (letters || left_.front() == 'h') left_.remove_prefix(1);
    HeadOfLayer found;
    found.layer = number();
    if (!letters || !take('h')) require(letters ? 'H' : '.');
    found.head = number();
    return found;
  }
  Writer writer() {
    const Stack stack = take('e') ? Stack::encoder : Stack::decoder;
    if (const auto found = head()) return {WriterKind::head, found->layer, found->head, stack};
    for (const WriterCode& code : kWriterCodes) {
      if (!take(code.letter)) continue;
      Writer writer{code.kind, -1, -1, stack};
      if (code.layer) writer.layer = number();
      return writer;
    }
    fail();
  }
  [[noreturn]] void fail() const { throw UserError(fmt::format(fmt::runtime(problem_), whole_)); }

 private:
  std::string_view whole_, left_;
  const char* problem_;
};

constexpr const char* kNoSteps =
    "“{}” is no chain of steps: write steps with spaces between, such as h1.2 s10 k:t:h0.3 v9 "
    "(head 1.2, the score of place 10, along the key's writer, the value of place 9)";
constexpr const char* kNoScore =
    "“{}” is no score: write head, query and key, all from 0, as in h1.2:5:3";

/// "1.13", "1.e2.13g": a neuron, after the letter n.
AskedNeuron neuronOf(Reading& text) {
  AskedNeuron neuron{text.number()};
  text.require('.');
  if (text.take('s')) {
    neuron.expert = Neuron::kShared;
    text.require('.');
  } else if (text.take('e')) {
    neuron.expert = text.number();
    text.require('.');
  }
  neuron.number = text.number();
  if (text.take('g')) {
    neuron.side = NeuronSide::gate;
  } else if (text.take('u')) {
    neuron.side = NeuronSide::up;
  }
  return neuron;
}

std::string textOf(const AskedNeuron& neuron) {
  const std::string expert = neuron.expert == Neuron::kNone ? ""
                             : neuron.expert == Neuron::kShared
                                 ? "s."
                                 : fmt::format("e{}.", neuron.expert);
  const char* side = neuron.side == NeuronSide::gate ? "g"
                     : neuron.side == NeuronSide::up ? "u"
                                                     : "";
  return fmt::format("n{}.{}{}{}", neuron.layer, expert, neuron.number, side);
}

WhyStep stepOf(Reading& text) {
  WhyStep step;
  if (const auto head = text.head()) {
    step.kind = WhyStep::Kind::head;
    step.head = *head;
  } else if (text.take('f')) {
    step.kind = WhyStep::Kind::network;
    step.head.layer = text.number();
  } else if (text.take('n')) {
    step.kind = WhyStep::Kind::neuron;
    step.neuron = neuronOf(text);
  } else if (text.take('v')) {
    step.kind = WhyStep::Kind::value;
    step.source = text.number();
  } else if (text.take('s')) {
    step.kind = WhyStep::Kind::score;
    step.source = text.number();
  } else {
    step.kind = WhyStep::Kind::entry;
    step.alongKey = text.take('k');
    if (!step.alongKey) text.require('q');
    text.require(':');
    step.query = text.writer();
    text.require(':');
    step.key = text.writer();
  }
  return step;
}

}  // namespace

std::string textOf(const Writer& writer) {
  for (const WriterCode& code : kWriterCodes) {
    if (code.kind != writer.kind) continue;
    const std::string letter =
        (writer.stack == Stack::encoder ? "e" : "") + std::string(1, code.letter);
    if (code.head) return fmt::format("{}{}.{}", letter, writer.layer, writer.head);
    return code.layer ? fmt::format("{}{}", letter, writer.layer) : letter;
  }
  return "b";
}

std::string textOf(const std::vector<WhyStep>& steps) {
  std::vector<std::string> words;
  for (const WhyStep& step : steps) {
    switch (step.kind) {
      case WhyStep::Kind::head:
        words.push_back(fmt::format("h{}.{}", step.head.layer, step.head.head));
        break;
      case WhyStep::Kind::network:
        words.push_back(fmt::format("f{}", step.head.layer));
        break;
      case WhyStep::Kind::neuron:
        words.push_back(textOf(step.neuron));
        break;
      case WhyStep::Kind::value:
        words.push_back(fmt::format("v{}", step.source));
        break;
      case WhyStep::Kind::score:
        words.push_back(fmt::format("s{}", step.source));
        break;
      case WhyStep::Kind::entry:
        words.push_back(fmt::format("{}:{}:{}", step.alongKey ? 'k' : 'q', textOf(step.query),
                                    textOf(step.key)));
        break;
    }
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<WhyStep> stepsFrom(std::string_view text) {
  std::vector<WhyStep> steps;
  Reading reading(text, kNoSteps);
  while (reading.take(' ')) continue;
  while (!reading.ended()) {
    steps.push_back(stepOf(reading));
    if (!reading.ended()) reading.require(' ');
    while (reading.take(' ')) continue;
  }
  return steps;
}

std::string textOf(const AskedScore& score) {
  const Writer head{WriterKind::head, score.head.layer, score.head.head, score.stack};
  return fmt::format("{}:{}:{}", textOf(head), score.query, score.key);
}

AskedScore askedScoreFrom(std::string_view text) {
  Reading reading(text, kNoScore);
  const Writer head = reading.writer();
  if (head.kind != WriterKind::head) reading.fail();
  AskedScore score{{head.layer, head.head}, 0, 0, head.stack};
  reading.require(':');
  score.query = reading.number();
  reading.require(':');
  score.key = reading.number();
  if (!reading.ended()) reading.fail();
  return score;
}

}  // namespace headscope::model
