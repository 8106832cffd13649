#include "app/cli/why_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/asked_word.h"
#include "app/cli/output.h"
#include "core/base/numbers.h"
#include "core/model/logit_parts.h"
#include "core/model/tokenized.h"

namespace headscope::cli {
namespace {
using formats::ScoreEntry;
using model::AskedScore;
using model::AskedWord;
using model::ScoreParts;
using model::Stack;
using model::WhyLevel;
using model::WhyStep;
using model::WithoutWriter;
using model::Writer;
using model::WriterKind;
using model::WrittenPart;

constexpr std::size_t kShownParts = 8, kPassedNamed = 3;

/// Parts of a level, the largest first.
template <typename Part, typename Value>
std::vector<Part> sortedBySize(std::vector<Part> parts, const Value& value) {
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [&](const Part& part) { return std::abs(value(part)); });
  return parts;
}

class Telling {
 public:
  Telling(const model::WhyChain& chain, const formats::WhyNames& names)
      : chain_(chain), names_(names) {}

  void print(std::ostream& out) const {
    out << fmt::format(
        "why {}: a chain of sums, with {} held; each level explains the part that the one before "
        "follows\n",
        questionInWords(), model::heldInWords(config(), word() != nullptr));
    for (std::size_t i = 0; i < chain_.levels.size(); ++i) {
      out << '\n' << i + 1 << "  ";
      printLevel(out, i);
    }
    out << "\nwithout it: the change of the number at the top, or of the score last reached, where "
           "a "
           "part adds nothing and all that follows runs again\n"
        << fmt::format(
               "layers, heads and places count from 1 here, from 0 in flags and JSON\nto follow "
               "other parts, change these steps: --follow \"{}\"\n",
               model::textOf(chain_.steps));
  }

 private:
  const model::ModelConfig& config() const { return chain_.trace->config(); }
  const model::ModelTrace& pass(Stack stack) const { return passOf(*chain_.trace, stack); }
  const AskedWord* word() const { return std::get_if<AskedWord>(&chain_.question); }

  std::string placeInWords(Index place, Stack stack) const {
    const model::ModelInput& input = pass(stack).document().input;
    return fmt::format("“{}” ({} {})", nameAt(input, place, names_.of(stack).get()),
                       stack == Stack::encoder ? "place of the source" : "place", place + 1);
  }
  std::string headInWords(HeadOfLayer head, Stack stack) const {
    return fmt::format("{}, head {}", layerInWords(config(), stack, head.layer), head.head + 1);
  }
  std::string questionInWords() const {
    if (const AskedWord* asked = word()) {
      return fmt::format("{} {} {}", inWords(*asked, config(), names_.text),
                         config().causal ? "after" : "at",
                         placeInWords(asked->row, Stack::decoder));
    }
    const AskedScore& asked = std::get<AskedScore>(chain_.question);
    const Stack keys = keysOf(*chain_.trace, asked.stack, asked.head.layer);
    return fmt::format("{} looks from {} at {}", headInWords(asked.head, asked.stack),
                       placeInWords(asked.query, asked.stack), placeInWords(asked.key, keys));
  }
  /// The number at the top, or the one last reached.
  const char* whole(const WhyLevel& level) const {
    return level.reached ? inWords(*level.reached) : root();
  }
  const char* root() const {
    if (word() == nullptr) return "score";
    return word()->other ? "difference" : "logit";
  }
  /// The part that the chain follows from a level; null after the last one.
  const WhyStep* stepFrom(std::size_t level) const {
    return level < chain_.steps.size() ? &chain_.steps[level] : nullptr;
  }
  /// ", 24 % of the logit".
  std::string shareSoFar(const WhyLevel& level) const {
    const std::string shares = sharesInWords(level, root());
    return shares.empty() ? shares : ", " + shares;
  }
  static std::string withoutCell(const std::vector<WithoutWriter>& all, const Writer& writer) {
    const auto found = std::ranges::find(all, writer, &WithoutWriter::writer);
    return found == all.end() ? std::string() : fmt::format("{:+.4f}", found->total);
  }

  void printLevel(std::ostream& out, std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    if (level.parts) return printParts(out, i);
    if (level.sources) return printSources(out, i);
    if (level.neurons) return printNeurons(out, i);
    printScore(out, i);
  }

  void printParts(std::ostream& out, std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    const WhyStep* follows = stepFrom(i);
    const std::string place = placeInWords(level.reading.place, level.reading.stack);
    out << fmt::format(
        "{}: {} parts, sum {:+.4f} = {:+.4f}{}\n",
        level.neuron ? drivenInWords(*level.neuron, place) : "what wrote at " + place,
        withThousands(std::ssize(*level.parts)), level.sum, level.value, shareSoFar(level));
    const auto parts =
        sortedBySize(*level.parts, [](const WrittenPart& part) { return part.value; });
    TextTable table({Align::left, Align::right, Align::right, Align::right, Align::left});
    table.add({"   part", "adds", "share", "without it", ""});
    for (std::size_t j = 0; j < std::min(kShownParts, parts.size()); ++j) {
      const bool next = follows != nullptr && parts[j] == writerFollowed(level, *follows);
      table.add({"   " + inWords(parts[j], config()), fmt::format("{:+.4f}", parts[j].value),
                 model::percentOf(parts[j].value, level.value),
                 withoutCell(chain_.without[i].parts, parts[j]), next ? "followed" : ""});
    }
    addRest(
        table, parts, [](const WrittenPart& part) { return part.value; }, 1, 5);
    table.print(out);
    printPassed(out, i);
  }

