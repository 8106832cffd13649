// A sweep over all heads, layers or places, on one text or many: a map of the effects on the
// prediction, a table of the largest ones, and the texts on which the chosen part matters most.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/part_map.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/sweep_texts.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/numbers.h"

namespace headscope::ui {
namespace {

using model::Patch;
using model::PatchEffect;
using model::Site;
using model::SweepOver;

constexpr const char* kSweep = "sweep";  // the computation

/// A finished sweep: the effect of each part, over the texts of a set or on the page's text.
struct Swept {
  model::SweptTexts found;
  TextSet set;  // null: the page's own text
  PatchEffect base;
  std::vector<model::EffectsOverTexts::Summary> parts;

  bool many() const { return found.effects.texts() > 1; }
};

std::optional<Swept> sweptBy(const model::TextsSweep& sweep, const TextSet& set) {
  auto found = sweep.found();
  if (!found) return std::nullopt;
  Swept swept{std::move(*found), set, {}, {}};
  swept.base = swept.found.effects.base();
  for (std::size_t i = 0; i < swept.found.parts.size(); ++i) {
    swept.parts.push_back(swept.found.effects.of(i));
  }
  return swept;
}

enum class Effect { total, direct, probability, divergence, looks };
static_assert(static_cast<int>(Effect::looks) == kLooksEffect);
struct EffectText {
  const char* title;
  const char* about;
};
constexpr std::array kEffects{
    EffectText{"total", "The change of the logit, or of the difference"},
    EffectText{"direct",
               "The part of the change that reaches the logit past all later layers, with the "
               "final norm's scale as it was"},
    EffectText{"probability", "The change of the word's probability"},
    EffectText{"KL", "The divergence of the whole prediction from the present one, in nats"},
    EffectText{"looks",
               "How much each head looks, from the word that is predicted from, at the word that "
               "decides: the right word where it stands in the text, else what the corrupted text "
               "changes"}};

double valueOf(const Swept& swept, std::size_t part, Effect effect) {
  const PatchEffect& found = swept.parts[part].mean;
  switch (effect) {
    case Effect::total:
      return found.metric - swept.base.metric;
    case Effect::direct:
      return found.direct.value_or(0.0);
    case Effect::probability:
      return found.probability - swept.base.probability;
    case Effect::divergence:
      return found.divergence;
    case Effect::looks:
      return found.looks.value_or(0.0);
  }
  return 0.0;
}

std::string partInWords(const Patch& part, const std::vector<std::string>& tokens) {
  const std::string layer = fmt::format("layer {}", part.layer + 1);
  if (part.site == Site::heads) return fmt::format("{}, head {}", layer, part.head + 1);
  if (part.site == Site::q) return fmt::format("{}, queries {}", layer, part.head + 1);
  if (part.site == Site::k) return fmt::format("{}, keys {}", layer, part.head + 1);
  if (part.site == Site::v) return fmt::format("{}, values {}", layer, part.head + 1);
  if (part.site == Site::residual) {
    return fmt::format("{}, “{}”", layer, tokens[static_cast<std::size_t>(part.place)]);
  }
  return layer + (part.site == Site::attention ? ", attention" : ", FFN");
}

Index columnOf(const Patch& part) {
  if (isOfHeads(part.site)) return part.head;
  if (part.site == Site::residual) return part.place;
  return part.site == Site::attention ? 0 : 1;
}

/// Returns whether a part is one head's own; keys and values may belong to several.
bool hasHead(const Patch& part) { return part.site == Site::heads || part.site == Site::q; }

/// Selects the part in the page: its layer, and the head, the half or the place in it.
void choose(ModelView& view, const Patch& part) {
  view.layer = part.layer;
  view.prediction.sweepColumn = columnOf(part);
  if (hasHead(part)) view.head = part.head;
}

bool isChosen(const ModelView& view, const Patch& part) {
  const Index column = hasHead(part) ? view.head : view.prediction.sweepColumn;
  return part.layer == view.layer && columnOf(part) == column;
}

PartMap mapOf(const PanelContext& panel, const Swept& swept, Effect effect,
              const std::vector<std::string>& tokens, Index layers) {
  const FrameContext& look = panel.look;
  const ModelView& view = panel.modelView;
  PartMap map{"sweep map", layers, 1, {}, {}, effect != Effect::looks};
  for (std::size_t i = 0; i < swept.found.parts.size(); ++i) {
    const Patch& part = swept.found.parts[i];
    map.columns = std::max(map.columns, columnOf(part) + 1);
    const double value = valueOf(swept, i, effect);
    map.cells.push_back(
        {part.layer, columnOf(part), value,
         fmt::format("{}: {} {}", partInWords(part, tokens),
                     kEffects[static_cast<std::size_t>(effect)].title,
                     map.changes ? changeInWords(value) : fmt::format("{:.2f}", value)),
         isChosen(view, part)});
  }
  const Site site = swept.found.parts.front().site;
  map.columnName = [&look, &tokens, site](Index column, float width) {
    if (site == Site::residual) {
      return elided(look.fonts.tiny, tokens[static_cast<std::size_t>(column)],
                    width - look.space.tight);
    }
    if (isOfHeads(site)) {
      return fmt::format("{}{}", width > look.px(50) ? "head " : "", column + 1);
    }
    return std::string(column == 0 ? "attention" : "FFN");
  };
  return map;
}

std::vector<TableColumn> columnsFor(const Swept& swept) {
  std::vector<TableColumn> columns{{"part", {}, false, 110, 0, false},
                                   {"total", kEffects[0].about, true, 54, 0, false}};
  if (swept.many()) {
    columns[1].title = "mean";
    columns.push_back(
        {"±", "The standard deviation of the change over the texts", true, 54, 0, false});
  }
  columns.insert(
      columns.end(),
      {{"direct", kEffects[1].about, true, 54, 0, false},
       {"estimate", "Attribution patching: gradient × difference, exact for small changes alone",
        true, 60, 0, false},
       {"", {}, false, 40, 1, false},
       {"p", "The word's probability after the change", true, 48, 0, false},
       {"KL", kEffects[3].about, true, 48, 0, false},
       {"looks", kEffects[4].about, true, 46, 0, false}});
  return columns;
}

void table(const PanelContext& panel, const Swept& swept, Effect effect, const ColorScale& scale,
           const std::vector<std::string>& tokens, const Rect& room) {
  const FrameContext& look = panel.look;
  std::vector<std::size_t> order(swept.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return std::abs(valueOf(swept, a, effect)) > std::abs(valueOf(swept, b, effect));
  });
  const double most = std::max(1e-12, std::abs(valueOf(swept, order.front(), effect)));
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild("sweep table", room.size());
  {
    Table rows(look, {.id = "swept", .height = room.height(), .dense = true}, columnsFor(swept));
    rows.rows(std::ssize(order), [&](Index row) {
      const std::size_t i = order[static_cast<std::size_t>(row)];
      const Patch& part = swept.found.parts[i];
      const PatchEffect& found = swept.parts[i].mean;
      if (rows.row(row, isChosen(panel.modelView, part))) choose(panel.modelView, part);
      const double value = valueOf(swept, i, effect);
      rows.text(partInWords(part, tokens));
      rows.number(changeInWords(found.metric - swept.base.metric));
      if (swept.many()) rows.number(fmt::format("{:.3f}", swept.parts[i].spread));
      rows.number(found.direct ? changeInWords(*found.direct) : "–", look.theme.textMuted);
      rows.number(found.estimate ? changeInWords(*found.estimate) : "–", look.theme.textMuted);
      rows.bar(static_cast<float>(std::abs(value) / most),
               scale.color(look.maps, value < 0.0 ? -1e30F : 1e30F));
      rows.number(probabilityInWords(found.probability), look.theme.textMuted);
      rows.number(fmt::format("{:.3f}", found.divergence), look.theme.textMuted);
      rows.number(found.looks ? fmt::format("{:.2f}", *found.looks) : "–", look.theme.textMuted);
    });
  }
  ImGui::EndChild();
}

/// Shows a text of the set on the page, with the words that it asks for.
void openText(const PanelContext& panel, const ModelMoment& moment, const Swept& swept,
              std::size_t text) {
  const formats::TextOrIds& chosen = (*swept.set)[text].text;
  const std::string shown = shownText(moment, chosen);
  if (!chosen.ids.empty() && inputOfText(moment, shown).ids != chosen.ids) {
    panel.commands.say("the tokenizer splits this text into other tokens than the given ids", true);
  }
  panel.modelView.token = -1;
  if (!(*swept.set)[text].answers.empty()) {
    const model::AskedWord& asked = swept.found.asked[text];
    panel.modelView.prediction.word = asked.word;
    panel.modelView.prediction.other = asked.other.value_or(-1);
  }
  panel.commands.add(SetModelText{shown});
}

/// Lists the texts by the effect of the chosen part, the largest first; a click opens one.
void drawExamples(const PanelContext& panel, const ModelMoment& moment, const Swept& swept,
                  const std::vector<std::string>& tokens, const Rect& room) {
  const FrameContext& look = panel.look;
  const auto& parts = swept.found.parts;
  const auto chosen = std::ranges::find_if(
      parts, [&](const Patch& part) { return isChosen(panel.modelView, part); });
  const std::size_t part =
      chosen == parts.end() ? 0 : static_cast<std::size_t>(chosen - parts.begin());
  const std::vector<std::size_t> order = swept.found.effects.strongest(part);
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild("sweep examples", room.size());
  {
    Table rows(look, {.id = "examples", .height = room.height(), .dense = true},
               {{partInWords(parts[part], tokens), "The change in each text, the largest first",
                 true, 110, 0, false},
                {"text", "A click opens it", false, 100, 1, false}});
    rows.rows(std::ssize(order), [&](Index row) {
      const std::size_t text = order[static_cast<std::size_t>(row)];
      const std::string shown = shownText(moment, (*swept.set)[text].text);
      if (rows.row(row, shown == moment.text)) openText(panel, moment, swept, text);
      rows.number(changeInWords(swept.found.effects.change(text, part)));
      rows.text(shown);
    });
  }
  ImGui::EndChild();
}

/// Says how far the work is, with a button that stops it.
void progress(const PanelContext& panel, Index done, Index all) {
  const FrameContext& look = panel.look;
  const float share = static_cast<float>(done) / static_cast<float>(std::max<Index>(1, all));
  const ImVec2 size(std::min(look.px(320), Rect::rest().width()), look.px(6));
  label(look.fonts.regular, look.theme.textMuted,
        fmt::format("running the model with each part replaced: {:.0f} %",
                    100.0F * std::min(1.0F, share)));
  const Rect bar = Rect::at(ImGui::GetCursorScreenPos(), size);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(bar.a, bar.b, withAlpha(look.theme.textMuted, 0.25F), look.space.tight);
  list->AddRectFilled(bar.a, {bar.a.x + bar.width() * std::min(1.0F, share), bar.b.y},
                      look.theme.accent, look.space.tight);
  ImGui::Dummy({size.x, size.y + look.space.small});
  if (pill(look, "stop##sweep")) panel.computations.stop(kSweep);
}

/// The number that is read: "logit of “cat”", or that of several texts.
std::string metricInWords(const Swept& swept, const AskedWord& asked) {
  if (swept.set == nullptr) return asked.logitName();
  const bool answered = std::ranges::all_of(
      *swept.set, [](const formats::TextOfSet& text) { return !text.answers.empty(); });
  const bool differs = std::ranges::all_of(
      swept.found.asked, [](const model::AskedWord& each) { return each.other.has_value(); });
  if (answered && differs) return "logit of the right word − logit of the wrong one";
  return answered ? "logit of the right word" : "logit of each text's word";
}

std::string resultInWords(const Swept& swept, const AskedWord& asked, const ChosenTexts& texts,
                          Instead instead, const std::string& otherText, Effect effect) {
  const std::string with =
      instead == Instead::nothing ? "zero"
      : instead == Instead::mean
          ? (swept.many() ? "its mean over all texts" : "its mean over this text")
          : (texts.set != nullptr ? "its value on the corrupted text"
                                  : fmt::format("its value on “{}”", otherText));
  const std::string over =
      texts.set == nullptr ? ""
                           : fmt::format(", the mean over {} texts ({})",
                                         withThousands(swept.found.effects.texts()), texts.name);
  const std::string numbers =
      effect == Effect::looks
          ? "how much a head looks, from the word that is predicted from, at the word that decides"
          : fmt::format(
                "its change with that one part replaced by {}, everything after it run again",
                with);
  return fmt::format("The {} is {:.3f} (probability {}){}. Each number: {}.",
                     metricInWords(swept, asked), swept.base.metric,
                     probabilityInWords(swept.base.probability), over, numbers);
}

/// Draws the choice of what replaces a part in the texts of a set.
Instead chooseInsteadOfSet(const FrameContext& look, PredictionView& view) {
  rowCaption(look, "by");
  const int chosen =
      choices(look, "instead", {"nothing", "its mean", "as corrupted"}, view.instead);
  if (chosen >= 0) view.instead = chosen;
  view.instead = std::clamp(view.instead, 0, 2);
  return static_cast<Instead>(view.instead);
}

/// The names of places: the tokens of the page's text, or numbers, since those of texts differ.
std::vector<std::string> placesOf(const ModelMoment& moment, const Swept& swept) {
  if (swept.set == nullptr) return moment.tokenNames();
  std::vector<std::string> places;
  for (const Patch& part : swept.found.parts) {
    if (part.layer == 0) places.push_back(fmt::format("{}", part.place + 1));
  }
  return places;
}

/// Draws the choice of the list beside the map.
void chooseList(const FrameContext& look, PredictionView& view) {
  flowOn(look, look.px(150), 14.0F);
  rowCaption(look, "list");
  const int chosen = choices(look, "sweep list", {"parts", "texts"}, view.sweepListsTexts ? 1 : 0);
  tip(look, "All parts, or the texts in which the chosen part matters most");
  if (chosen >= 0) view.sweepListsTexts = chosen == 1;
}

/// Draws the choice of the effect that the map shows.
Effect chooseEffect(const FrameContext& look, PredictionView& view, const Swept& swept) {
  flowOn(look, look.px(120), 14.0F);
  rowCaption(look, "show");
  for (std::size_t i = 0; i < kEffects.size(); ++i) {
    if (static_cast<Effect>(i) == Effect::direct && !swept.base.direct) continue;
    if (static_cast<Effect>(i) == Effect::looks && !swept.parts.front().mean.looks) continue;
    flowOn(look, buttonWidth(look, kEffects[i].title), 3.0F);
    if (pill(look, fmt::format("{}##effect", kEffects[i].title).c_str(),
             view.sweepShown == static_cast<int>(i))) {
      view.sweepShown = static_cast<int>(i);
    }
    tip(look, kEffects[i].about);
  }
  view.sweepShown = std::clamp(view.sweepShown, 0, static_cast<int>(kEffects.size()) - 1);
  return static_cast<Effect>(view.sweepShown);
}

/// Identifies a sweep. A set's texts with answers do not depend on the page's text and word.
Fingerprint keyOf(const AskedWord& asked, const ChosenTexts& texts, Instead instead,
                  const PredictionView& view) {
  Fingerprint key = asked.key(kSweep);
  if (texts.set != nullptr) {
    key = Fingerprint(kSweep, asked.moment->changes);
    key.add(reinterpret_cast<std::uintptr_t>(asked.moment->trace->document().model.get()));
    key.add(reinterpret_cast<std::uintptr_t>(texts.set.get()));
    const bool answered = std::ranges::none_of(
        *texts.set, [](const formats::TextOfSet& text) { return text.answers.empty(); });
    if (!answered) key.add(view.word).add(asked.other.value_or(-1));
  } else if (instead == Instead::otherText) {
    key.add(Fingerprint(view.otherText));
  }
  return key.add(view.sweepOver).add(instead);
}

void drawSwept(const PanelContext& panel, const AskedWord& asked, const Swept& swept,
               Effect effect) {
  const FrameContext& look = panel.look;
  Rect room = Rect::rest();
  const float side = std::clamp(room.width() * 0.46F, look.px(540), look.px(700));
  const Rect right = room.cutRight(std::min(side, room.width()), look.space.large);
  double most = 0.0;
  for (std::size_t i = 0; i < swept.parts.size(); ++i) {
    most = std::max(most, std::abs(valueOf(swept, i, effect)));
  }
  const std::vector<std::string> tokens = placesOf(*asked.moment, swept);
  const PartMap map = mapOf(panel, swept, effect, tokens, asked.moment->config().layers);
  const ColorScale scale = divergingScale(look, static_cast<float>(std::max(most, 1e-12)));
  if (const auto clicked = drawPartMap(panel, map, scale, room)) {
    choose(panel.modelView, swept.found.parts[*clicked]);
  }
  if (swept.set != nullptr && panel.modelView.prediction.sweepListsTexts) {
    drawExamples(panel, *asked.moment, swept, tokens, right);
  } else {
    table(panel, swept, effect, scale, tokens, right);
  }
}

}  // namespace

