// How this was learned: the questions and data that heads were trained on, how their answers are
// read, the heads' limits, and where each head looks on sentences that training did not use.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/effects.h"
#include "app/ui/heads/figures.h"
#include "app/ui/parts/table.h"
#include "app/ui/widgets.h"
#include "core/training/head_roles.h"
#include "core/training/learned_layer.h"

namespace headscope::ui {
namespace {

using training::AskedQuestion;
using training::HeadRoles;

constexpr Index kHeldOut = 200;            // sentences or series that training did not use
constexpr Index kMostColumns = 16;         // with more heads, no head has its own column
constexpr float kQuestionColumn = 142.0F;  // points
constexpr float kWordsColumn = 190.0F;
constexpr float kFigureColumn = 44.0F;  // with the gap between columns

Computed<HeadRoles> heldOutRoles(const PanelContext& panel) {
  const Trace& trace = panel.trace;
  const Fingerprint key("roles of heads", trace.revision(TensorId::wQ),
                        trace.revision(TensorId::wK), trace.revision(TensorId::bQ),
                        trace.revision(TensorId::bK), trace.config().scale,
                        trace.config().temperature, trace.config().numHeads);
  return panel.computations.want<HeadRoles>("roles of heads", key, When::atRest, [&] {
    return
        [trace = panel.traceHeld](const std::atomic<bool>& cancelled) -> std::optional<HeadRoles> {
          const Document& d = trace->document();
          const TrainingDomain domain = trainingDomainOf(d);
          const ExecutionContext execution{.cancelled = &cancelled};
          HeadRoles roles =
              domain.series()
                  ? training::measureRoles(d.weights, d.config,
                                           training::heldOutSeries(kHeldOut, domain.channels),
                                           execution)
                  : training::measureRoles(d.weights, d.config,
                                           training::heldOutSentences(kHeldOut), execution);
          if (cancelled) return std::nullopt;
          return roles;
        };
  });
}

bool isAsked(Index head, const AskedQuestion& question, const AttentionConfig& config) {
  const auto asked = training::askedOfHead(head, config);
  return std::find(asked.begin(), asked.end(), question.number) != asked.end();
}

std::string commandFor(const Document& document) {
  const AttentionConfig& c = document.config;
  std::string text = fmt::format("headscope learn --d-model {} --heads {}", c.dModel, c.numHeads);
  const TrainingDomain domain = trainingDomainOf(document);
  if (domain.series()) text += fmt::format(" --channels {}", domain.channels);
  if (c.numKvHeads != c.numHeads) text += fmt::format(" --kv-heads {}", c.numKvHeads);
  if (!c.dKDivides()) text += fmt::format(" --head-dim {}", c.dK());
  if (!c.bias) text += " --no-bias";
  return text + fmt::format(" --seed {} --out learned.safetensors", document.weightSource.seed);
}

void paragraph(const FrameContext& look, const char* title, const std::string& text) {
  wrappedLabel(look.fonts.small, look.theme.accentText, title);
  wrappedLabel(look.fonts.small, look.theme.text, text);
  ImGui::Dummy({0.0F, look.space.thin});
}

/// Returns a sentence about the question that the heads trained for it answer worst.
std::string leastSure(const HeadRoles& roles, const Document& document) {
  const AttentionConfig& config = document.config;
  const std::vector<AskedQuestion> all = training::questionsOf(trainingDomainOf(document));
  const AskedQuestion* least = nullptr;
  double lowest = 1.0;
  for (const AskedQuestion& question : all) {
    double best = 0.0;
    for (Index head = 0; head < config.numHeads; ++head) {
      if (!isAsked(head, question, config)) continue;
      best = std::max(best, roles.onPartners[static_cast<std::size_t>(head)][question.number]);
    }
    if (least != nullptr && best >= lowest) continue;
    least = &question;
    lowest = best;
  }
  return fmt::format("Least sure: {}, {:.2f} of the weight on the answer.", least->title, lowest);
}

void wordsOfSentences(const PanelContext& panel, const HeadRoles* roles,
                      const training::LearningSettings& settings) {
  const FrameContext& look = panel.look;
  const Document& d = panel.trace.document();
  paragraph(look, "What it was asked",
            "Of every word of a sentence the eight questions of the table. \"None\" is an answer "
            "too, for words that have none.");
  paragraph(
      look, "On what",
      fmt::format("{} steps of {} sentences, from seed {}: made up along a grammar over the "
                  "English words of the lexicon, {} to {} words long, with adjectives, relative "
                  "clauses, prepositions, negations and pronouns. Who does what in them is drawn, "
                  "so it has learned their form, and nothing of the world.",
                  settings.steps, settings.batch, d.weightSource.seed, training::kShortestSentence,
                  training::kLongestSentence));
  paragraph(
      look, "How it is read",
      "Each question reads a part of the columns of the heads side by side, through W_O and "
      "W_V as they were at the start. That sets which head has which question. Where the "
      "head looks for the answer is learned, in W_Q and W_K, from a random start. Two penalties "
      "keep the scores of ordinary size, so that weights stay soft.");
  paragraph(look, "What it cannot do",
            "A single layer knows a pronoun and the nouns before it, and not what is said of "
            "them: whether “it” was too wide or too tired, it cannot tell, and it was taught to "
            "share its weight out to the first two nouns. A word without an answer looks somewhere "
            "all the same. Of other sentences than those of the grammar, and other languages, it "
            "was asked nothing." +
                (roles != nullptr ? " " + leastSure(*roles, d) : std::string()));
}

void wordsOfSeries(const PanelContext& panel, const HeadRoles* roles,
                   const training::LearningSettings& settings) {
  const FrameContext& look = panel.look;
  const Document& d = panel.trace.document();
  paragraph(look, "What it was asked",
            fmt::format("Of every time step {} questions, those of the table. \"None\" is an "
                        "answer too, for steps that have none. What a spike and the change point "
                        "are is what the columns of X flag, where they have room for that.",
                        training::kLayerQuestions));
  paragraph(
      look, "On what",
      fmt::format("{} steps of {} series, from seed {}: made-up readings of as many channels "
                  "({}), {} to {} time steps long: noise about a level, some with a trend, a "
                  "change of level, spikes.",
                  settings.steps, settings.batch, d.weightSource.seed, settings.domain.channels,
                  training::kShortestWindow, training::kLongestWindow));
  paragraph(look, "How it is read",
            "Each question reads a part of the columns of the heads side by side, through W_O and "
            "W_V, which stay as they were drawn. That sets which head has which question. Where "
            "the head looks for the answer is learned, in W_Q and W_K, from a random start. Two "
            "penalties keep the scores of ordinary size, so that weights stay soft.");
  paragraph(look, "What it cannot do",
            fmt::format("Of series longer than {} steps it was asked nothing: their weights are "
                        "spread over more keys. It knows the first channel from the others by its "
                        "place alone, and what the readings mean not at all. A step without an "
                        "answer looks somewhere all the same.{}{}",
                        training::kLongestWindow, roles != nullptr ? " " : "",
                        roles != nullptr ? leastSure(*roles, d) : std::string()));
}

void howWords(const PanelContext& panel, const HeadRoles* roles) {
  const FrameContext& look = panel.look;
  const Document& d = panel.trace.document();
  const training::LearningSettings settings = training::usualSettings(trainingDomainOf(d));
  if (d.weightsEdited) {
    wrappedLabel(look.fonts.small, look.theme.bad,
                 "Weights were edited since: the numbers are of them as they are now.");
  }
  if (settings.domain.series()) {
    wordsOfSeries(panel, roles, settings);
  } else {
    wordsOfSentences(panel, roles, settings);
  }
}

void howCommand(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const std::string command = commandFor(panel.trace.document());
  wrappedLabel(look.fonts.small, look.theme.accentText, "How to make it anew");
  wrappedLabel(look.fonts.monoSmall, look.theme.text, command);
  if (pill(look, "copy the command")) {
    ImGui::SetClipboardText(command.c_str());
    panel.edits.say("copied: " + command);
  }
}

/// Draws a table with a row per question: each head's mean weight on the answers, on sentences that
/// training did not use.
void rolesTable(const PanelContext& panel, const HeadRoles* roles, float height) {
  const FrameContext& look = panel.look;
  const Theme& t = look.theme;
  const AttentionConfig& c = panel.trace.config();
  const bool all = c.numHeads <= kMostColumns;
  const float figures = kFigureColumn * static_cast<float>(all ? c.numHeads : 0);
  const bool asWords =
      ImGui::GetContentRegionAvail().x > look.px(kQuestionColumn + kWordsColumn + figures);
  std::vector<TableColumn> columns{
      {"question", "what the head is trained for", false, kQuestionColumn, 0.0F, false}};
  if (asWords) {
    const bool series = trainingDomainOf(panel.trace.document()).series();
    columns.push_back(
        {series ? "asked of every step" : "asked of every word",
         series ? "what it is to find in the series" : "what it is to find in the sentence", false,
         kWordsColumn, 0.0F, false});
  }
  for (Index head = 0; all && head < c.numHeads; ++head) {
    columns.push_back({fmt::format("{}", head + 1),
                       fmt::format("head {}: its weight on the answers, in the mean", head + 1),
                       true, 30.0F, 0.0F, false});
  }
  if (!all) {
    columns.push_back({"by the heads that were asked", "the weight on the answers, in the mean",
                       false, 200.0F, 1.0F, false});
  }
  TableSetting setting{"roles", height};
  setting.rows = static_cast<Index>(training::kLayerQuestions);
  Table table(look, setting, std::move(columns));
  for (const AskedQuestion& question :
       training::questionsOf(trainingDomainOf(panel.trace.document()))) {
    const std::size_t q = question.number;
    table.row(static_cast<Index>(q));
    table.text(question.title);
    if (asWords) table.text(question.words, t.textMuted);
    std::string asked;
    for (Index head = 0; head < c.numHeads; ++head) {
      const auto h = static_cast<std::size_t>(head);
      const std::string value = roles == nullptr || h >= roles->onPartners.size()
                                    ? "…"
                                    : fmt::format("{:.2f}", roles->onPartners[h][q]);
      const bool own = isAsked(head, question, c);
      if (all) table.number(value, own ? headColor(t, h) : t.textMuted);
      if (own) asked += fmt::format("{}head {}: {}", asked.empty() ? "" : ", ", head + 1, value);
    }
    if (!all) table.text(asked);
  }
}

class HowLearnedTab final : public Card {
 public:
  HowLearnedTab()
      : Card({"how-learned", "How this was learned",
              "What learned heads were asked, on what, and what they cannot do", 0, true,
              "what the heads were asked, on what, and what they cannot do"}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    if (!headsAreTrained(panel)) return notLearned(panel);
    const auto found = heldOutRoles(panel);
    Rect room = Rect::rest();
    const Rect left = room.cutLeft(room.width() * 0.44F, look.space.wide);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.space.medium, look.space.thin));
    beginPart("how words", left.size());
    howWords(panel, found.current);
    howCommand(panel);
    ImGui::EndChild();
    ImGui::SetCursorScreenPos(room.a);
    beginPart("how table", room.size());
    const bool series = trainingDomainOf(panel.trace.document()).series();
    wrappedLabel(look.fonts.small, look.theme.text,
                 fmt::format("The weight that a {}'s answers get together, in the mean over {} {} "
                             "that it never saw, by head; in colour, the heads that were asked.",
                             series ? "step" : "word", kHeldOut, series ? "series" : "sentences"));
    if (found.current == nullptr) {
      const bool failed = !found.problem.empty();
      label(look.fonts.small, failed ? look.theme.bad : look.theme.textMuted,
            failed ? found.problem : "measuring …");
    }
    rolesTable(panel, found.current, ImGui::GetContentRegionAvail().y);
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }

 private:
  static void notLearned(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    const bool known = trainingDomainOf(*panel.document.source).has_value();
    wrappedLabel(look.fonts.regular, look.theme.textMuted,
                 known ? "The weights shown were not learned here."
                       : "The weights shown were not learned here, and learned ones are for words "
                         "and series.");
    if (known && pill(look, "Take learned heads")) {
      panel.edits.push(DrawWeights{WeightInit::learned, 1});
    }
  }
};

}  // namespace

std::unique_ptr<Card> makeHowLearnedTab() { return std::make_unique<HowLearnedTab>(); }

}  // namespace headscope::ui