  /// "what drives neuron 13, gate, at “cat” (place 2) (the larger; up is +0.1200)".
  static std::string drivenInWords(const model::PreActivation& neuron, const std::string& place) {
    std::string words = fmt::format("what drives {} at {}", inWords(neuron), place);
    if (!neuron.other) return words;
    const bool ofGate = neuron.of.side == model::NeuronSide::gate;
    return fmt::format("{} ({}{} is {:+.4f})", words, neuron.chosen ? "" : "the larger product; ",
                       ofGate ? "up" : "gate", *neuron.other);
  }

  /// Says what networks wrote, and names larger parts that the chain does not follow.
  void printPassed(std::ostream& out, std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    if (const double networks = partOfNetworks(level); networks != 0.0) {
      out << fmt::format("   {}: {:+.4f} ({})\n",
                         level.score ? "all pairs with a network" : "all that networks wrote",
                         networks, model::percentOf(networks, level.value));
    }
    if (stepFrom(i) == nullptr) return;
    const auto passed = passedOver(chain_.levels[i], *stepFrom(i));
    if (passed.empty()) return;
    std::string names;
    for (std::size_t j = 0; j < std::min(kPassedNamed, passed.size()); ++j) {
      names += fmt::format("{}{}{} {:+.4f}", j > 0 ? "; " : "", inWords(passed[j].writer, config()),
                           passed[j].key ? " × " + inWords(*passed[j].key, config()) : "",
                           passed[j].value);
    }
    const std::size_t more = passed.size() - std::min(kPassedNamed, passed.size());
    out << fmt::format(
        "   passed over, though larger: {}{}\n", names,
        more > 0 ? fmt::format("; {} more", withThousands(static_cast<Index>(more))) : "");
  }

  void printSources(std::ostream& out, std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    const model::HeadSources& sources = *level.sources;
    const WhyStep* follows = stepFrom(i);
    const Stack stack = level.reading.stack;
    out << fmt::format("{} at {}, token by token: sum {:+.4f} = {:+.4f}{}\n",
                       headInWords(sources.head, stack), placeInWords(level.reading.place, stack),
                       level.sum, level.value, shareSoFar(level));
    std::vector<Index> order(sources.values.size());
    std::iota(order.begin(), order.end(), Index{0});
    const auto valueAt = [&](Index j) { return sources.values[static_cast<std::size_t>(j)]; };
    order = sortedBySize(std::move(order), valueAt);
    TextTable table({Align::left, Align::right, Align::right, Align::right, Align::left});
    table.add({"   token", "weight", "adds", "share", ""});
    for (std::size_t j = 0; j < std::min(kShownParts, order.size()); ++j) {
      const Index place = order[j];
      table.add({"   " + placeInWords(place, sources.tokens),
                 fmt::format("{:.3f}", sources.weights[static_cast<std::size_t>(place)]),
                 fmt::format("{:+.4f}", valueAt(place)),
                 model::percentOf(valueAt(place), level.value),
                 follows != nullptr && follows->source == place ? "followed" : ""});
    }
    addRest(table, order, valueAt, 2, 5);
    table.print(out);
    printWithout(out, i, "head");
  }

  void printNeurons(std::ostream& out, std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    const Stack stack = level.reading.stack;
    const Writer network{WriterKind::feedForward, level.neurons->layer, -1, stack};
    out << fmt::format("{} at {}, neuron by neuron: sum {:+.4f} = {:+.4f}{}\n",
                       inWords(network, config()), placeInWords(level.reading.place, stack),
                       level.sum, level.value, shareSoFar(level));
    const auto valueOf = [](const model::Neuron& neuron) { return neuron.value; };
    const auto neurons = sortedBySize(level.neurons->neurons, valueOf);
    const WhyStep* follows = stepFrom(i);
    TextTable table({Align::left, Align::right, Align::right, Align::right, Align::left});
    table.add({"   neuron", "activation", "adds", "share", ""});
    for (std::size_t j = 0; j < std::min(kShownParts, neurons.size()); ++j) {
      table.add({"   " + inWords(neurons[j]), fmt::format("{:.3f}", neurons[j].activation),
                 fmt::format("{:+.4f}", neurons[j].value),
                 model::percentOf(neurons[j].value, level.value),
                 follows != nullptr && follows->neuron.number == neurons[j].number &&
                         follows->neuron.expert == neurons[j].expert
                     ? "followed"
                     : ""});
    }
    addRest(table, neurons, valueOf, 2, 5);
    if (level.neurons->bias != 0.0) {
      table.add({"   biases", "", fmt::format("{:+.4f}", level.neurons->bias),
                 model::percentOf(level.neurons->bias, level.value), ""});
    }
    table.print(out);
    printWithout(out, i, "network");
  }

