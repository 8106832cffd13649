// Replaces a head's output: predictions before and after side by side, and the head's direct share
// of the change.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/model_words.h"
#include "app/ui/model/picture_choice.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/table.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/translation.h"
#include "core/formats/text_templates.h"
#include "core/model/head_output.h"
#include "core/model/logit_parts.h"
#include "core/model/stacks.h"
#include "core/model/text_alignment.h"

namespace headscope::ui {
namespace {

using model::HeadReplaced;

/// A text to begin with where another one is asked for: the page's own with another name or word;
/// else one of a template that the tokenizer can write; where there is none, the page's own. Of a
/// model of images, a drawing.
std::string firstOtherText(const ModelMoment& moment) {
  const std::string& own = moment.given();
  if (moment.first().ofImage()) return anotherDrawing(own);
  const formats::TokenizerPtr& tokenizer = moment.first().tokenizer;
  if (tokenizer == nullptr) return own;
  if (auto other = formats::withAnotherWord(own, *tokenizer)) return std::move(*other);
  try {
    const auto& of = formats::readableTemplate(*tokenizer);
    const formats::TextOfSet found = formats::textsOf(of, *tokenizer, 1, 1).front();
    return found.text.text != own ? found.text.text : found.other.text;
  } catch (const UserError&) {  // its words are none of the template's
    return own;
  }
}

/// A head, and the replacement of its output.
struct Replacing {
  HeadOfLayer head;
  std::string layer;  // "layer 3"
  Instead instead;
  std::string otherText;  // or the path of a picture
  model::Stack stack = model::Stack::decoder;
  const char* given = "";  // "text", "picture"
  std::string otherName;   // the other text, or the other picture's name

  /// The moment of the stack whose head it is.
  const ModelMoment& momentOf(const ModelMoment& moment) const {
    return stack == model::Stack::encoder ? *moment.source : moment;
  }

  std::string inWords() const {
    const std::string of = trFormat("{}, head {}", layer, head.head + 1);
    switch (instead) {
      case Instead::nothing:
        return trFormat("With the output of {} set to zero", of);
      case Instead::mean:
        return trFormat("With the output of {} at its mean over this {}'s tokens", of, given);
      case Instead::otherText:
        return trFormat("With the output of {} as on “{}”", of, otherName);
    }
    return {};
  }
};

struct Replaced : HeadReplaced {
  std::string alignment;  // of the other text, in words; empty: there is none, or of equal length
};

/// Computes the replacement, after the pass of the other text if there is one. It can be cancelled
/// after each layer.
class Replacement {
 public:
  Replacement(AskedWord asked, Replacing with, const ExecutionContext& execution)
      : asked_(std::move(asked)), with_(std::move(with)), execution_(execution) {
    const ModelMoment& own = with_.momentOf(*asked_.moment);
    const model::ModelTrace& before = *own.trace;
    if (with_.instead == Instead::nothing) {
      begin(Tensor::zeros({before.tokens(), before.config().headDim}));
    } else if (with_.instead == Instead::mean) {
      begin(model::meanOfRows(headOutput(before, with_.head)));
    } else {
      model::ModelInput input = inputOfText(own, with_.otherText);
      alignment_ = aligned(before.document().input, input);
      other_.emplace(withInput(before.document(), std::move(input)), nullptr, execution_,
                     defaultMemoryBudget() / 4);
    }
  }

  /// Runs one layer of the other text's pass, then of the pass with the head replaced. Returns true
  /// after the last one.
  bool runUnit() {
    if (replacement_) return replacement_->runUnit();
    if (!other_->runUnit()) return false;
    if (other_->trace() == nullptr) return true;  // cancelled
    const Tensor own = headOutput(*with_.momentOf(*asked_.moment).trace, with_.head);
    begin(model::alignedRows(own, headOutput(*other_->trace(), with_.head), alignment_.places));
    other_.reset();
    return false;
  }
  std::optional<Replaced> found() const {
    auto found = replacement_ ? replacement_->found() : std::nullopt;
    if (!found) return std::nullopt;
    return Replaced{std::move(*found), alignment_.inWords};
  }

 private:
  void begin(const Tensor& rows) {
    replacement_.emplace(asked_.moment->trace, with_.head, rows, asked_.row, asked_.word,
                         asked_.other, execution_, with_.stack);
  }

