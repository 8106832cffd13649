// The open model, its text, and its prediction at a token.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/read_as.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/ids.h"
#include "app/ui/model/image_view.h"
#include "app/ui/model/model_page.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/model_words.h"
#include "app/ui/model/picture_choice.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/formats/shipped_model.h"
#include "core/language/story_questions.h"

namespace headscope::ui {
namespace {

class ModelTextCard final : public Card {
 public:
  explicit ModelTextCard(LiveModel& model)
      : Card({kModelTextCard, tr("Model"), tr("its input and its prediction")}), model_(model) {}

  void draw(const PanelContext& panel) override {
    const FrameContext& look = panel.look;
    heading(look, text().title, model_.busy() ? tr("at work …") : text().about);
    const auto moment = model_.moment();
    // a wide card has the picture at one side, and all else at the other
    const bool sideBySide = moment != nullptr && moment->ofImage() && isWide(look, Rect::rest());
    const bool apart =
        moment != nullptr && !sideBySide && !isAttentionAlone(*moment->trace->document().model);
    // the prediction stays in view below a text or a picture that is too high for the card
    const float room = ImGui::GetContentRegionAvail().y;
    const float most = (moment != nullptr && moment->ofImage() ? 0.3F : 0.5F) * room;
    const float below =
        predictionHeight_.points > 0.0F ? std::min(predictionHeight_.points, most) : most;
    const bool fits = bodyHeight_.points > 0.0F && bodyHeight_.points + below <= room;
    beginPart("model text body", {0.0F, !apart ? 0.0F : fits ? bodyHeight_.points : room - below});
    body(panel);
    if (apart) bodyHeight_.keep(look, moment->number);
    ImGui::EndChild();
    if (!apart) return;
    beginPart("model prediction", {0.0F, 0.0F});
    predictions(panel, *moment);
    predictionHeight_.keep(look, moment->number);
    ImGui::EndChild();
  }

 private:
  /// The height of a part of the card, which the next frame gives it. It follows at once where the
  /// part has grown; a part does not shrink while it shows one moment in one width, so that no
  /// scroll bar comes and goes.
  struct Height {
    float points = 0.0F;  // 0: not known yet
    std::uint64_t of = 0;
    float width = 0.0F;

    void keep(const FrameContext& look, std::uint64_t moment) {
      const float across = ImGui::GetWindowWidth();
      const bool same =
          std::exchange(of, moment) == moment && std::exchange(width, across) == across;
      const float now = ImGui::GetCursorPosY() + look.space.small;
      if (same && now <= points + 0.5F) return;
      points = now;
      look.changesIn(0.0);
    }
  };

  static bool isWide(const FrameContext& look, const Rect& room) {
    return room.width() > look.px(640);
  }

  void body(const PanelContext& panel) {
    const FrameContext& look = panel.look;
    const auto moment = model_.moment();
    if (!model_.problem().empty()) {
      wrappedLabel(look.fonts.regular, look.theme.bad, model_.problem());
      const auto most = model_.cutOffered();
      if (most && pill(look, trFormat("use the first {} tokens", withThousands(*most)).c_str())) {
        model_.cutText();
      }
    }
    if (model_.weightsChanged()) changedWeights(look);
    if (moment == nullptr && model_.busy()) {
      std::string_view name = panel.modelView.place.folder;
      name.remove_prefix(name.find_last_of("/\\") + 1);  // npos + 1 is 0
      return wrappedLabel(look.fonts.regular, look.theme.textMuted,
                          trFormat("opening {} …", name.empty() ? tr("the model") : name));
    }
    if (moment == nullptr) {
      wrappedLabel(
          look.fonts.regular, look.theme.text,
          tr("Drop the folder of a model on this window: the one with "
             "config.json, model.safetensors and its tokenizer, as downloaded. It stays on "
             "this machine; nothing is sent."));
      if (pill(look, tr("Open a folder …"))) chooseFile(panel, true);
      ImGui::Dummy({0.0F, look.space.small});
      if (primaryPill(look, tr("Open a small language model"))) {
        panel.modelView.place = {formats::kStoriesModel, {}};
      }
      wrappedLabel(
          look.fonts.small, look.theme.textMuted,
          tr("Two layers, trained by this program on little stories: it says the next word."));
      ImGui::Dummy({0.0F, look.space.small});
      if (pill(look, tr("Open a small image model"))) {
        panel.modelView.place = {formats::kShapesModel, {}};
      }
      wrappedLabel(look.fonts.small, look.theme.textMuted,
                   tr("Two layers, trained by this program on drawn shapes: circle, square or "
                      "triangle."));
      ImGui::Dummy({0.0F, look.space.small});
      if (pill(look, tr("Open a model of repeated letters"))) {
        panel.modelView.place = {formats::kInductionModel, {}};
      }
      wrappedLabel(
          look.fonts.small, look.theme.textMuted,
          tr("Two layers of attention alone: given a repeated row of letters, they predict "
             "the next one."));
      return;
    }
    label(look.fonts.semibold, look.theme.text, moment->trace->document().model->name());
    wrappedLabel(look.fonts.small, look.theme.textMuted,
                 modelInWords(*moment->trace->document().model));
    if (isAttentionAlone(*moment->trace->document().model)) return attentionAlone(panel, *moment);
    notes(look, moment->trace->document().model->notes());
    if (!moment->adapter.folder.empty()) adapter(look, *moment);
    ImGui::Dummy({0.0F, look.space.small});
    if (moment->ofImage()) return pictureAndLabels(panel, *moment);
    if (encoderOfTexts(panel, *moment)) wayToPicture(panel);
    field(panel, *moment);
    if (moment->source != nullptr) {
      sourceTokens(panel, *moment->source);
      targetField(panel, *moment);
    }
    tokens(panel, *moment);
  }

