// How this was learned: the questions and data that heads were trained on, how their answers are
// read, the heads' limits, and where each head looks on sentences that training did not use.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/head_purposes.h"
#include "app/ui/heads/effects.h"
#include "app/ui/heads/figures.h"
#include "app/ui/ids.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/table.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/formats/document_json.h"
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
                        trace.revision(TensorId::bK),
                        formats::wholeConfigJson(trace.config()).dump());
  return panel.computations.request<HeadRoles>("roles of heads", key, Schedule::whenIdle, [&] {
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
  std::string text = trFormat("headscope learn --d-model {} --heads {}", c.dModel, c.numHeads);
  const TrainingDomain domain = trainingDomainOf(document);
  if (domain.series()) text += trFormat(" --channels {}", domain.channels);
  if (c.numKvHeads != c.numHeads) text += trFormat(" --kv-heads {}", c.numKvHeads);
  if (!c.dKDivides()) text += trFormat(" --head-dim {}", c.dK());
  if (!c.switches->bias) text += " --no-bias";
  return text + trFormat(" --seed {} --out learned.safetensors", document.weightSource.seed);
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
  return trFormat("Least sure: {}, {:.2f} of the weight on the answer.", least->title, lowest);
}

struct Paragraph {
  const char* title;
  std::string text;
};

/// Returns what the heads were asked, on what, how it is read, and what they cannot do. `roles` may
/// be null while they are being measured.
std::vector<Paragraph> howInWords(const Document& document, const HeadRoles* roles) {
  const training::LearningSettings settings = training::usualSettings(trainingDomainOf(document));
  const bool series = settings.domain.series();
  const std::uint64_t seed = document.weightSource.seed;
  const std::string worst = roles == nullptr ? "" : " " + leastSure(*roles, document);
  return {
      {tr("What it was asked"),
       series ? trFormat("{} questions (see the table) about every time step. Where a step has no "
                         "answer to a question, “none” is right. Spikes and change points are "
                         "those that the "
                         "columns of X flag, where X has room for such columns.",
                         training::kLayerQuestions)
              : tr("Eight questions (see the table) about every word of a sentence. Where a word "
                   "has no "
                   "answer to a question, “none” is right.")},
      {tr("On what"),
       series
           ? trFormat("{} steps of {} series, from seed {}: generated readings with the same "
                      "number of channels ({}), {} to {} time steps long: noise about a level, "
                      "some with a trend, a change of level, spikes.",
                      withThousands(settings.steps), settings.batch, seed, settings.domain.channels,
                      training::kShortestWindow, training::kLongestWindow)
           : trFormat("{} steps of {} sentences, from seed {}: generated by a grammar from the "
                      "English words of the lexicon, {} to {} words long, with adjectives, "
                      "relative clauses, prepositions, negations and pronouns. Who does what is "
                      "random, so the layer has learned their form and nothing about the world.",
                      withThousands(settings.steps), withThousands(settings.batch), seed,
                      training::kShortestSentence, training::kLongestSentence)},
      {tr("How it is read"),
       trFormat("Each question reads a part of the concatenated heads, through W_O and W_V{}. "
                "This assigns questions to heads. Where a head looks for the answer is learned, "
                "in W_Q and W_K, from a random start. Two penalties keep the scores small, so "
                "that weights stay soft.",
                series ? tr(", which keep their random initial values")
                       : tr(" as they were initialised"))},
      {tr("What it cannot do"),
       (series
            ? trFormat("The layer was not trained on series longer than {} steps, where "
                       "weights spread over more keys. It tells the first channel from the "
                       "others by its position alone and knows nothing about the meaning of "
                       "the readings. A step without an answer still looks somewhere.",
                       withThousands(training::kLongestWindow))
            : tr("A single layer sees a pronoun and the nouns before it, but not what is said "
                 "about them. It cannot decide whether “it” was too wide or too tired, so it was "
                 "trained to share its weight between two nouns that it may stand for. A word "
                 "without an answer still looks somewhere. The layer was not trained on sentences "
                 "outside the grammar or on other languages.")) +
           worst}};
}

void howWords(const PanelContext& panel, const HeadRoles* roles) {
  const FrameContext& look = panel.look;
  ImFont* font = look.fonts.small;
  const Document& d = panel.trace.document();
  if (d.weightsEdited) {
    wrappedLabel(font, look.theme.bad,
                 tr("The weights were edited since. The numbers describe them as they are now."));
  }
  for (const auto& [title, text] : howInWords(d, roles)) {
    wrappedLabel(font, look.theme.accentText, title);
    wrappedLabel(font, look.theme.text, text);
    ImGui::Dummy({0.0F, look.space.thin});
  }
}

void howCommand(const PanelContext& panel) {
  const FrameContext& look = panel.look;
  const std::string command = commandFor(panel.trace.document());
  wrappedLabel(look.fonts.small, look.theme.accentText, tr("How to train it again"));
  wrappedLabel(look.fonts.monoSmall, look.theme.text, command);
  if (pill(look, tr("copy the command"))) {
    ImGui::SetClipboardText(command.c_str());
    panel.commands.say("copied: " + command);
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
      {tr("question"), tr("what the head is trained for"), false, kQuestionColumn, 0.0F, false}};
  if (asWords) {
    const bool series = trainingDomainOf(panel.trace.document()).series();
    columns.push_back({series ? tr("about every step") : tr("about every word"),
                       series ? tr("its target in the series") : tr("its target in the sentence"),
                       false, kWordsColumn, 0.0F, false});
  }
  for (Index head = 0; all && head < c.numHeads; ++head) {
    columns.push_back({fmt::format("{}", head + 1),
                       trFormat("head {}: its mean weight on the answers", head + 1), true, 30.0F,
                       0.0F, false});
  }
  if (!all) {
    columns.push_back({tr("by the heads that were trained for it"),
                       tr("the mean weight on the answers"), false, 200.0F, 1.0F, false});
  }
  TableSetting setting{"roles", height};
  setting.rows = static_cast<Index>(training::kLayerQuestions);
  Table table(look, setting, std::move(columns));
  for (const AskedQuestion& question :
       training::questionsOf(trainingDomainOf(panel.trace.document()))) {
    const std::size_t q = question.number;
    table.row(static_cast<Index>(q));
    table.text(std::string(tr(question.title)));
    if (asWords) table.text(std::string(tr(question.words)), t.textMuted);
    std::string asked;
    for (Index head = 0; head < c.numHeads; ++head) {
      const auto h = static_cast<std::size_t>(head);
      const std::string value = roles == nullptr || h >= roles->onPartners.size()
                                    ? "…"
                                    : fmt::format("{:.2f}", roles->onPartners[h][q]);
      const bool own = isAsked(head, question, c);
      if (all) table.number(value, own ? headColor(t, h) : t.textMuted);
      if (own) asked += trFormat("{}head {}: {}", asked.empty() ? "" : ", ", head + 1, value);
    }
    if (!all) table.text(asked);
  }
}

class HowLearnedTab final : public Card {
 public:
  HowLearnedTab()
      : Card({"how-learned", tr("How this was learned"),
              tr("The questions that learned heads were trained on, their training data, and their "
                 "limits"),
              0, true, tr("the heads' questions, their training data, and their limits")}) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    if (!headsAreTrained(panel.purposes)) return notLearned(panel);
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
    wrappedLabel(
        look.fonts.small, look.theme.text,
        trFormat(
            "The total weight on the answers of a {}, as the mean over {} {} outside the training "
            "data, for each head. Coloured: the heads that were trained for the question.",
            series ? tr("step") : tr("word"), kHeldOut, series ? tr("series") : tr("sentences")));
    if (found.current == nullptr) {
      waitingLabel(look, look.fonts.small, found.problem, "measuring …");
    }
    rolesTable(panel, found.current, ImGui::GetContentRegionAvail().y);
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }

 private:
  static void notLearned(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    if (headsLearnedATask(panel.purposes)) {
      wrappedLabel(look.fonts.regular, look.theme.textMuted,
                   tr("These heads learned with a task. Train shows every step of its run."));
      if (pill(look, tr("to Train"))) panel.selection.page = kTrainPage;
      return;
    }
    const bool known = trainingDomainOf(*panel.document.source).has_value();
    wrappedLabel(
        look.fonts.regular, look.theme.textMuted,
        known ? tr("The weights shown were not learned here.")
              : tr("The weights shown were not learned here. Learned weights exist for words "
                   "and series."));
    if (known && pill(look, tr("Take learned heads"))) {
      panel.commands.push(DrawWeights{WeightInit::learned, 1});
    }
  }
};

}  // namespace

std::unique_ptr<Card> makeHowLearnedTab() { return std::make_unique<HowLearnedTab>(); }

}  // namespace headscope::ui
