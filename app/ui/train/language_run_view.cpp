#include "app/ui/train/language_run_view.h"

#include "app/ui/frame_commands.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"

namespace headscope::ui {

LearnedFrom chosenText(const TrainView& view) {
  LearnedFrom from;
  if (!learnsText(view)) return from;
  from.text = view.text;
  from.vocabulary = view.vocabulary;
  for (const formats::TextTokens tokens : formats::kTextTokens) {
    if (toString(tokens) == view.cutInto) from.tokens = tokens;
  }
  return from;
}

language::LanguageSettings chosenLanguage(const TrainView& view) {
  // small enough that questions are answered within a minute on two cores
  language::LanguageSettings settings;
  settings.model.dModel = 128;
  settings.model.heads = 8;
  settings.model.context = 64;
  settings.batch = 32;
  settings.evaluateEvery = 25;
  settings.snapshotBytes = Index{128} << 20;
  if (view.layers > 0) settings.model.layers = view.layers;
  if (view.dModel > 0) settings.model.dModel = view.dModel;
  if (view.heads > 0) settings.model.heads = view.heads;
  if (view.kvHeads > 0) settings.model.kvHeads = view.kvHeads;
  settings.model.networks = view.networks;
  settings.model.norms = view.norms;
  settings.model.rotary = view.rotary;
  settings.seed = view.seed;
  return settings;
}

void beginLanguage(const PanelContext& panel, LiveLanguage& language) {
  if (showsKeptRun(panel.trainView)) return language.beginKept();
  try {
    language.begin(chosenText(panel.trainView), chosenLanguage(panel.trainView));
  } catch (const UserError& error) {
    panel.commands.say(error.what(), true);
  }
}

void beginLanguageWhereAsked(const PanelContext& panel, LiveLanguage& language) {
  const TrainView& view = panel.trainView;
  if (learnsText(view) && view.text.empty()) return;
  language.setSentence(view.sentence);
  if (showsKeptRun(view)) {
    if (!language.isKept()) language.beginKept();
    return;
  }
  if (!language.isOf(chosenText(view), chosenLanguage(view))) beginLanguage(panel, language);
}

ImU32 questionColor(const Theme& theme, const LanguageMoment& moment, std::size_t question) {
  const language::LanguageEvaluation* now = moment.evaluation();
  const auto& at = moment.answeredAt[question];
  if (now == nullptr || !at || *at > moment.step) return theme.textMuted;
  const HeadOfLayer& head = now->questions[question].head;
  return headColor(theme,
                   static_cast<std::size_t>(head.layer * moment.settings.model.heads + head.head));
}

std::vector<RunMark> answeredMarks(const Theme& theme, const LanguageMoment& moment) {
  std::vector<RunMark> marks;
  for (std::size_t q = 0; q < moment.answeredAt.size(); ++q) {
    if (!moment.answeredAt[q]) continue;
    marks.push_back({*moment.answeredAt[q], questionColor(theme, moment, q),
                     std::string(language::storyQuestions()[q].name)});
  }
  return marks;
}

}  // namespace headscope::ui