  /// Draws a picture and its map; in a wide card both stand at its side, with the labels.
  void pictureAndLabels(const PanelContext& panel, const ModelMoment& moment) {
    const FrameContext& look = panel.look;
    picture_ = moment.text;
    Rect room = Rect::rest();
    const bool wide = isWide(look, room);
    if (wide) {
      const Rect right = room.cutRight(room.width() * 0.5F, look.space.large);
      drawImage(panel, moment, room.size());
      ImGui::SetCursorScreenPos(right.a);
      beginPart("beside the picture", right.size());
    }
    choosePicture(look, panel, moment);
    drawImageChoice(panel, moment);
    const float width = std::min(room.width(), look.px(420));
    if (!wide) drawImage(panel, moment, {width, 4.0F * width});
    drawImageWords(panel, moment);
    if (!wide) return;
    predictions(panel, moment);
    ImGui::EndChild();
  }

  /// Returns whether a moment is a pass of a CLIP's encoder of texts.
  static bool encoderOfTexts(const PanelContext& panel, const ModelMoment& moment) {
    const Fingerprint key("encoder of texts", moment.number);
    const bool* found = panel.computations.computeNow<bool>(
        "encoder of texts", key, [&] { return !moment.ofImage() && readsPictures(moment); });
    return found != nullptr && *found;
  }

  /// Draws the way from a CLIP's encoder of texts to that of images.
  void wayToPicture(const PanelContext& panel) {
    if (pill(panel.look, "← picture")) model_.setText(picture_);
    tip(panel.look, trFormat("The encoder of images, and how well texts match its picture ({})",
                             pictureName(picture_)));
  }

  /// Draws the tokens of a file of attention weights, which tells nothing else about its model.
  void attentionAlone(const PanelContext& panel, const ModelMoment& moment) {
    const FrameContext& look = panel.look;
    for (const std::string& note : moment.trace->document().model->notes().files) {
      ImGui::Dummy({0.0F, look.space.small});
      wrappedLabel(look.fonts.small, look.theme.textMuted, note);
    }
    ImGui::Dummy({0.0F, look.space.small});
    if (moment.source != nullptr) sourceTokens(panel, *moment.source);
    tokens(panel, moment);
  }

  /// Draws a line about the parts of the folder that the pass leaves out; a tooltip lists them.
  static void notes(const FrameContext& look, const model::ModelNotes& notes) {
    if (notes.empty()) return;
    label(look.fonts.small, look.theme.accentText, notesInWords(notes));
    tip(look, fmt::format("{}", fmt::join(notes.sentences(), "\n")));
  }

