#include "app/ui/model/compared_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/letters.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/compared_model.h"
#include "app/ui/model/compared_pictures.h"
#include "app/ui/model/image_view.h"
#include "app/ui/model/model_page.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/model_words.h"
#include "app/ui/model/picture_choice.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/head_label.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/translation.h"
#include "core/formats/attention_file.h"
#include "core/formats/model_directory.h"
#include "core/formats/model_name.h"
#include "core/formats/shipped_model.h"

namespace headscope::ui {
namespace {

using MomentPtr = std::shared_ptr<const ModelMoment>;

constexpr std::array kTitles{trLater("this pass"), trLater("the other"), trLater("this − other")};

// The chosen head in both passes.

/// "this pass: induction 0.98, 7 rows".
std::string titleOf(std::size_t picture, const Computed<FoundHeads>& heads, const ModelMoment& of,
                    const HeadOfLayer& head) {
  if (heads.current == nullptr) return tr(kTitles[picture]);
  const HeadLabel& label = heads.current->heads->labels[placeOf(head, of.config())];
  return fmt::format("{}: {}", tr(kTitles[picture]), labelWithScore(label));
}

/// Returns an empty choice of tokens to leave out: all weights of the pass are drawn.
LeftOut nothingOf(const ModelMoment& moment) {
  const std::vector<bool> tokens(static_cast<std::size_t>(moment.trace->tokens()));
  return {tokens, tokens, std::vector<bool>(static_cast<std::size_t>(memoryTokens(moment)))};
}

/// A head's weights in a pass, with the names of its queries and keys.
Pictures::One pictureOf(const FrameContext& look, const MomentPtr& of, const HeadOfLayer& head,
                        std::string title) {
  const bool ofMemory = of->config().readsMemory(head.layer);
  return {drawnWeights({of}, head, nothingOf(*of)),
          weightScale(look, {}),
          std::move(title),
          {},
          of->tokenNames(),
          ofMemory ? of->source->tokenNames() : of->tokenNames()};
}

/// The head that is shown of a pass: of an encoder its own.
HeadOfLayer headShown(const ModelView& view, const model::ModelConfig& config) {
  if (!config.crossAttention && view.attention == AttentionShown::encoder) {
    return {std::clamp<Index>(view.layer, 0, config.layers - 1),
            std::clamp<Index>(view.head, 0, config.heads - 1)};
  }
  return chosenHead(view, config);
}

/// The chosen head in the shown parts of both passes.
Pictures picturesOfHead(const PanelContext& panel, const MomentPtr& own,
                        const ComparedPass& compared) {
  const FrameContext& look = panel.look;
  const HeadOfLayer head = headShown(panel.modelView, own->config());
  const MomentPtr& other = compared.shown;
  Pictures pictures;
  pictures.values = Fingerprint("head", own->number, other->number, head.layer, head.head);
  auto& [mine, others, difference] = pictures.all;
  const auto measured = measuredHeads(panel, *own, Schedule::background);
  mine = pictureOf(look, own, head, titleOf(0, measured, *own, head));
  difference.title = tr(kTitles.back());
  const model::ModelConfig& c = other->config();
  if (head.layer >= c.layers || head.head >= c.heads) {
    others.title = tr(kTitles[1]);
    others.why =
        trFormat("It has no {}, head {}.", own->config().layerInWords(head.layer), head.head + 1);
    difference.why = tr("There is none: the other pass has no such head.");
    return pictures;
  }
  others = pictureOf(look, other, head, titleOf(1, measuredOther(panel, *other), *other, head));
  if (!compared.subtracts()) {
    difference.why = tr("There is none: ") + compared.whyNoDifference + ".";
    return pictures;
  }
  const bool ofMemory = own->config().readsMemory(head.layer);
  const bool aligns = own->trace->tokens() != other->trace->tokens() ||
                      (ofMemory && memoryTokens(*own) != memoryTokens(*other));
  difference.cells = drawnWeights({own, other, compared.pairs}, head, nothingOf(*own));
  difference.rows = mine.rows;
  difference.columns = mine.columns;
  float most = 0.0F;
  std::vector<float> row(static_cast<std::size_t>(difference.cells.cols));
  for (Index i = 0; i < difference.cells.rows; ++i) {
    difference.cells.read(i, row);
    most = std::max(most, largestFinite(row));
  }
  difference.scale = divergingScale(look, std::max(most, 1e-6F));
  if (aligns) difference.title += tr(", aligned");
  difference.extent = trFormat("at most {:.2g}", most);
  return pictures;
}

/// Draws both images with the chosen head's row of the chosen token over each.
void drawImages(const PanelContext& panel, const ModelMoment& own, const ModelMoment& other,
                const Rect& room) {
  const FrameContext& look = panel.look;
  const HeadOfLayer head = headShown(panel.modelView, own.config());
  const Index token = chosenToken(panel.modelView, own);
  const std::string where = trFormat("layer {}, head {}: where “{}” looks", head.layer + 1,
                                     head.head + 1, own.tokenName(token));
  const float line = fontSize(look.fonts.small) + look.space.tight;
  const std::array both{&own, &other};
  for (std::size_t i = 0; i < both.size(); ++i) {
    Rect column = room.column(static_cast<int>(i), 2, look.space.large);
    const ModelMoment& of = *both[i];
    const model::ModelConfig& c = of.config();
    const bool there = head.layer < c.layers && head.head < c.heads && token < of.trace->tokens();
    ImGui::SetCursorScreenPos(column.cutTop(line).a);
    label(look.fonts.small, look.theme.textMuted,
          elided(look.fonts.small,
                 fmt::format("{}, {}; {}", tr(kTitles[i]), pictureName(of.text),
                             there ? where : tr("no such head")),
                 column.width()));
    if (there) drawRowOnImage(look, of, head, token, column);
  }
}

// Both predictions.

/// The most probable words of either pass, with their probabilities in both.
struct BothPredictions {
  struct Word {
    Index id = 0;
    double own = 0.0, other = 0.0;
  };
  std::vector<Word> words;
};

constexpr std::size_t kWordsOfEach = 8;

BothPredictions predictionsOf(const ModelMoment& own, Index row, const ModelMoment& other,
                              Index otherRow, const ExecutionContext& execution) {
  const Tensor mine = own.trace->logits(row, 1, execution);
  const Tensor theirs = other.trace->logits(otherRow, 1, execution);
  const std::span ofMine(mine.data(), static_cast<std::size_t>(mine.size()));
  const std::span ofTheirs(theirs.data(), static_cast<std::size_t>(theirs.size()));
  const model::RowProbabilities ofOwn(ofMine), ofOther(ofTheirs);
  BothPredictions both;
  const auto add = [&](const std::vector<model::TokenProbability>& most) {
    for (const model::TokenProbability& each : most) {
      if (std::ranges::find(both.words, each.id, &BothPredictions::Word::id) != both.words.end())
        continue;
      both.words.push_back({each.id, ofOwn(each.id).probability, ofOther(each.id).probability});
    }
  };
  add(model::mostProbable(ofMine, kWordsOfEach));
  add(model::mostProbable(ofTheirs, kWordsOfEach));
  return both;
}

/// Returns whether both models name the same tokens by the same ids.
bool sameVocabulary(const ModelMoment& own, const ModelMoment& other) {
  if (own.config().vocabulary != other.config().vocabulary) return false;
  if ((own.tokenizer == nullptr) != (other.tokenizer == nullptr)) return false;
  constexpr Index kCompared = 100;
  const Index count = own.config().vocabulary;
  for (Index i = 0; i < std::min(count, kCompared); ++i) {
    const Index id = i * std::max<Index>(1, count / kCompared);
    if (id < count && own.nameOf(id) != other.nameOf(id)) return false;
  }
  return true;
}

/// "“cat” 12.3 %, “dog” 4.5 %".
std::string bestInWords(const ModelMoment& of, Index row) {
  constexpr std::size_t kNamed = 5;
  std::string words;
  const auto& best = of.predictions[static_cast<std::size_t>(row)];
  for (std::size_t i = 0; i < std::min(kNamed, best.size()); ++i) {
    words += fmt::format("{}“{}” {:.1f} %", i == 0 ? "" : ", ", of.nameOf(best[i].id),
                         100.0 * best[i].probability);
  }
  return words;
}

void drawPredictions(const PanelContext& panel, const MomentPtr& own, const MomentPtr& other) {
  const FrameContext& look = panel.look;
  if (own->predictions.empty() || other->predictions.empty()) {
    return wrappedLabel(look.fonts.small, look.theme.textMuted,
                        own->ofImage()
                            ? tr("A model without a classifier predicts no label.")
                            : tr("A model without a language-model head predicts no word."));
  }
  const Index row = predictedRow(panel.modelView, *own);
  const Index otherRow = predictedRow(panel.modelView, *other);
  if (!own->ofImage()) {
    wrappedLabel(look.fonts.small, look.theme.textMuted,
                 trFormat("after “{}” in this pass, after “{}” in the other", own->tokenName(row),
                          other->tokenName(otherRow)));
  }
  if (!sameVocabulary(*own, *other)) {
    wrappedLabel(look.fonts.small, look.theme.text, tr("this pass: ") + bestInWords(*own, row));
    return wrappedLabel(look.fonts.small, look.theme.text,
                        tr("the other: ") + bestInWords(*other, otherRow));
  }
  const Fingerprint key("both predictions", own->number, row, other->number, otherRow);
  const auto found = panel.computations.request<BothPredictions>(
      "both predictions", key, Schedule::background, [&] {
        return [=](const std::atomic<bool>& cancelled) -> std::optional<BothPredictions> {
          return predictionsOf(*own, row, *other, otherRow, ExecutionContext{0, &cancelled});
        };
      });
  const BothPredictions* shown = found.current != nullptr ? found.current : nullptr;
  if (shown == nullptr) {
    return label(look.fonts.small, look.theme.textMuted, tr("being computed …"));
  }
  Table table(look,
              {.id = "both predictions", .height = ImGui::GetContentRegionAvail().y, .dense = true},
              {{nounsOf(*own).said, {}, false, 74, 0, false},
               {tr("this"), tr("its probability in this pass"), true, 50, 0, false},
               {"", {}, false, 40, 1, false},
               {tr("other"), tr("its probability in the other pass"), true, 50, 0, false},
               {"", {}, false, 40, 1, false}});
  table.rows(std::ssize(shown->words), [&](Index i) {
    const BothPredictions::Word& word = shown->words[static_cast<std::size_t>(i)];
    table.row(i);
    table.text(own->nameOf(word.id));
    table.number(probabilityInWords(word.own));
    table.bar(static_cast<float>(word.own), look.theme.accent);
    table.number(probabilityInWords(word.other));
    table.bar(static_cast<float>(word.other), withAlpha(look.theme.textMuted, 0.6F));
  });
}

}  // namespace

void ComparedTab::draw(const PanelContext& panel, const ModelMoment& own) {
  const FrameContext& look = panel.look;
  ComparedView& view = panel.modelView.compared;
  controls(panel, own);
  const ComparedPass compared = comparedPass(panel, model_);
  if (!compared.asked) {
    return wrappedLabel(look.fonts.regular, look.theme.textMuted,
                        trFormat("{}, or choose another model for the same: the "
                                 "heads and the prediction of that pass appear next to these.",
                                 own.ofImage()           ? tr("Name the file of another picture")
                                 : own.source != nullptr ? tr("Type another source or target")
                                                         : tr("Type another text")));
  }
  if (!compared.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, compared.problem);
  }
  if (compared.moment == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("running the other pass …"));
  }
  if (!view.folder.empty()) {
    const int chosen =
        choices(look, "compared", {tr("the chosen head"), tr("weights")}, view.weights ? 1 : 0);
    tip(look,
        tr("What is shown from both models: a head's attention, or their matrices of weights"));
    if (chosen >= 0) view.weights = chosen == 1;
    if (view.weights) return drawComparedWeights(panel, own, *compared.moment);
  }
  Rect room = Rect::rest();
  const Rect right = room.cutRight(room.width() * 0.34F, look.space.large);
  const MomentPtr whole = model_.moment();
  if (own.ofImage()) {
    drawImages(panel, *whole, *compared.moment, room);
  } else {
    drawPictures(look, picturesOfHead(panel, momentShown(panel.modelView, whole), compared), room);
  }
  ImGui::SetCursorScreenPos(right.a);
  beginPart("both predictions", right.size());
  drawPredictions(panel, whole, compared.moment);
  ImGui::EndChild();
}

