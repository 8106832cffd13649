#include "app/ui/model/sweep_texts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/moment_text.h"
#include "app/ui/frame_commands.h"
#include "app/ui/letters.h"
#include "app/ui/model/born_heads.h"
#include "app/ui/model/model_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/formats/text_templates.h"
#include "core/model/tokenized.h"

namespace headscope::ui {
namespace {

constexpr std::array<Index, 4> kCounts{10, 20, 50, 100};

/// The prediction that is read in a text: its answers, else the chosen word, else the most probable
/// one, each at the token that is read, of two stacks after the chosen token of the page's target.
model::AskedWord askedIn(const formats::TextOfSet& text, const AskedWord& page, bool wordChosen,
                         const model::ModelTrace& trace) {
  const Index row = page.moment->source != nullptr
                        ? page.row
                        : model::readPlace(trace, page.moment->tokenizer.get());
  const auto answer = [&](std::size_t i) {
    return model::oneToken(text.answers[i], page.moment->tokenizer.get());
  };
  if (text.answers.empty()) {
    return {row, wordChosen ? page.word : trace.predictions(row, 1).front().id, page.other};
  }
  model::AskedWord asked{row, answer(0), {}};
  if (text.answers.size() > 1) asked.other = answer(1);
  return asked;
}

struct ReadSet {
  TextSet texts;
  bool ofBoth = false;  // a born model (born_heads.h) reads them as well
};

/// Reads or makes the set that the view names. `born`: the tokenizer of another model that should
/// read a template's texts as well; they are the first one's alone where both share too few words.
ReadSet readSet(const std::string& name, const formats::TokenizerPtr& tokenizer,
                const formats::TokenizerPtr& born, Index count, std::uint64_t seed) {
  using Texts = std::vector<formats::TextOfSet>;
  if (!formats::isTextTemplate(name)) {
    return {std::make_shared<const Texts>(formats::readTextSet(name))};
  }
  const formats::TextTemplate& of = formats::textTemplate(name);
  if (tokenizer == nullptr) {
    throw UserError(trFormat(
        "{}: the model's folder has no tokenizer: open a file with ids of tokens", of.title));
  }
  if (born != nullptr) {
    try {
      // a born model has fewer words, among which a template's random ones are drawn
      return {
          std::make_shared<const Texts>(textsOfAll(of, {born.get(), tokenizer.get()}, count, seed)),
          true};
    } catch (const UserError&) {  // sweep_view.cpp says that the two are not compared
    }
  }
  return {std::make_shared<const Texts>(textsOf(of, *tokenizer, count, seed))};
}

/// Draws the number of a template's texts, and the button for others.
void chooseCount(const FrameContext& look, PredictionView& view) {
  flowOn(look, look.px(220), 14.0F);
  rowCaption(look, tr("texts"));
  const auto now = std::ranges::find(kCounts, view.sweepCount);
  const int chosen = choices(look, "texts of a set", {"10", "20", "50", "100"},
                             static_cast<int>(now - kCounts.begin()));
  if (chosen >= 0) view.sweepCount = kCounts[static_cast<std::size_t>(chosen)];
  if (flowingPill(look, tr("draw others"), tr("Draws other words from the template's lists"))) {
    view.sweepSeed = view.sweepSeed % kMostSeed + 1;
  }
}

/// The templates whose words the model's tokenizer has, and the chosen one; all until that is
/// known.
std::vector<const formats::TextTemplate*> offeredTemplates(const PanelContext& panel,
                                                           const ModelMoment& moment,
                                                           const std::string& chosen) {
  const formats::TokenizerPtr& tokenizer = moment.first().tokenizer;
  const Fingerprint key("templates", reinterpret_cast<std::uintptr_t>(tokenizer.get()));
  const auto fitting = panel.computations.request<std::vector<bool>>(
      tr("templates that fit"), key, Schedule::background, [&] {
        return [tokenizer](const std::atomic<bool>&) -> std::optional<std::vector<bool>> {
          std::vector<bool> fitting;
          for (const formats::TextTemplate& each : formats::textTemplates()) {
            fitting.push_back(tokenizer != nullptr && fits(each, *tokenizer));
          }
          return fitting;
        };
      });
  std::vector<const formats::TextTemplate*> offered;
  for (std::size_t i = 0; i < formats::textTemplates().size(); ++i) {
    const formats::TextTemplate& each = formats::textTemplates()[i];
    const bool known = fitting.current == nullptr || (*fitting.current)[i];
    if (known || chosen == "template:" + each.name) offered.push_back(&each);
  }
  return offered;
}

std::string nameOfSet(const std::string& set) {
  if (!formats::isTextTemplate(set)) return std::filesystem::path(set).filename().string();
  for (const formats::TextTemplate& each : formats::textTemplates()) {
    if (set == "template:" + each.name) return each.title;
  }
  return set;
}

constexpr const char* kOpenTexts = trLater("open texts …");
constexpr const char* kOpenTextsTip = trLater(
    "A file with a text on each line, or .jsonl: {\"clean\": …, \"corrupt\": …, \"answers\": "
    "[right, wrong]}. It can be dropped on the window, too.");

/// The template's meaning and source.
std::string aboutSet(const std::string& set) {
  for (const formats::TextTemplate& each : formats::textTemplates()) {
    if (set == "template:" + each.name) return fmt::format("{} ({})", each.about, each.source);
  }
  return tr(kOpenTextsTip);
}

/// Opens the host's dialog for files, or the program's own.
void openTexts(const PanelContext& panel) {
  if (panel.hostHasDialog) {
    panel.commands.add(ChooseFiles{});
  } else {
    panel.commands.add(AskToOpen{});
  }
}

constexpr const char* kTextsOfSweep = "texts of a sweep";

/// Reads a set by its name in the background. `work` names the computation.
Computed<ReadSet> setByName(const PanelContext& panel, const ModelMoment& moment,
                            const std::string& set, const char* work) {
  const PredictionView& view = panel.modelView.prediction;
  const formats::TokenizerPtr& tokenizer = moment.first().tokenizer;
  const BornModel* compared = bornModelFor(panel, set);
  const formats::TokenizerPtr born = compared != nullptr ? compared->tokenizer : nullptr;
  Fingerprint key(work, reinterpret_cast<std::uintptr_t>(tokenizer.get()), view.sweepCount,
                  view.sweepSeed);
  key.add(Fingerprint(set)).add(reinterpret_cast<std::uintptr_t>(born.get()));
  return panel.computations.request<ReadSet>(work, key, Schedule::background, [&] {
    return [name = set, tokenizer, born, count = view.sweepCount,
            seed = view.sweepSeed](const std::atomic<bool>&) -> std::optional<ReadSet> {
      return readSet(name, tokenizer, born, count, seed);
    };
  });
}

/// A set by its name; draws what keeps it from being read.
ChosenTexts chosenSet(const PanelContext& panel, const ModelMoment& moment, const std::string& set,
                      const char* work = kTextsOfSweep) {
  const FrameContext& look = panel.look;
  const auto found = setByName(panel, moment, set, work);
  if (!found.problem.empty()) wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  if (found.current == nullptr) return {};
  return {found.current->texts, nameOfSet(set), true, found.current->ofBoth};
}

}  // namespace

bool allAnswered(const PanelContext& panel, const ModelMoment& moment) {
  const std::string& set = panel.modelView.prediction.sweepTexts;
  if (set.empty() || moment.ofImage()) return false;
  const auto found = setByName(panel, moment, set, kTextsOfSweep);
  return found.current != nullptr &&
         std::ranges::none_of(*found.current->texts,
                              [](const formats::TextOfSet& text) { return text.answers.empty(); });
}

ChosenTexts chooseTexts(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  const bool isFile = !view.sweepTexts.empty() && !formats::isTextTemplate(view.sweepTexts);
  std::vector<std::string> sets{"", tr(kOpenTexts)}, titles{tr("this text"), tr(kOpenTexts)};
  const auto offer = [&](const std::string& set) {
    sets.insert(sets.end() - 1, set);
    titles.insert(titles.end() - 1, nameOfSet(set));
  };
  for (const formats::TextTemplate* each : offeredTemplates(panel, moment, view.sweepTexts)) {
    offer("template:" + each->name);
  }
  if (isFile) offer(view.sweepTexts);
  const auto now = std::ranges::find(sets, view.sweepTexts) - sets.begin();
  const int chosen = menuOf(look, "over", "##sweep texts", titles, static_cast<int>(now), true);
  tip(look, isFile ? view.sweepTexts : aboutSet(view.sweepTexts));
  if (chosen >= 0 && sets[static_cast<std::size_t>(chosen)] == tr(kOpenTexts)) {
    openTexts(panel);
  } else if (chosen >= 0) {
    view.sweepTexts = sets[static_cast<std::size_t>(chosen)];
  }
  if (view.sweepTexts.empty()) return {nullptr, {}, true};
  if (!isFile) chooseCount(look, view);
  return chosenSet(panel, moment, view.sweepTexts);
}

ChosenTexts chooseMeanTexts(const PanelContext& panel, const ModelMoment& moment) {
  std::string& set = panel.modelView.prediction.sweepMeanTexts;
  std::vector<std::string> sets{""}, titles{tr("this text")};
  for (const formats::TextTemplate* each : offeredTemplates(panel, moment, set)) {
    sets.push_back("template:" + each->name);
    titles.push_back(each->title);
  }
  const auto found = std::ranges::find(sets, set);
  const auto now = found == sets.end() ? 0 : found - sets.begin();
  const int chosen = menuOf(panel.look, "of", "##mean texts", titles, static_cast<int>(now));
  tip(panel.look,
      tr("The texts whose mean stands in a part's place: all tokens of this text, or of "
         "some made by a template"));
  if (chosen >= 0) set = sets[static_cast<std::size_t>(chosen)];
  if (set.empty()) return {nullptr, {}, true};
  return chosenSet(panel, moment, set, "texts of a mean");
}

ChosenTexts chooseSet(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  if (view.sweepTexts.empty()) {
    view.sweepTexts =
        "template:" + (moment.tokenizer != nullptr ? formats::readableTemplate(*moment.tokenizer)
                                                   : formats::textTemplates().front())
                          .name;
  }
  const std::string name = nameOfSet(view.sweepTexts);
  const float width = buttonWidth(look, name) + ImGui::GetFrameHeight();
  flowOn(look, width, 3.0F);
  ImGui::SetNextItemWidth(width);
  if (beginCombo(look, "##set of texts", name, ImGuiComboFlags_HeightLarge)) {
    for (const formats::TextTemplate* each : offeredTemplates(panel, moment, view.sweepTexts)) {
      const std::string set = "template:" + each->name;
      if (ImGui::Selectable(asLabel(each->title).c_str(), set == view.sweepTexts))
        view.sweepTexts = set;
      tip(look, fmt::format("{} ({})", each->about, each->source));
    }
    if (ImGui::Selectable(tr(kOpenTexts))) openTexts(panel);
    tip(look, tr(kOpenTextsTip));
    ImGui::EndCombo();
  }
  return chosenSet(panel, moment, view.sweepTexts);
}

model::ModelInput inputOfSet(const ModelMoment& moment, const formats::TextOrIds& text) {
  const ModelMoment& of = moment.first();
  if (text.ids.empty()) return inputOfText(of, text.text);
  model::ModelInput input{text.ids, {}, {}};
  if (of.tokenizer != nullptr) input.tokens = shownNames(text.ids, *of.tokenizer);
  return input;
}

namespace {

/// The page's own text with its other one.
model::TextToSweep textOfPage(const AskedWord& asked, const SweepTexts& chosen, bool withOther) {
  const ModelMoment& moment = *asked.moment;
  const model::AskedWord word{asked.row, asked.word, asked.other};
  const model::ModelInput own = moment.trace->document().input;
  model::TextToSweep text{{}, own, {}, [word](const model::ModelTrace&) { return word; }};
  if (!withOther) return text;
  text.other = inputOfText(moment.first(), chosen.otherText);
  if (!chosen.swapped) return text;
  if (moment.source != nullptr) {  // the target is that of both sources
    text.source = std::exchange(*text.other, moment.source->trace->document().input);
    return text;
  }
  model::AskedWord there = word;
  there.row = model::aligned(own, *text.other).places[static_cast<std::size_t>(word.row)];
  if (there.row == model::kNoPartner) there.row = std::ssize(text.other->ids) - 1;
  std::swap(text.input, *text.other);
  text.asked = [there](const model::ModelTrace&) { return there; };
  return text;
}

}  // namespace

std::shared_ptr<model::TextsSweep> sweepOf(const AskedWord& asked, const SweepTexts& chosen,
                                           model::SweepSetting setting,
                                           const ExecutionContext& execution) {
  const bool withOther = setting.with == model::SweepWith::other;
  const ModelMoment& moment = *asked.moment;
  for (const formats::TextOfSet& text :
       chosen.meanOf != nullptr ? *chosen.meanOf : std::vector<formats::TextOfSet>()) {
    setting.meanOf.push_back(inputOfSet(moment, text.text));
  }
  std::vector<model::TextToSweep> texts;
  if (chosen.set == nullptr) texts.push_back(textOfPage(asked, chosen, withOther));
  for (const formats::TextOfSet& text :
       chosen.set != nullptr ? *chosen.set : std::vector<formats::TextOfSet>()) {
    if (withOther && text.other.empty()) {
      throw UserError(
          trFormat("{} has no \"corrupt\" text, whose values are put in place", text.name));
    }
    const bool swapped = withOther && chosen.swapped;
    texts.push_back({text.name,
                     inputOfSet(moment, swapped ? text.other : text.text),
                     {},
                     [text, asked, wordChosen = chosen.wordChosen](const model::ModelTrace& trace) {
                       return askedIn(text, asked, wordChosen, trace);
                     }});
    if (!text.other.empty())
      texts.back().other = inputOfSet(moment, swapped ? text.text : text.other);
    if (moment.source != nullptr) {
      texts.back().source = std::exchange(texts.back().input, moment.trace->document().input);
    }
  }
  return std::make_shared<model::TextsSweep>(moment.trace->documentPtr(), std::move(texts),
                                             std::move(setting), execution, moment.trace);
}

std::string shownText(const ModelMoment& moment, const formats::TextOrIds& text) {
  if (text.ids.empty()) return text.text;
  const formats::TokenizerPtr& tokenizer = moment.first().tokenizer;
  if (tokenizer == nullptr) return fmt::format("{}", fmt::join(text.ids, ", "));
  return tokenizer->decode({text.ids.begin(), text.ids.end()});
}

}  // namespace headscope::ui