  /// Draws the strength of the adapter, which becomes an edit when the slider is released.
  void adapter(const FrameContext& look, const ModelMoment& moment) {
    const model::AppliedAdapter* applied = moment.trace->document().model->adapter();
    if (applied == nullptr) return;
    if (!sliding_) strength_ = static_cast<float>(moment.adapter.strength);
    label(look.fonts.small, look.theme.textMuted, tr("strength of the adapter"));
    tip(look, trFormat("{}\nW + strength · α/r · B·A (LoRA, Hu et al. 2021)", applied->folder));
    const float off = buttonWidth(look, tr("take off")) + look.space.medium;
    ImGui::SetNextItemWidth(std::max(1.0F, ImGui::GetContentRegionAvail().x - off));
    ImGui::SliderFloat("##adapter strength", &strength_, 0.0F, 1.0F, "%.2f",
                       ImGuiSliderFlags_AlwaysClamp);
    sliding_ = ImGui::IsItemActive();
    if (ImGui::IsItemDeactivatedAfterEdit()) {
      constexpr double kSteps = 100.0;  // as many as are shown
      model_.setAdapter(
          {moment.adapter.folder, std::round(static_cast<double>(strength_) * kSteps) / kSteps});
    }
    ImGui::SameLine(0.0F, look.space.medium);
    if (pill(look, tr("take off"))) model_.setAdapter({});
    tip(look, tr("The base model without the adapter"));
  }

  /// Draws the way to another picture; of a card alone, as a slide is, the shapes.
  void choosePicture(const FrameContext& look, const PanelContext& panel,
                     const ModelMoment& moment) {
    const bool ofShapes = moment.folder == formats::kShapesModel;
    if (panel.alone) return ofShapes ? shapes(look, moment, true) : void();
    if (pill(look, tr("Open a picture …"))) chooseFile(panel, false);
    tip(look, tr("A PNG, JPEG or WebP file; it may also be dropped here, or pasted: ctrl+v"));
    if (ofShapes) {
      shapes(look, moment, false);
    } else if (!moment.text.empty()) {
      flowOn(look, buttonWidth(look, tr("our own picture")), 3.0F);
      if (pill(look, tr("our own picture"))) model_.setText({});
    }
    wrappedLabel(look.fonts.small, look.theme.textMuted, pictureName(moment.text));
  }

  /// Draws the choice of our drawings.
  void shapes(const FrameContext& look, const ModelMoment& moment, bool beginsRow) {
    if (auto drawing = offerDrawings(look, "text", moment.text, beginsRow)) {
      model_.setText(*std::move(drawing));
    }
  }

  /// Opens the host's dialog, or the program's own.
  static void chooseFile(const PanelContext& panel, bool folder) {
    if (panel.hostHasDialog) {
      panel.commands.add(ChooseFiles{.folder = folder});
    } else {
      panel.commands.add(AskToOpen{});
    }
  }

  void changedWeights(const FrameContext& look) {
    wrappedLabel(look.fonts.regular, look.theme.bad,
                 tr("The weights on the disk have changed. The window still shows the old ones."));
    if (pill(look, tr("Reload"))) model_.reload();
    tip(look, tr("Opens the folder again, with this text: all heads on, no layer edited"));
  }

  void field(const PanelContext& panel, const ModelMoment& moment) {
    const FrameContext& look = panel.look;
    if (of_ != moment.number && !typing_) draft_ = moment.given();
    if (of_ != moment.number && !typingTarget_) targetDraft_ = moment.text;
    of_ = moment.number;
    if (!moment.tokenizerProblem.empty()) {
      wrappedLabel(look.fonts.small, look.theme.bad, moment.tokenizerProblem);
    }
    const ModelMoment& given = moment.source != nullptr ? *moment.source : moment;
    const char* what = moment.source != nullptr ? tr("source text") : tr("text");
    label(look.fonts.small, look.theme.textMuted,
          given.tokenizer != nullptr ? what : tr("ids of tokens: the folder has no tokenizer"));
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    if (textField(look, textOfLines("##model text", draft_), draft_)) model_.setText(draft_);
    typing_ = ImGui::IsItemActive();
    tip(look, tr("ctrl+enter starts a new line"));
    const std::string& folder = panel.modelView.place.folder;
    if (folder == formats::kInductionModel) {
      wrappedLabel(look.fonts.small, look.theme.textMuted,
                   tr("It knows the letters a to z: capitals become lower case, other characters "
                      "are skipped."));
    }
    if (folder == formats::kStoriesModel) stories(panel, moment);
    if (given.wholeTokens > 0) {
      label(look.fonts.small, look.theme.textMuted,
            trFormat("the first {} of {} tokens", withThousands(given.trace->tokens()),
                     withThousands(given.wholeTokens)));
    }
  }

