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
#include "app/ui/model/born_heads.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/model_words.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/sweep_choices.h"
#include "app/ui/model/sweep_texts.h"
#include "app/ui/model/swept_parts.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"

namespace headscope::ui {
namespace {

using model::Patch;
using model::PatchEffect;
using model::Site;
using model::SweepOver;

constexpr const char* kSweep = "sweep";  // the computation
constexpr double kLeast = 1e-3;          // rounding is no effect: less has no colour

/// The width of a part's name, which may end with a token and begin with its picture.
float widthOfPart(const Swept& swept) {
  const Patch& part = swept.found.parts.front();
  if (part.place < 0) return 124.0F;
  return part.site == Site::residual ? 146.0F : 214.0F;
}

std::vector<TableColumn> columnsFor(const Swept& swept) {
  std::vector<TableColumn> columns{{tr("part"), {}, false, widthOfPart(swept), 0, false},
                                   {"total", textOf(EffectKind::total).about, true, 54, 0, false}};
  if (swept.many()) {
    columns[1].title = "mean";
    columns.push_back(
        {"±", tr("The standard deviation of the shown number over the texts"), true, 54, 0, false});
  }
  columns.insert(columns.end(),
                 {{"direct", textOf(EffectKind::direct).about, true, 54, 0, false},
                  {"adds", textOf(EffectKind::adds).about, true, 50, 0, false},
                  {"estimate", textOf(EffectKind::estimate).about, true, 60, 0, false},
                  {"", {}, false, 40, 1, false},
                  {"p", tr("The probability after the change"), true, 48, 0, false},
                  {"KL", textOf(EffectKind::divergence).about, true, 48, 0, false},
                  {"looks", textOf(EffectKind::looks).about, true, 46, 0, false}});
  return columns;
}

void table(const PanelContext& panel, const model::ModelConfig& config, const Swept& swept,
           EffectKind kind, const ColorScale& scale, const PlaceNames& tokens, const Rect& room) {
  const FrameContext& look = panel.look;
  std::vector<std::size_t> order(swept.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto sizeOf = [&](std::size_t i) { return std::abs(swept.value(i, kind).value_or(0.0)); };
  std::ranges::stable_sort(order,
                           [&](std::size_t a, std::size_t b) { return sizeOf(a) > sizeOf(b); });
  BarRange range{-kLeast, kLeast};
  for (const std::size_t i : order) range.include(swept.value(i, kind).value_or(0.0));
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild("sweep table", room.size());
  {
    Table rows(look, {.id = "swept", .height = room.height(), .dense = true}, columnsFor(swept));
    rows.rows(std::ssize(order), [&](Index row) {
      const std::size_t i = order[static_cast<std::size_t>(row)];
      const Patch& part = swept.found.parts[i];
      const PatchEffect& found = swept.parts[i];
      if (rows.row(row, isChosenPart(panel.modelView, config, part))) {
        choosePart(panel.modelView, config, part);
      }
      const double value = swept.value(i, kind).value_or(0.0);
      const bool early = !swept.found.replaced[i];  // has only its estimate yet
      const auto numberOr = [&](std::optional<double> number, bool known = true) {
        rows.number(number && known ? changeInWords(*number) : "–", look.theme.textMuted);
      };
      patchInCell(look, rows, tokens.pictures ? &*tokens.pictures : nullptr, part.place);
      rows.text(partInWords(part, tokens, config));
      rows.number(early ? "…" : changeInWords(found.metric - swept.base.metric));
      if (swept.many()) {
        rows.number(fmt::format("{:.3f}", swept.spreads[static_cast<std::size_t>(kind)][i]));
      }
      numberOr(found.direct, !early);
      numberOr(found.adds);
      numberOr(found.estimate);
      rows.bar(range, value, scale.color(look.maps, value < 0.0 ? -1e30F : 1e30F));
      rows.number(early ? "…" : probabilityInWords(found.probability), look.theme.textMuted);
      rows.number(early ? "…" : fmt::format("{:.3f}", found.divergence), look.theme.textMuted);
      rows.number(found.looks ? fmt::format("{:.2f}", *found.looks) : "–", look.theme.textMuted);
    });
  }
  ImGui::EndChild();
}

/// A text of the set, or its corrupted one where those are run.
const formats::TextOrIds& textThatRan(const Swept& swept, std::size_t text) {
  const formats::TextOfSet& of = (*swept.set)[text];
  return swept.ofOther && !of.other.empty() ? of.other : of.text;
}

/// Shows a text of the set on the page, with the words that it asks for.
void openText(const PanelContext& panel, const ModelMoment& moment, const Swept& swept,
              std::size_t text) {
  const formats::TextOrIds& chosen = textThatRan(swept, text);
  const std::string shown = shownText(moment, chosen);
  if (!chosen.ids.empty() && inputOfText(moment.first(), shown).ids != chosen.ids) {
    panel.commands.say(tr("the tokenizer splits this text into other tokens than the given ids"),
                       true);
  }
  if (moment.source == nullptr) panel.modelView.token = -1;
  if (!(*swept.set)[text].answers.empty()) {
    const model::AskedWord& asked = swept.found.asked[text];
    panel.modelView.prediction.word = asked.word;
    panel.modelView.prediction.other = asked.other.value_or(-1);
  }
  panel.commands.add(SetModelText{shown});
}

/// Lists the texts by the chosen part's number, the largest first; a click opens one.
void drawExamples(const PanelContext& panel, const ModelMoment& moment, const Swept& swept,
                  EffectKind kind, const PlaceNames& tokens, const Rect& room) {
  const FrameContext& look = panel.look;
  const auto& parts = swept.found.parts;
  const auto chosen = std::ranges::find_if(parts, [&](const Patch& part) {
    return isChosenPart(panel.modelView, moment.config(), part);
  });
  const std::size_t part =
      chosen == parts.end() ? 0 : static_cast<std::size_t>(chosen - parts.begin());
  const std::vector<std::size_t> order = swept.found.effects.strongest(part, kind);
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild("sweep examples", room.size());
  {
    Table rows(look, {.id = "examples", .height = room.height(), .dense = true},
               {{partInWords(parts[part], tokens, moment.config()), textOf(kind).about, true, 110,
                 0, false},
                {tr("text"), tr("A click opens it"), false, 100, 1, false}});
    rows.rows(std::ssize(order), [&](Index row) {
      const std::size_t text = order[static_cast<std::size_t>(row)];
      const std::string shown = shownText(moment, textThatRan(swept, text));
      if (rows.row(row, shown == moment.given())) openText(panel, moment, swept, text);
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
  if (pill(look, tr("stop##sweep"))) panel.computations.stop(kSweep);
  ImGui::SameLine(0.0F, look.space.large);
  ImGui::AlignTextToFramePadding();
  label(look.fonts.regular, look.theme.textMuted,
        trFormat("running the model with each part replaced: {:.0f} %",
                 100.0F * std::min(1.0F, share)));
  ImGui::SameLine(0.0F, look.space.large);
  const ImVec2 size(std::min(look.px(240), Rect::rest().width()), look.px(6));
  const float middle = ImGui::GetItemRectMin().y + 0.5F * ImGui::GetItemRectSize().y;
  const Rect bar = Rect::at({ImGui::GetCursorScreenPos().x, middle - 0.5F * size.y}, size);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(bar.a, bar.b, withAlpha(look.theme.textMuted, 0.25F), look.space.tight);
  list->AddRectFilled(bar.a, {bar.a.x + bar.width() * std::min(1.0F, share), bar.b.y},
                      look.theme.accent, look.space.tight);
  ImGui::Dummy(size);
}

/// The number that is read: "logit of “cat”", or that of several texts.
std::string metricInWords(const Swept& swept, const AskedWord& asked) {
  if (swept.set == nullptr) return asked.logitName();
  const bool answered = std::ranges::all_of(
      *swept.set, [](const formats::TextOfSet& text) { return !text.answers.empty(); });
  const bool differs = std::ranges::all_of(
      swept.found.asked, [](const model::AskedWord& each) { return each.other.has_value(); });
  if (answered && differs) return tr("logit of the right word − logit of the wrong one");
  return answered ? tr("logit of the right word") : tr("logit of each text's word");
}

/// The values that stand in the place of a part's own.
struct SweptBy {
  const ChosenTexts& texts;
  Instead instead;
  const std::string& meanOf;  // the name of a set; empty: the text itself
  Index place;
  const char* given;  // "text", "picture"

  std::string inWords(const Swept& swept) const {
    if (instead == Instead::nothing) return "zero";
    if (instead == Instead::mean) {
      if (!meanOf.empty()) return trFormat("its mean over other texts ({})", meanOf);
      return swept.many() ? tr("its mean over all texts")
                          : trFormat("its mean over this {}", given);
    }
    if (texts.set != nullptr) {
      return swept.ofOther ? tr("its value on the clean text")
                           : tr("its value on the corrupted text");
    }
    return swept.ofOther ? trFormat("its value on this page's {}", given)
                         : trFormat("its value on the other {}", given);
  }
  std::string placeInWords() const {
    if (place == model::kEachPlace) return tr(", at one token at a time,");
    return place == model::kAskedPlace ? tr(" at the token whose prediction is read") : "";
  }
};

std::string resultInWords(const Swept& swept, const AskedWord& asked, const SweptBy& by,
                          EffectKind kind, const std::optional<model::Receiver>& to) {
  const ChosenTexts& texts = by.texts;
  const std::string over =
      texts.set == nullptr
          ? (swept.ofOther ? trFormat(" on the other {}", by.given) : "")
          : trFormat(", the mean over {} {}texts ({})", withThousands(swept.found.effects.texts()),
                     swept.ofOther ? "corrupted " : "", texts.name);
  const std::string replaced = trFormat(
      "its change with that one part{} replaced by {}, {}", by.placeInWords(), by.inWords(swept),
      to ? trFormat("through the {} of layer {}, {}head {} alone; heads between are held",
                    to->site == Site::q   ? "query"
                    : to->site == Site::k ? "key"
                                          : "value",
                    to->layer + 1, to->site == Site::q ? "" : "key/value ", to->head + 1)
         : tr("everything after it run again"));
  const std::string numbers =
      kind == EffectKind::looks ? tr("how much a head looks, from the word that is predicted from, "
                                     "at the word that decides")
      : kind == EffectKind::adds ? tr("what the part itself adds to it, with nothing replaced")
      : kind == EffectKind::estimate
          ? trFormat("an estimate (gradient × difference) of {}", replaced)
          : replaced;
  const bool uneven = swept.set == nullptr && !swept.found.aligned.empty() &&
                      !swept.found.aligned.front().inWords.empty();
  std::string onOther;
  if (!swept.found.otherMetrics.empty()) {
    double sum = 0.0;
    for (const double each : swept.found.otherMetrics) sum += each;
    const bool set = texts.set != nullptr;
    onOther =
        trFormat(", {:.3f} {}", sum / static_cast<double>(swept.found.otherMetrics.size()),
                 set ? (swept.ofOther ? tr("on the clean texts") : tr("on the corrupted texts"))
                     : (swept.ofOther ? trFormat("on the page's {}", by.given)
                                      : trFormat("on the other {}", by.given)));
  }
  return trFormat("The {} is {:.3f} (probability {}){}{}. Each number: {}.{}",
                  metricInWords(swept, asked), swept.base.metric,
                  probabilityInWords(swept.base.probability), over, onOther, numbers,
                  uneven ? " " + swept.found.aligned.front().inWords : "");
}

/// Identifies a sweep. A set's texts with answers do not depend on the page's text and word.
Fingerprint keyOf(const AskedWord& asked, const ChosenTexts& texts, Instead instead,
                  const PredictionView& view) {
  Fingerprint key = asked.key(kSweep);
  if (texts.set != nullptr) {
    key = Fingerprint(kSweep, asked.moment->changes);
    // of two stacks all texts have the page's target
    if (asked.moment->source != nullptr) key.add(asked.moment->number).add(asked.row);
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

/// The sweep of a born model over the same texts.
struct SweptBorn {
  const BornModel& model;
  const Swept& swept;
};

double largestOf(const Swept& swept, EffectKind kind) {
  double most = 0.0;
  for (std::size_t i = 0; i < swept.parts.size(); ++i) {
    most = std::max(most, std::abs(swept.value(i, kind).value_or(0.0)));
  }
  return most;
}

/// Draws a born model's map in the left half of a room, under a line that names its largest part,
/// and such a line for the page's model over the right half, which is returned.
Rect drawBorn(const PanelContext& panel, const SweptBorn& born, const ModelMoment& moment,
              const Swept& swept, EffectKind kind, const ColorScale& scale, Rect room) {
  const FrameContext& look = panel.look;
  ImFont* font = look.fonts.small;
  Rect names = room.cutTop(textSize(font, "A").y, look.space.tight);
  const auto name = [&](const Rect& at, const std::string& model, const Swept& of, ImU32 color) {
    const std::string text = fmt::format("{}: {}", model, largestInWords(of, kind));
    ImGui::SetCursorScreenPos(at.a);
    label(font, color, elided(font, text, at.width()));
    tip(look, text);
  };
  const float half = 0.5F * (room.width() - look.space.large);
  name(names.cutLeft(half, look.space.large), born.model.name, born.swept, look.theme.accentText);
  name(names, moment.trace->document().model->name(), swept, look.theme.text);
  const PlaceNames none;
  PartMap map = sweepMap(panel, born.model.model->config(), born.swept, kind, none);
  map.id = "map of the born model";
  for (PartCell& cell : map.cells) cell.chosen = false;  // the page chooses parts of its own model
  (void)drawPartMap(panel, map, scale, room.cutLeft(half, look.space.large));
  return room;
}

void drawSwept(const PanelContext& panel, const AskedWord& asked, const Swept& swept,
               EffectKind kind, const std::optional<SweptBorn>& born) {
  const FrameContext& look = panel.look;
  Rect room = Rect::rest();
  const float least = look.px((swept.many() ? 526.0F : 476.0F) + widthOfPart(swept));
  const float side = std::clamp(room.width() * 0.46F, least, look.px(720));
  const bool listed = !born;  // two maps side by side leave no room for a list
  const Rect right =
      listed ? room.cutRight(std::min(side, room.width()), look.space.large) : Rect();
  double most = largestOf(swept, kind);
  if (born) most = std::max(most, largestOf(born->swept, kind));
  const ModelMoment& moment = *asked.moment;
  const PlaceNames tokens = placesOf(moment, swept);
  const PartMap map = sweepMap(panel, moment.config(), swept, kind, tokens);
  const ColorScale scale = divergingScale(look, static_cast<float>(std::max(most, kLeast)));
  if (born) room = drawBorn(panel, *born, moment, swept, kind, scale, room);
  if (const auto clicked = drawPartMap(panel, map, scale, room)) {
    choosePart(panel.modelView, moment.config(), swept.found.parts[*clicked]);
  }
  if (!listed) return;
  if (swept.set != nullptr && panel.modelView.prediction.sweepListsTexts) {
    drawExamples(panel, moment, swept, kind, tokens, right);
  } else {
    table(panel, moment.config(), swept, kind, scale, tokens, right);
  }
}

/// The sweep of the born model over the same texts, once it is known; says what there is instead
/// of it.
std::optional<SweptBorn> comparedWith(const PanelContext& panel, const ChosenTexts& texts,
                                      const model::SweepSetting& setting, const Swept& swept,
                                      EffectKind kind) {
  const FrameContext& look = panel.look;
  const BornModel* born = bornModelFor(panel, panel.modelView.prediction.sweepTexts);
  if (born == nullptr) return std::nullopt;
  const auto say = [&](const std::string& text) {
    wrappedLabel(look.fonts.small, look.theme.accentText, text);
  };
  if (born->model == nullptr) {
    say(trFormat("For comparison: {}. A run that is learned here is compared on the same texts.",
                 born->looking));
    return std::nullopt;
  }
  if (!texts.ofBoth) {
    say(
        trFormat("For comparison: {}. There are too few words that both models know for texts "
                 "that both could read.",
                 born->looking));
    return std::nullopt;
  }
  const bool alike = setting.over == SweepOver::heads && setting.with != model::SweepWith::other &&
                     !setting.to && setting.place == Patch::kEveryPlace;
  if (!alike) return std::nullopt;
  say(trFormat("For comparison: {}. The texts here are others, which both read.", born->looking));
  const auto found = sweepOfBorn(panel, *born, swept.set, setting.with);
  if (!found.problem.empty()) say(fmt::format("{}: {}", born->name, found.problem));
  if (found.current == nullptr || !found.current->has(kind)) return std::nullopt;
  return SweptBorn{*born, *found.current};
}

}  // namespace

void drawSweep(const PanelContext& panel, const AskedWord& asked) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  const ChosenTexts none{nullptr, {}, true};
  const bool image = asked.moment->ofImage();  // sets are of texts
  const ChosenTexts texts = image ? none : chooseTexts(panel, *asked.moment);
  const int overChosen =
      menuOf(look, tr("replace each"), "##sweep over",
             {"head", "layer's halves", "place", "head's query", "head's key", "head's value"},
             view.sweepOver, image);
  if (overChosen >= 0) view.sweepOver = overChosen;
  const auto over = static_cast<SweepOver>(view.sweepOver);
  const auto receiver = chooseReceiver(panel, asked, over);
  const bool ofSet = !image && !view.sweepTexts.empty();
  const Instead instead =
      ofSet ? chooseInsteadOfSet(look, view) : chooseInstead(panel, asked, "by");
  const bool swapped = instead == Instead::otherText && chooseSwapped(panel, *asked.moment, ofSet);
  const bool meanOfTexts = instead == Instead::mean && !ofSet && !image;
  const ChosenTexts meanOf = meanOfTexts ? chooseMeanTexts(panel, *asked.moment) : none;
  const Index place = choosePlace(panel, asked, over, swapped);
  if (!texts.ready || !meanOf.ready) return;
  const model::SweepSetting setting{
      over, static_cast<model::SweepWith>(instead), {}, receiver, place};
  const bool wordChosen = view.word >= 0;
  Fingerprint key = keyOf(asked, texts, instead, view).add(place).add(swapped);
  key.add(reinterpret_cast<std::uintptr_t>(meanOf.set.get()));
  if (receiver) key.add(receiver->site).add(receiver->layer).add(receiver->head);
  const auto found = panel.computations.request<Swept>(kSweep, key, Schedule::whenIdle, [&] {
    return unitsWithNews([=, text = view.otherText](const std::atomic<bool>& cancelled) {
      return std::make_shared<ShownSweep>(
          sweepOf(asked, {texts.set, text, swapped, wordChosen, meanOf.set}, setting,
                  ExecutionContext{0, &cancelled}),
          texts.set, swapped);
    });
  });
  const std::optional<EffectKind> shown =
      found.current != nullptr ? std::optional(chooseEffect(look, view, *found.current))
                               : std::nullopt;
  const bool compared = bornModelFor(panel, view.sweepTexts) != nullptr && texts.ofBoth;
  if (found.current != nullptr && ofSet && !compared) chooseList(look, view);
  if (compared &&
      flowingPill(look, tr("end the comparison"),
                  tr("Shows the effects on this model alone, with the table of them"))) {
    view.born = nullptr;
  }
  if (instead == Instead::otherText && !ofSet) otherTextField(panel, asked);
  const bool stopped = found.problem == Computations::kStopped;
  if (!found.problem.empty() && !stopped) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (stopped && pill(look, tr("run again##sweep"))) panel.computations.forget(kSweep);
  const std::size_t count = texts.set == nullptr ? 1 : texts.set->size();
  const bool runs = found.current == nullptr || !found.current->ended;
  if (!stopped && runs) {
    progress(panel, found.unitsDone,
             model::TextsSweep::units(count, setting, *asked.moment->trace->document().model));
  }
  if (found.current == nullptr) return;
  const Swept& swept = *found.current;
  wrappedLabel(look.fonts.small, look.theme.textMuted,
               resultInWords(swept, asked,
                             {texts, instead, meanOf.name, place, nounsOf(*asked.moment).given},
                             *shown, receiver));
  drawSwept(panel, asked, swept, *shown, comparedWith(panel, texts, setting, swept, *shown));
}

}  // namespace headscope::ui
