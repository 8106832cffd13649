// A sweep over all heads, layers or places, on one text or many: a map of the effects on the
// prediction, a table of the largest ones, and the texts on which the chosen part matters most.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/part_map.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/sweep_texts.h"
#include "app/ui/model/swept.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"

namespace headscope::ui {
namespace {

using model::Patch;
using model::PatchEffect;
using model::Site;
using model::SweepOver;

constexpr const char* kSweep = "sweep";  // the computation

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

PartMap mapOf(const PanelContext& panel, const Swept& swept, EffectKind kind,
              const std::vector<std::string>& tokens, Index layers) {
  const FrameContext& look = panel.look;
  const ModelView& view = panel.modelView;
  PartMap map{"sweep map", layers, 1, {}, {}, isChange(kind)};
  for (std::size_t i = 0; i < swept.found.parts.size(); ++i) {
    const Patch& part = swept.found.parts[i];
    map.columns = std::max(map.columns, columnOf(part) + 1);
    const double value = swept.value(i, kind).value_or(0.0);
    map.cells.push_back(
        {part.layer, columnOf(part), value,
         fmt::format("{}: {} {}", partInWords(part, tokens), textOf(kind).title,
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
                                   {"total", textOf(EffectKind::total).about, true, 54, 0, false}};
  if (swept.many()) {
    columns[1].title = "mean";
    columns.push_back(
        {"±", "The standard deviation of the shown number over the texts", true, 54, 0, false});
  }
  columns.insert(columns.end(),
                 {{"direct", textOf(EffectKind::direct).about, true, 54, 0, false},
                  {"adds", textOf(EffectKind::adds).about, true, 50, 0, false},
                  {"estimate", textOf(EffectKind::estimate).about, true, 60, 0, false},
                  {"", {}, false, 40, 1, false},
                  {"p", "The word's probability after the change", true, 48, 0, false},
                  {"KL", textOf(EffectKind::divergence).about, true, 48, 0, false},
                  {"looks", textOf(EffectKind::looks).about, true, 46, 0, false}});
  return columns;
}

void table(const PanelContext& panel, const Swept& swept, EffectKind kind, const ColorScale& scale,
           const std::vector<std::string>& tokens, const Rect& room) {
  const FrameContext& look = panel.look;
  std::vector<std::size_t> order(swept.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto sizeOf = [&](std::size_t i) { return std::abs(swept.value(i, kind).value_or(0.0)); };
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return sizeOf(a) > sizeOf(b); });
  const double most = std::max(1e-12, sizeOf(order.front()));
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild("sweep table", room.size());
  {
    Table rows(look, {.id = "swept", .height = room.height(), .dense = true}, columnsFor(swept));
    rows.rows(std::ssize(order), [&](Index row) {
      const std::size_t i = order[static_cast<std::size_t>(row)];
      const Patch& part = swept.found.parts[i];
      const PatchEffect& found = swept.parts[i];
      if (rows.row(row, isChosen(panel.modelView, part))) choose(panel.modelView, part);
      const double value = swept.value(i, kind).value_or(0.0);
      const bool early = swept.found.estimatesOnly;  // the part has not been replaced yet
      const auto numberOr = [&](std::optional<double> number, bool known = true) {
        rows.number(number && known ? changeInWords(*number) : "–", look.theme.textMuted);
      };
      rows.text(partInWords(part, tokens));
      rows.number(early ? "…" : changeInWords(found.metric - swept.base.metric));
      if (swept.many()) {
        rows.number(fmt::format("{:.3f}", swept.spreads[static_cast<std::size_t>(kind)][i]));
      }
      numberOr(found.direct, !early);
      numberOr(found.adds);
      numberOr(found.estimate);
      rows.bar(static_cast<float>(std::abs(value) / most),
               scale.color(look.maps, value < 0.0 ? -1e30F : 1e30F));
      rows.number(early ? "…" : probabilityInWords(found.probability), look.theme.textMuted);
      rows.number(early ? "…" : fmt::format("{:.3f}", found.divergence), look.theme.textMuted);
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

/// Lists the texts by the chosen part's number, the largest first; a click opens one.
void drawExamples(const PanelContext& panel, const ModelMoment& moment, const Swept& swept,
                  EffectKind kind, const std::vector<std::string>& tokens, const Rect& room) {
  const FrameContext& look = panel.look;
  const auto& parts = swept.found.parts;
  const auto chosen = std::ranges::find_if(
      parts, [&](const Patch& part) { return isChosen(panel.modelView, part); });
  const std::size_t part =
      chosen == parts.end() ? 0 : static_cast<std::size_t>(chosen - parts.begin());
  const std::vector<std::size_t> order = swept.found.effects.strongest(part, kind);
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild("sweep examples", room.size());
  {
    Table rows(look, {.id = "examples", .height = room.height(), .dense = true},
               {{partInWords(parts[part], tokens), textOf(kind).about, true, 110, 0, false},
                {"text", "A click opens it", false, 100, 1, false}});
    rows.rows(std::ssize(order), [&](Index row) {
      const std::size_t text = order[static_cast<std::size_t>(row)];
      const std::string shown = shownText(moment, (*swept.set)[text].text);
      if (rows.row(row, shown == moment.text)) openText(panel, moment, swept, text);
      const double value = swept.found.effects.value(text, part, kind).value_or(0.0);
      rows.number(isChange(kind) ? changeInWords(value) : fmt::format("{:.3f}", value));
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
                          Instead instead, const std::string& otherText, EffectKind kind,
                          const std::optional<model::Receiver>& to) {
  const std::string with =
      instead == Instead::nothing ? "zero"
      : instead == Instead::mean
          ? (swept.many() ? "its mean over all texts" : "its mean over this text")
          : (texts.set != nullptr ? "its value on the corrupted text"
                                  : fmt::format("its value on “{}”", otherText));
  const std::string over =
      texts.set == nullptr
          ? ""
          : fmt::format(", the mean over {} texts ({})", swept.found.effects.texts(), texts.name);
  const std::string replaced = fmt::format(
      "its change with that one part replaced by {}, {}", with,
      to ? fmt::format("through the {} of layer {}, {}head {} alone; heads between are held",
                       to->site == Site::q   ? "query"
                       : to->site == Site::k ? "key"
                                             : "value",
                       to->layer + 1, to->site == Site::q ? "" : "key/value ", to->head + 1)
         : "everything after it run again");
  const std::string numbers =
      kind == EffectKind::looks
          ? "how much a head looks, from the word that is predicted from, at the word that decides"
      : kind == EffectKind::adds ? "what the part itself adds to it, with nothing replaced"
      : kind == EffectKind::estimate
          ? fmt::format("an estimate (gradient × difference) of {}", replaced)
          : replaced;
  const bool uneven = swept.set == nullptr && !swept.found.aligned.empty() &&
                      !swept.found.aligned.front().inWords.empty();
  return fmt::format("The {} is {:.3f} (probability {}){}. Each number: {}.{}",
                     metricInWords(swept, asked), swept.base.metric,
                     probabilityInWords(swept.base.probability), over, numbers,
                     uneven ? " " + swept.found.aligned.front().inWords : "");
}

/// Draws the choice of what replaces a part in the texts of a set.
Instead chooseInsteadOfSet(const FrameContext& look, PredictionView& view) {
  view.instead = std::clamp(view.instead, 0, 2);
  const int chosen =
      menuOf(look, "by", "##instead", {"nothing", "its mean", "as corrupted"}, view.instead);
  if (chosen >= 0) view.instead = chosen;
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

/// Draws the choice of the number that the map shows.
EffectKind chooseEffect(const FrameContext& look, PredictionView& view, const Swept& swept) {
  const auto chosen = static_cast<EffectKind>(
      std::clamp(view.sweepShown, 0, static_cast<int>(model::kEffectKinds) - 1));
  const EffectKind none = swept.found.estimatesOnly ? EffectKind::estimate : EffectKind::total;
  const EffectKind shown = swept.has(chosen) ? chosen : none;
  std::vector<EffectKind> offered;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < model::kEffectKinds; ++i) {
    if (!swept.has(static_cast<EffectKind>(i))) continue;
    offered.push_back(static_cast<EffectKind>(i));
    titles.emplace_back(textOf(offered.back()).title);
  }
  const auto at = std::ranges::find(offered, shown) - offered.begin();
  const int clicked = menuOf(look, "show", "##effect", titles, static_cast<int>(at));
  if (clicked >= 0) {
    view.sweepShown = static_cast<int>(offered[static_cast<std::size_t>(clicked)]);
  }
  tip(look, textOf(shown).about);
  return shown;
}

/// Draws the choice of the token at which parts are replaced; of a set it is every one.
Index choosePlace(const PanelContext& panel, const AskedWord& asked, SweepOver over) {
  PredictionView& view = panel.modelView.prediction;
  if (over == SweepOver::places || !view.sweepTexts.empty()) return Patch::kEveryPlace;
  const FrameContext& look = panel.look;
  const Index tokens = asked.moment->trace->tokens();
  std::vector<std::string> places{"every token"};
  for (Index place = 0; place < tokens; ++place) {
    places.push_back(fmt::format("{} “{}”", place + 1, asked.moment->tokenName(place)));
  }
  const Index shown = std::min(view.sweptPlace, tokens - 1);
  const int chosen = menuOf(look, "at", "##sweep at", places, static_cast<int>(shown + 1));
  if (chosen >= 0) view.sweptPlace = chosen - 1;
  tip(look, "Replaces a part at all tokens, or at this token alone");
  return shown;
}

/// Draws the choice of the way by which a replaced head acts, with the receiver: the head that was
/// chosen when its query, key or value was.
std::optional<model::Receiver> chooseReceiver(const PanelContext& panel, const AskedWord& asked,
                                              SweepOver over) {
  PredictionView& view = panel.modelView.prediction;
  const model::ModelConfig& c = asked.moment->config();
  const HeadOfLayer chosen = chosenHead(panel.modelView, c);
  const bool through = view.sweptThrough != SweptThrough::all;
  if (over != SweepOver::heads || (chosen.layer == 0 && !through)) return std::nullopt;
  const FrameContext& look = panel.look;
  const HeadOfLayer shown = through ? HeadOfLayer{view.sweptToLayer, view.sweptToHead} : chosen;
  const std::string of = fmt::format("of {}, head {}", c.layerInWords(shown.layer), shown.head + 1);
  const int way =
      menuOf(look, "through", "##swept through",
             {"all that follows", "the query " + of, "the key " + of, "the value " + of},
             static_cast<int>(view.sweptThrough));
  tip(look,
      "Path patching (Wang et al. 2022): the effect of each head of an earlier layer through the "
      "query, key or value of the chosen head alone; the heads between are held");
  if (way >= 0) {
    view.sweptThrough = static_cast<SweptThrough>(way);
    view.sweptToLayer = chosen.layer;
    view.sweptToHead = chosen.head;
  }
  const bool exists =
      view.sweptToLayer > 0 && view.sweptToLayer < c.layers && view.sweptToHead < c.heads;
  if (view.sweptThrough == SweptThrough::all || !exists) return std::nullopt;
  const bool ofQuery = view.sweptThrough == SweptThrough::query;
  const Site site = ofQuery ? Site::q : view.sweptThrough == SweptThrough::key ? Site::k : Site::v;
  const Index shared = c.heads / c.kvHeads;
  return model::Receiver{site, view.sweptToLayer,
                         ofQuery ? view.sweptToHead : view.sweptToHead / shared};
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
               EffectKind kind) {
  const FrameContext& look = panel.look;
  Rect room = Rect::rest();
  const float side = std::clamp(room.width() * 0.46F, look.px(540), look.px(700));
  const Rect right = room.cutRight(std::min(side, room.width()), look.space.large);
  double most = 0.0;
  for (std::size_t i = 0; i < swept.parts.size(); ++i) {
    most = std::max(most, std::abs(swept.value(i, kind).value_or(0.0)));
  }
  const std::vector<std::string> tokens = placesOf(*asked.moment, swept);
  const PartMap map = mapOf(panel, swept, kind, tokens, asked.moment->config().layers);
  const ColorScale scale = divergingScale(look, static_cast<float>(std::max(most, 1e-12)));
  if (const auto clicked = drawPartMap(panel, map, scale, room)) {
    choose(panel.modelView, swept.found.parts[*clicked]);
  }
  if (swept.set != nullptr && panel.modelView.prediction.sweepListsTexts) {
    drawExamples(panel, *asked.moment, swept, kind, tokens, right);
  } else {
    table(panel, swept, kind, scale, tokens, right);
  }
}

}  // namespace

void drawSweep(const PanelContext& panel, const AskedWord& asked) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  const ChosenTexts texts = chooseTexts(panel, *asked.moment);
  const int overChosen =
      menuOf(look, "replace each", "##sweep over",
             {"head", "layer's halves", "place", "head's query", "head's key", "head's value"},
             view.sweepOver);
  if (overChosen >= 0) view.sweepOver = overChosen;
  const auto over = static_cast<SweepOver>(view.sweepOver);
  const Index place = choosePlace(panel, asked, over);
  const auto receiver = chooseReceiver(panel, asked, over);
  const Instead instead =
      view.sweepTexts.empty() ? chooseInstead(panel, asked, "by") : chooseInsteadOfSet(look, view);
  if (!texts.ready) return;
  const model::SweepSetting setting{
      over, static_cast<model::SweepWith>(instead), {}, place, receiver};

  const bool wordChosen = view.word >= 0;
  Fingerprint key = keyOf(asked, texts, instead, view).add(place);
  if (receiver) key.add(receiver->site).add(receiver->layer).add(receiver->head);
  const auto found = panel.computations.request<Swept>(kSweep, key, Schedule::whenIdle, [&] {
    return unitsWithNews([=, text = view.otherText](const std::atomic<bool>& cancelled) {
      return std::make_shared<ShownSweep>(
          sweepOf(asked, texts.set, setting, text, wordChosen, ExecutionContext{0, &cancelled}),
          texts.set);
    });
  });
  const bool stopped = found.problem == Computations::kStopped;
  if (!found.problem.empty() && !stopped) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (stopped && pill(look, "run again##sweep")) panel.computations.forget(kSweep);
  const std::size_t count = texts.set == nullptr ? 1 : texts.set->size();
  const bool runs = found.current == nullptr || !found.current->ended;
  if (!stopped && runs) {
    progress(panel, found.unitsDone,
             model::TextsSweep::units(count, setting, asked.moment->config().layers));
  }
  if (found.current == nullptr) return;
  const Swept& swept = *found.current;
  const EffectKind kind = chooseEffect(look, view, swept);
  if (swept.set != nullptr) chooseList(look, view);
  wrappedLabel(look.fonts.small, look.theme.textMuted,
               resultInWords(swept, asked, texts, instead, view.otherText, kind, receiver));
  drawSwept(panel, asked, swept, kind);
}

}  // namespace headscope::ui