  /// Draws the tokens of the source text.
  static void sourceTokens(const PanelContext& panel, const ModelMoment& source) {
    const FrameContext& look = panel.look;
    constexpr std::size_t kMost = 60;
    const std::vector<std::string> names = source.tokenNames();
    std::vector<std::string> shown(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, names.size())));
    wrappedLabel(look.fonts.small, look.theme.textMuted,
                 trFormat("{} tokens: {}{}", withThousands(std::ssize(names)),
                          fmt::join(shown, " "), names.size() > kMost ? " …" : ""));
  }

  /// Draws the target, which is typed or written by the model.
  void targetField(const PanelContext& panel, const ModelMoment& moment) {
    const FrameContext& look = panel.look;
    ImGui::Dummy({0.0F, look.space.tight});
    wrappedLabel(look.fonts.small, look.theme.textMuted,
                 moment.writing         ? tr("target: the model writes it …")
                 : moment.writtenBefore ? tr("target, written by the model before it was changed")
                 : moment.written
                     ? trFormat("target, written by the model: {}", writtenInWords(moment))
                     : tr("target"));
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
    if (textField(look, textOfLines("##target text", targetDraft_), targetDraft_)) {
      model_.setTarget(targetDraft_);
    }
    typingTarget_ = ImGui::IsItemActive();
    tip(look, tr("Type a target to see how the decoder reads it; ctrl+enter starts a new line"));
    if (moment.written && !moment.writtenBefore) return;
    if (pill(look, tr("let the model write"))) model_.setTarget({});
    tip(look,
        tr("The decoder writes the target again: the most probable token each time, but where the "
           "model forces or bars one"));
  }