void ComparedTab::controls(const PanelContext& panel, const ModelMoment& own) {
  const FrameContext& look = panel.look;
  ComparedView& view = panel.modelView.compared;
  rowCaption(look, tr("next to"));
  if (own.config().modelType == formats::kAttentionsAlone) {  // its text is that of its file
    view.text.clear();
    models(panel, own);
    if (!view.folder.empty() &&
        flowingPill(look, tr("stop comparing"), tr("Shows this file alone"))) {
      view = {};
    }
    return;
  }
  const bool two = own.source != nullptr;
  const auto text = [&](const char* id, const std::string& another, const std::string& now,
                        std::string& value) {
    const float share = two || own.ofImage() ? 0.32F : 0.5F;
    const float width = std::max(look.px(140), ImGui::GetContentRegionAvail().x * share);
    const float room = width - 2.0F * ImGui::GetStyle().FramePadding.x;
    const std::string whole = trFormat("{}; now: {}", another, now);
    const bool fits = !now.empty() && textSize(ImGui::GetFont(), whole).x <= room;
    ImGui::SetNextItemWidth(width);
    textField(look, {id, 0, (fits ? whole : another).c_str()}, value);
    ImGui::SameLine(0.0F, look.space.large);
  };
  const std::string now = own.ofImage() ? pictureName(own.given()) : own.given();
  text("##compared text", trFormat("another {}", two ? tr("source") : nounsOf(own).given), now,
       view.text);
  if (two) text("##compared target", tr("another target"), own.text, view.target);
  if (own.ofImage()) {
    if (auto drawing = offerDrawings(look, "compared", view.text, false)) {
      view.text = *std::move(drawing);
    }
    ImGui::SameLine(0.0F, look.space.small);
  }
  inlineLabel(look, look.fonts.small, look.theme.textMuted, "of");
  models(panel, own);
  const bool another = !view.text.empty() || !view.folder.empty();
  if (two && another && view.target.empty()) {
    flowOn(look, buttonWidth(look, tr("its own target")));
    if (pill(look, tr("its own target"), view.writes)) view.writes = !view.writes;
    tip(look, tr("The other pass writes its target itself; otherwise it reads this one"));
  }
  if (!another && view.target.empty()) return;
  if (flowingPill(look, tr("stop comparing"), tr("Shows this pass alone"))) view = {};
}

