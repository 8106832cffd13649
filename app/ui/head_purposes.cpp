#include "app/ui/head_purposes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/selection.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/heads/designed_heads.h"
#include "core/presets/presets.h"
#include "core/training/relations.h"
#include "core/training/trained_relations.h"

namespace headscope::ui {
namespace {

using Kind = HeadPurpose::Kind;

HeadPurpose purposeOf(const DesignedHead& head) {
  if (head.drawn) {
    const std::string instead =
        head.instead.empty() ? "" : trFormat(" in place of {}", head.instead);
    return {Kind::drawn, head.title, fmt::format("{}{}: {}.", head.title, instead, head.why)};
  }
  std::string text = trFormat("{} ({}). {}\n\nWhat its scores are made of: {}.", head.title,
                              tr(kDesignedNotLearned), head.about, head.structure);
  if (!head.why.empty()) text += trFormat("\n\nHere {}.", head.why);
  return {Kind::designed, head.title, std::move(text)};
}

HeadPurpose purposeOf(const training::TrainedFor& head, const Document& document) {
  return {Kind::trained, head.title,
          trFormat("Trained for:\n{}\n\nWhich head answers which question was set beforehand. "
                   "Where it looks for the answer was learned, from {}.",
                   fmt::join(head.asked, "\n"), inWords(trainingDomainOf(document)))};
}

HeadPurpose purposeOf(const std::optional<DeclaredRelation>& learned) {
  if (!learned) return {Kind::learned, {}, {}};
  return {Kind::learned, learned->name,
          trFormat("Learned: {}.\n\nThe model's task asks questions. Where a head looks to answer "
                   "them was not set beforehand.",
                   learned->name)};
}

const HeadPurpose* purposeAt(const std::vector<HeadPurpose>* purposes, Index head) {
  const auto index = static_cast<std::size_t>(head);
  return purposes == nullptr || index >= purposes->size() ? nullptr : &(*purposes)[index];
}

}  // namespace

std::vector<HeadPurpose> headPurposes(const Document& document) {
  std::vector<HeadPurpose> purposes;
  for (const DesignedHead& head : designedHeads(document)) purposes.push_back(purposeOf(head));
  for (const training::TrainedFor& head : training::trainedFor(document)) {
    purposes.push_back(purposeOf(head, document));
  }
  if (!purposes.empty()) return purposes;
  for (const auto& learned : declaredRelations(document)) purposes.push_back(purposeOf(learned));
  if (!purposes.empty()) return purposes;
  for (const std::string& favoured : biasedHeads(document.config.pairBias)) {
    purposes.push_back(
        {Kind::biased, favoured,
         trFormat("{}: where the bias of its pairs leads it. The bias is given, its weights are "
                  "drawn at random.",
                  favoured)});
  }
  return purposes;
}

const std::vector<HeadPurpose>* PurposesOfPass::of(const TracePtr& trace) {
  if (of_.lock() != trace) {
    heads_ = headPurposes(trace->document());
    of_ = trace;
  }
  return &heads_;
}

std::string purposeTitle(const std::vector<HeadPurpose>* purposes, Index head) {
  const HeadPurpose* found = purposeAt(purposes, head);
  return found != nullptr && found->kind != Kind::drawn ? found->title : std::string();
}

std::string namedHead(const std::vector<HeadPurpose>* purposes, Index head) {
  const std::string title = purposeTitle(purposes, head);
  return trFormat("head {}{}{}", head + 1, title.empty() ? "" : ": ", title);
}

std::string purposeExplanation(const PanelContext& panel, Index head) {
  const HeadPurpose* found = purposeAt(panel.purposes, head);
  if (found == nullptr) return {};
  const bool edited = found->kind != Kind::drawn && panel.trace.document().weightsEdited;
  return found->explanation + (edited ? tr("\n\nIts weights may have been edited since.") : "");
}

std::string purposesInWords(const std::vector<HeadPurpose>* purposes) {
  if (purposes == nullptr || purposes->empty()) return {};
  const auto& heads = *purposes;
  if (headsAreTrained(purposes) || headsLearnedATask(purposes)) return tr("learned, not designed");
  if (heads.front().kind == Kind::biased) return tr("led by their biases, with drawn weights");
  const auto drawn = static_cast<std::size_t>(std::count_if(
      heads.begin(), heads.end(), [](const HeadPurpose& h) { return h.kind == Kind::drawn; }));
  if (drawn == 0) return tr(kDesignedNotLearned);
  if (drawn == heads.size()) return tr("drawn at random: no head can be designed here");
  return trFormat("{}; {} of {} drawn at random", tr(kDesignedNotLearned), drawn, heads.size());
}

bool headsAreTrained(const std::vector<HeadPurpose>* purposes) {
  return purposes != nullptr && !purposes->empty() && purposes->front().kind == Kind::trained;
}

bool headsLearnedATask(const std::vector<HeadPurpose>* purposes) {
  return purposes != nullptr && !purposes->empty() && purposes->front().kind == Kind::learned;
}

void showHowLearned(const PanelContext& panel) {
  panel.selection.page = kHeadsPage;
  panel.selection.focus.clear();
  panel.headsView.effectTab = EffectTab::howLearned;
}

bool howLearnedButton(const PanelContext& panel) {
  const bool clicked = pill(panel.look, kHowLearned);
  tip(panel.look,
      tr("The questions these heads were trained on, their training data, and their limits"));
  if (clicked) showHowLearned(panel);
  return clicked;
}

std::vector<std::string> titleLines(ImFont* font, const std::string& title, float room, int most) {
  std::vector<std::string> lines;
  std::string rest = title;
  while (textSize(font, rest).x > room && std::ssize(lines) + 1 < most) {
    std::size_t cut = std::string::npos;  // the last space before which the words still fit
    for (std::size_t i = rest.find(' '); i != std::string::npos; i = rest.find(' ', i + 1)) {
      if (textSize(font, rest.substr(0, i)).x <= room) cut = i;
    }
    if (cut == std::string::npos) break;
    lines.push_back(rest.substr(0, cut));
    rest.erase(0, cut + 1);
  }
  lines.push_back(elided(font, rest, room));
  return lines;
}

}  // namespace headscope::ui