  /// Draws what the model of stories knows, and a text for each question about stories.
  void stories(const PanelContext& panel, const ModelMoment& moment) {
    const FrameContext& look = panel.look;
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        tr("It knows the words of little stories; any other becomes <unk>. Texts that ask it "
           "for a word:"));
    const auto& questions = language::storyQuestions();
    for (std::size_t q = 0; q < questions.size(); ++q) {
      const std::string name(questions[q].name);
      if (q > 0) flowOn(look, buttonWidth(look, name), 3.0F);
      if (pill(look, name.c_str())) {
        const std::vector<std::int32_t> tokens = language::storyCases(q, 1).front().tokens;
        model_.setText(moment.tokenizer->decode({tokens.begin(), tokens.end()}));
        panel.modelView.prediction.word = panel.modelView.prediction.other = -1;
      }
      tip(look, std::string(tr(questions[q].words)));
    }
  }

  /// Draws the tokens; a click chooses the one whose prediction is shown. A long text is shown in
  /// pages, first the one of the chosen token.
  void tokens(const PanelContext& panel, const ModelMoment& moment) {
    const FrameContext& look = panel.look;
    const std::vector<std::string> names = moment.tokenNames();
    const Index chosen = chosenToken(panel.modelView, moment);
    const Index count = std::ssize(names);
    if (chosen != chosen_) page_ = chosen / kMostShown;
    chosen_ = chosen;
    page_ = std::clamp<Index>(page_, 0, (count - 1) / kMostShown);
    const Index first = page_ * kMostShown, last = std::min(count, first + kMostShown);
    ImGui::Dummy({0.0F, look.space.tight});
    if (first > 0 && pill(look, trFormat("‹ places 1 to {}", first).c_str())) --page_;
    if (last < count) {
      const std::string more = trFormat("places {} to {} ›", last + 1, count);
      if (first > 0) flowOn(look, buttonWidth(look, more), 3.0F);
      if (pill(look, more.c_str())) ++page_;
    }
    for (Index i = first; i < last; ++i) {
      const std::string id = fmt::format("{}##token {}", names[static_cast<std::size_t>(i)], i);
      if (i > first) flowOn(look, buttonWidth(look, id), 3.0F);
      if (pill(look, id.c_str(), i == chosen)) panel.modelView.token = i;
      const Index token = moment.trace->document().input.ids[static_cast<std::size_t>(i)];
      const bool start =
          i == 0 && moment.source != nullptr && token == moment.config().target.start;
      tip(look, trFormat("place {}, id {}{}", i + 1, token,
                         start ? tr(": the start token, which is given and not written") : ""));
    }
  }

  void predictions(const PanelContext& panel, const ModelMoment& moment) {
    const FrameContext& look = panel.look;
    ImGui::Dummy({0.0F, look.space.small});
    if (moment.predictions.empty()) {
      const bool says = moment.trace->document().model->hasReadout();
      wrappedLabel(look.fonts.small, look.theme.textMuted,
                   !says           ? (moment.ofImage() ? tr("This model has no classifier.")
                                                       : tr("This model has no language-model head."))
                   : model_.busy() ? tr("Computing the prediction …")
                                   : tr("The prediction could not be computed."));
      return;
    }
    const Index token = predictedRow(panel.modelView, moment);
    const std::string name = moment.tokenName(token);
    label(look.fonts.semibold, look.theme.text,
          moment.ofImage()         ? std::string(tr("The image's most probable labels"))
          : moment.config().causal ? trFormat("After “{}” it predicts", name)
                                   : trFormat("In place of “{}” it predicts", name));
    const auto& best = moment.predictions[static_cast<std::size_t>(token)];
    const float width = ImGui::GetContentRegionAvail().x;
    const float words = width * 0.4F;
    const UneditedModel* before = moment.unedited.get();
    const auto at = static_cast<std::size_t>(token);
    if (before != nullptr) {
      wrappedLabel(
          look.fonts.small, look.theme.textMuted,
          trFormat("as loaded it predicts “{}” {:.1f} %; its figures are at the right",
                   moment.nameOf(before->best[at].id), 100.0 * before->best[at].probability));
    }
    const float one = textSize(look.fonts.mono, "100.0 %").x;
    const float figures = before == nullptr ? one : 2 * one + look.space.medium;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const model::TokenProbability& each = best[i];
      const ImVec2 from = ImGui::GetCursorScreenPos();
      const float line = fontSize(look.fonts.regular) + look.space.small;
      ImDrawList* list = ImGui::GetWindowDrawList();
      const std::string whole = moment.nameOf(each.id);
      const std::string shown = elided(look.fonts.regular, whole, words - look.space.small);
      drawText(list, look.fonts.regular, from, look.theme.text, shown);
      const float bar = width - words - figures - look.space.medium;
      const auto barOf = [&](double probability) {
        return Rect::at({from.x + words, from.y + look.space.thin},
                        {bar * static_cast<float>(probability), line - look.space.small});
      };
      const Rect now = barOf(each.probability);
      list->AddRectFilled(now.a, now.b, look.theme.accent, look.space.thin);
      const auto figure = [&](double probability, float right, ImU32 color) {
        const std::string text = fmt::format("{:.1f} %", 100.0 * probability);
        const float left = from.x + width - right - textSize(look.fonts.mono, text).x;
        drawText(list, look.fonts.mono, {left, from.y}, color, text);
      };
      figure(each.probability, figures - one, look.theme.text);
      if (before != nullptr) {
        const Rect then = barOf(before->sames[at][i]);
        list->AddRect(then.a, then.b, look.theme.textMuted, look.space.thin);
        figure(before->sames[at][i], 0.0F, look.theme.textMuted);
      }
      ImGui::Dummy({width, line});
      if (shown != whole) tip(look, whole);
    }
    if (!model_.changed()) return;
    ImGui::Dummy({0.0F, look.space.small});
    if (pill(look, tr("as loaded"))) model_.undoChanges();
    tip(look, tr("All heads on, and no layer edited"));
  }

  static constexpr Index kMostShown = 200;  // tokens per page

  std::string picture_;  // the last one that was shown; empty: ours
  LiveModel& model_;
  Index page_ = 0;     // the shown page
  Index chosen_ = -1;  // the chosen token in the previous frame
  std::string draft_;
  std::uint64_t of_ = 0;
  std::string targetDraft_;
  bool typing_ = false, typingTarget_ = false;
  Height bodyHeight_, predictionHeight_;
  float strength_ = 1.0F;  // of the adapter, as the slider shows it
  bool sliding_ = false;
};

}  // namespace

std::unique_ptr<Card> makeModelTextCard(LiveModel& model) {
  return std::make_unique<ModelTextCard>(model);
}

}  // namespace headscope::ui