  AskedWord asked_;
  Replacing with_;
  ExecutionContext execution_;
  model::AlignedText alignment_;
  std::optional<model::ModelPass> other_;  // the pass of the other text, while it runs
  std::optional<model::HeadReplacement> replacement_;
};

std::string effectInWords(const HeadReplaced& found, const AskedWord& asked,
                          const Replacing& with) {
  const std::string text = trFormat("{}, the {} goes from {:.3f} to {:.3f}: total effect {}.",
                                    with.inWords(), asked.logitName(), found.logitBefore,
                                    found.logitAfter, changeInWords(found.total()));
  if (with.stack == model::Stack::encoder) {
    return text +
           tr(" All of it comes through the memory, which the decoder's cross-attention reads.");
  }
  if (!found.direct) {
    return text +
           trFormat(" The direct part is not defined, since {}.", model::DirectPath::whyNone());
  }
  const std::string between = model::afterHeadInWords(asked.moment->config(), with.head);
  if (between.empty()) return text + tr(" All of it is direct: no layer follows this head.");
  return text + trFormat(
                    " Direct effect {}: the change in what the head itself writes at this token. "
                    "The other {} come through {}.",
                    changeInWords(*found.direct), changeInWords(found.total() - *found.direct),
                    between);
}

void wordsTable(const PanelContext& panel, const AskedWord& asked, const HeadReplaced& found) {
  const FrameContext& look = panel.look;
  Table table(
      look, {.id = "replaced", .height = ImGui::GetContentRegionAvail().y, .dense = true},
      {{nounsOf(*asked.moment).said, {}, false, 110, 0, false},
       {tr("before"), tr("its probability"), true, 60, 0, false},
       {"", {}, false, 60, 1, false},
       {tr("after"), tr("its probability with the head's output replaced"), true, 60, 0, false},
       {"", {}, false, 60, 1, false},
       {tr("change"), {}, true, 64, 0, false}});
  table.rows(std::ssize(found.words), [&](Index i) {
    const HeadReplaced::Word& word = found.words[static_cast<std::size_t>(i)];
    table.row(i, word.id == asked.word);
    table.text(asked.moment->nameOf(word.id));
    table.number(probabilityInWords(word.before));
    table.bar(static_cast<float>(word.before), withAlpha(look.theme.textMuted, 0.6F));
    table.number(probabilityInWords(word.after));
    table.bar(static_cast<float>(word.after), look.theme.accent);
    table.number(changeInWords(word.after - word.before), look.theme.textMuted);
  });
}

}  // namespace

Instead chooseInstead(const PanelContext& panel, const AskedWord& asked, const char* caption,
                      bool beginsRow) {
  const FrameContext& look = panel.look;
  PredictionView& shown = panel.modelView.prediction;
  const std::vector<std::string> offered{
      "nothing", tr("its mean"), trFormat("as on another {}", nounsOf(*asked.moment).given)};
  shown.instead = std::clamp(shown.instead, 0, static_cast<int>(offered.size()) - 1);
  const int chosen = menuOf(look, caption, "##instead", offered, shown.instead, beginsRow);
  if (chosen >= 0) shown.instead = chosen;
  return static_cast<Instead>(shown.instead);
}

void otherTextField(const PanelContext& panel, const AskedWord& asked) {
  PredictionView& shown = panel.modelView.prediction;
  if (shown.otherText.empty()) shown.otherText = firstOtherText(*asked.moment);
  const bool image = asked.moment->ofImage();
  if (image) {
    if (auto drawing = offerDrawings(panel.look, "other", shown.otherText, true)) {
      shown.otherText = *std::move(drawing);
    }
    ImGui::SameLine(0.0F, panel.look.space.small);
  }
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  textField(panel.look,
            image ? TextField{"##other picture", 0, tr("the file of another picture")}
                  : textOfLines("##other text", shown.otherText),
            shown.otherText);
  if (shown.otherText != asked.moment->given()) return;
  if (image) {
    return wrappedLabel(panel.look.fonts.small, panel.look.theme.keyText,
                        tr("This is the page's own picture, so that nothing changes: choose "
                           "another one."));
  }
  wrappedLabel(
      panel.look.fonts.small, panel.look.theme.keyText,
      tr("This is the page's own text, so that nothing changes: write another one, such as "
         "the same sentence with another name."));
}

void drawHeadReplaced(const PanelContext& panel, const AskedWord& asked) {
  const FrameContext& look = panel.look;
  ModelView& view = panel.modelView;
  const model::ModelConfig& c = asked.moment->config();
  const bool ofEncoder =
      asked.moment->source != nullptr && view.attention == AttentionShown::encoder;
  const model::Stack stack = ofEncoder ? model::Stack::encoder : model::Stack::decoder;
  const HeadOfLayer head =
      ofEncoder ? chosenHead(view, asked.moment->source->config()) : chosenHead(view, c);
  const std::string layer = model::layerInWords(c, stack, head.layer);
  const Instead instead = chooseInstead(
      panel, asked, trFormat("{}, head {} gives", layer, head.head + 1).c_str(), true);
  const std::string& otherText = view.prediction.otherText;
  if (instead == Instead::otherText) otherTextField(panel, asked);
  const Replacing with{head,
                       layer,
                       instead,
                       otherText,
                       stack,
                       nounsOf(*asked.moment).given,
                       asked.moment->ofImage() ? pictureName(otherText) : otherText};
  Fingerprint key = asked.key("replaced");
  key.add(with.head.layer).add(with.head.head).add(with.instead).add(with.stack);
  if (instead == Instead::otherText) key.add(Fingerprint(with.otherText));
  const auto found =
      panel.computations.request<Replaced>("head replaced", key, Schedule::whenIdle, [&] {
        return unitsOf(
            [asked, with](const std::atomic<bool>& cancelled) {
              return std::make_shared<Replacement>(asked, with, ExecutionContext{0, &cancelled});
            },
            [](const Replacement& replacement) { return replacement.found(); });
      });
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (found.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
  }
  const std::string& alignment = found.current->alignment;
  wrappedLabel(
      look.fonts.small, look.theme.text,
      effectInWords(*found.current, asked, with) + (alignment.empty() ? "" : " " + alignment));
  wordsTable(panel, asked, *found.current);
}

}  // namespace headscope::ui