void drawSweep(const PanelContext& panel, const AskedWord& asked) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  const ChosenTexts texts = chooseTexts(panel, *asked.moment);
  rowCaption(look, "replace each");
  const int overChosen = choices(
      look, "sweep over", {"head", "layer's halves", "place", "q", "k", "v"}, view.sweepOver);
  if (overChosen >= 0) view.sweepOver = overChosen;
  flowOn(look, look.px(120), 14.0F);
  const Instead instead =
      view.sweepTexts.empty() ? chooseInstead(panel, asked, "by") : chooseInsteadOfSet(look, view);
  if (!texts.ready) return;
  const model::SweepSetting setting{
      static_cast<model::SweepOver>(view.sweepOver), static_cast<model::SweepWith>(instead), {}};

  const bool wordChosen = view.word >= 0;
  const Fingerprint key = keyOf(asked, texts, instead, view);
  const auto found = panel.computations.request<Swept>(kSweep, key, Schedule::whenIdle, [&] {
    return unitsOf(
        [=, text = view.otherText](const std::atomic<bool>& cancelled) {
          return sweepOf(asked, texts.set, setting, text, wordChosen,
                         ExecutionContext{0, &cancelled});
        },
        [set = texts.set](const model::TextsSweep& sweep) { return sweptBy(sweep, set); });
  });
  if (found.problem == Computations::kStopped) {
    if (pill(look, "run again##sweep")) panel.computations.forget(kSweep);
    return;
  }
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (found.current == nullptr) {
    const std::size_t count = texts.set == nullptr ? 1 : texts.set->size();
    const Index all = model::TextsSweep::units(count, setting, asked.moment->config().layers);
    return progress(panel, found.unitsDone, all);
  }
  const Swept& swept = *found.current;
  const Effect effect = chooseEffect(look, view, swept);
  if (swept.set != nullptr) chooseList(look, view);
  wrappedLabel(look.fonts.small, look.theme.textMuted,
               resultInWords(swept, asked, texts, instead, view.otherText, effect));
  drawSwept(panel, asked, swept, effect);
}

}  // namespace headscope::ui