  void printWithout(std::ostream& out, std::size_t i, const char* what) const {
    const auto& without = chain_.without[i].followed;
    if (!without) return;
    out << fmt::format(
        "   without this part: {:+.4f}, {} held; without all that the {} gives here, and what "
        "follows run again, the {} changes by {:+.4f}\n",
        without->frozen, model::heldInWords(config(), !chain_.levels[i].reached), what,
        whole(chain_.levels[i]), without->total);
  }

  void printScore(std::ostream& out, std::size_t i) const {
    const WhyLevel& level = chain_.levels[i];
    const ScoreParts& score = *level.score;
    const Stack keys = keysOf(*chain_.trace, score.stack, score.head.layer);
    out << fmt::format("why {} looks from {} at {}: score {:+.4f}, sum of {} pairs",
                       headInWords(score.head, score.stack), placeInWords(score.query, score.stack),
                       placeInWords(score.key, keys), score.score,
                       withThousands(score.values.rows * score.values.cols));
    if (score.bias != 0.0) {
      out << fmt::format(" {} {:.4f} for the places", score.bias < 0.0 ? "minus" : "plus",
                         std::abs(score.bias));
    }
    out << fmt::format(" {:+.4f}\n", score.sum);
    if (const auto sums = contentAndPosition(score)) {
      out << fmt::format(
          "   content {:+.4f}, content with position {:+.4f}, position "
          "{:+.4f}\n",
          sums->content, sums->mixed, sums->position);
    }
    if (const std::string shares = sharesInWords(level, root()); !shares.empty()) {
      out << fmt::format("   this token gives {}; the shares that follow are of this score\n",
                         shares);
    }
    printPairs(out, formats::sortedEntries(score), chain_.without[i].pairs, stepFrom(i));
    printPassed(out, i);
    printSide(out, "query's writer", partsOfQuery(score), chain_.without[i].queries);
    printSide(out, "key's writer", partsOfKey(score), chain_.without[i].keys);
  }

  void printPairs(std::ostream& out, const std::vector<ScoreEntry>& entries,
                  const std::vector<model::WithoutPair>& without, const WhyStep* follows) const {
    TextTable table({Align::left, Align::left, Align::right, Align::right, Align::left});
    table.add({"   query's writer", "key's writer", "adds",
               without.empty() ? "" : "without the pair", ""});
    for (std::size_t j = 0; j < std::min(kShownParts, entries.size()); ++j) {
      const ScoreEntry& entry = entries[j];
      const bool next =
          follows != nullptr && follows->query == entry.query && follows->key == entry.key;
      const auto* measured = changeWithout(without, entry.query, entry.key);
      table.add({"   " + inWords(entry.query, config()), inWords(entry.key, config()),
                 fmt::format("{:+.4f}", entry.value),
                 measured == nullptr ? "" : fmt::format("{:+.4f}", measured->total),
                 next ? "followed" : ""});
    }
    addRest(
        table, entries, [](const ScoreEntry& entry) { return entry.value; }, 2, 5);
    table.print(out);
  }

  /// Prints the sums over one side of a score, and the changes without each.
  void printSide(std::ostream& out, const char* title, const std::vector<WrittenPart>& all,
                 const std::vector<WithoutWriter>& without) const {
    constexpr std::size_t kOfSide = 4;
    const auto parts = sortedBySize(all, [](const WrittenPart& part) { return part.value; });
    TextTable table({Align::left, Align::right, Align::right});
    table.add({fmt::format("   {}, with all of the other side", title), "adds", "without it"});
    for (std::size_t j = 0; j < std::min(kOfSide, parts.size()); ++j) {
      table.add({"   " + inWords(parts[j], config()), fmt::format("{:+.4f}", parts[j].value),
                 withoutCell(without, parts[j])});
    }
    addRest(
        table, parts, [](const WrittenPart& part) { return part.value; }, 1, 3, kOfSide);
    table.print(out);
  }

  /// Adds a row of so many cells for the parts that are not shown, with their sum in a column.
  template <typename Part, typename Value>
  static void addRest(TextTable& table, const std::vector<Part>& parts, const Value& value,
                      std::size_t column, std::size_t cellCount, std::size_t shown = kShownParts) {
    if (parts.size() <= shown) return;
    double rest = 0.0;
    for (std::size_t j = shown; j < parts.size(); ++j) rest += value(parts[j]);
    std::vector<std::string> cells(cellCount);
    const std::size_t left = parts.size() - shown;
    cells.front() =
        fmt::format("   {} other{}", withThousands(static_cast<Index>(left)), left == 1 ? "" : "s");
    cells[column] = fmt::format("{:+.4f}", rest);
    table.add(std::move(cells));
  }

  const model::WhyChain& chain_;
  const formats::WhyNames& names_;
};

}  // namespace

void printWhy(std::ostream& out, const model::WhyChain& chain, const formats::WhyNames& names) {
  Telling(chain, names).print(out);
}

}  // namespace headscope::cli