void ComparedTab::models(const PanelContext& panel, const ModelMoment& own) {
  const FrameContext& look = panel.look;
  ComparedView& view = panel.modelView.compared;
  const auto nameOf = [](const std::string& folder) {
    if (folder == formats::kStoriesModel) return std::string(tr("the small language model"));
    if (folder == formats::kInductionModel) return std::string(tr("the model of repeated letters"));
    if (folder == formats::kShapesModel) return std::string(tr("the small image model"));
    return formats::modelName(folder);
  };
  const std::string shown = view.folder.empty() ? tr("this model") : nameOf(view.folder);
  ImGui::SetNextItemWidth(buttonWidth(look, shown) + ImGui::GetFrameHeight());
  if (!beginCombo(look, "##compared model", shown, ImGuiComboFlags_HeightLarge)) return;
  const auto offer = [&](const std::string& folder, const std::string& name) {
    if (ImGui::Selectable(asLabel(name).c_str(), folder == view.folder)) view.folder = folder;
  };
  offer("", tr("this model"));
  std::vector<std::string> others;
  if (own.ofImage()) {
    others = {formats::kShapesModel};
  } else {
    others = {formats::kStoriesModel, formats::kInductionModel};
  }
  if (panel.recent != nullptr) {
    for (const std::string& path : *panel.recent) {
      std::error_code none;
      if (std::filesystem::is_directory(path, none) || formats::isModelFile(path)) {
        others.push_back(path);
      }
    }
  }
  for (const std::string& folder : others) {
    if (folder == own.folder.string()) continue;
    offer(folder, fmt::format("{}##{}", nameOf(folder), folder));
    if (!formats::isShipped(folder)) tip(look, folder);
  }
  ImGui::SetNextItemWidth(look.px(260));
  const char* const kHint = tr("path of a folder or .gguf file, enter");
  if (textField(look, {"##compared path", ImGuiInputTextFlags_EnterReturnsTrue, kHint}, path_)) {
    view.folder = std::exchange(path_, {});
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndCombo();
}

}  // namespace headscope::ui
