// The match of a CLIP's image with lines of text: a table of similarities, and of their
// probabilities among these lines; and what each head of both encoders adds to one of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/color_maps.h"
#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/part_map.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/matrix.h"
#include "app/ui/parts/table.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/translation.h"
#include "core/formats/clip_folder.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/match_parts.h"
#include "core/model/tokenized.h"

namespace headscope::ui {
namespace {

/// Both encoders of a folder with its tokenizer.
struct OpenedClip {
  std::filesystem::path folder;
  model::TwoEncoders encoders;
  formats::TokenizerPtr tokenizer;
};

struct FoundMatch {
  std::shared_ptr<const OpenedClip> clip;
  std::vector<std::string> texts;
  model::Match match;
  std::vector<model::MatchParts> parts;  // of each text, times the model's factor

  std::size_t best() const {
    return static_cast<std::size_t>(std::ranges::max_element(match.logits) - match.logits.begin());
  }
};

std::shared_ptr<const OpenedClip> openedClip(const std::filesystem::path& folder) {
  return std::make_shared<const OpenedClip>(
      OpenedClip{folder, formats::openClip(folder, defaultMemoryBudget() / 4),
                 formats::openTokenizer(folder)});
}

std::optional<FoundMatch> findMatch(std::shared_ptr<const OpenedClip> clip,
                                    const model::ModelTracePtr& image, const std::string& lines,
                                    const ExecutionContext& execution) {
  FoundMatch found{std::move(clip), model::linesToMatch(lines), {}, {}};
  if (found.texts.empty()) throw UserError(tr("write at least one line of text"));
  const model::ModelPtr& texts = found.clip->encoders.texts;
  std::vector<model::ModelTracePtr> passes;
  for (const std::string& line : found.texts) {
    model::ModelDocumentPtr document;
    const std::string why = whyNot([&] {
      const formats::TokenizerPtr& tokenizer = found.clip->tokenizer;
      document =
          makeModelDocument(texts, inputOf(tokenizer->encode(line), *tokenizer, texts->config()));
    });
    if (!why.empty()) throw UserError(fmt::format("“{}”: {}", line, why));
    passes.push_back(runModel(document, nullptr, execution, defaultMemoryBudget() / 8));
    if (passes.back() == nullptr) return std::nullopt;
  }
  found.match = matchOf(found.clip->encoders, *image, passes);
  for (const model::ModelTracePtr& text : passes) {
    auto parts = matchParts(found.clip->encoders, *image, *text, execution);
    if (!parts) return std::nullopt;
    for (auto* half : {&parts->image, &parts->text}) {
      for (model::WrittenPart& part : *half) part.value *= found.clip->encoders.factor;
    }
    found.parts.push_back(std::move(*parts));
  }
  return found;
}

/// Draws the texts, the best match first; a click chooses the one whose parts are shown.
void matchTable(const PanelContext& panel, const FoundMatch& found, std::size_t chosen) {
  const FrameContext& look = panel.look;
  std::vector<std::size_t> order(found.texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return found.match.logits[a] > found.match.logits[b];
  });
  Table table(look, {.id = "match", .height = ImGui::GetContentRegionAvail().y, .dense = true},
              {{tr("text"), {}, false, 150, 1, false},
               {"similarity",
                tr("The cosine of the angle between the projections of the image and of the text"),
                true, 70, 0, false},
               {"p", tr("The softmax over these lines of similarity × the model's factor"), true,
                54, 0, false},
               {"", {}, false, 40, 1, false}});
  table.rows(std::ssize(order), [&](Index row) {
    const std::size_t i = order[static_cast<std::size_t>(row)];
    if (table.row(row, i == chosen)) {
      panel.modelView.prediction.word = static_cast<Index>(i);
    }
    table.text(found.texts[i]);
    table.number(fmt::format("{:.3f}", found.match.cosines[i]));
    table.number(probabilityInWords(found.match.probabilities[i]));
    table.bar(static_cast<float>(found.match.probabilities[i]), look.theme.accent);
  });
}

/// Shows a line of text in the encoder of texts, as any text of a model.
void openAsText(const PanelContext& panel, const std::string& text, HeadOfLayer head) {
  panel.modelView.layer = head.layer;
  panel.modelView.head = head.head;
  panel.modelView.token = -1;
  panel.commands.add(SetModelText{text});
}

/// "encoder of images, rest +0.26": the parts that no map has.
std::string mapCaption(const char* encoder, const std::vector<model::WrittenPart>& parts) {
  double rest = 0.0;
  for (const model::WrittenPart& part : parts) {
    if (part.layer < 0) rest += part.value;
  }
  return trFormat("{}, rest {}", encoder, changeInWords(rest));
}

/// Draws the map of one encoder's parts. Returns the head that was clicked.
std::optional<HeadOfLayer> halfMap(const PanelContext& panel, const char* id, const char* encoder,
                                   const model::ModelConfig& config,
                                   const std::vector<model::WrittenPart>& parts, float most,
                                   std::optional<HeadOfLayer> chosen, Rect room) {
  const FrameContext& look = panel.look;
  const Rect line = room.cutTop(fontSize(look.fonts.small), look.space.tight);
  drawText(ImGui::GetWindowDrawList(), look.fonts.small, line.a, look.theme.textMuted,
           elided(look.fonts.small, mapCaption(encoder, parts), line.width()));
  const PartMap map = writtenPartsMap(look, id, config, parts, chosen);
  const auto clicked = drawPartMap(panel, map, divergingScale(look, most), room);
  if (!clicked || map.cells[*clicked].column >= config.heads) return std::nullopt;
  return HeadOfLayer{map.cells[*clicked].layer, map.cells[*clicked].column};
}

/// Draws what each head of both encoders adds to the match of a text.
void matchedParts(const PanelContext& panel, const ModelMoment& moment, const FoundMatch& found,
                  std::size_t chosen, Rect room) {
  const FrameContext& look = panel.look;
  const model::MatchParts& parts = found.parts[chosen];
  float most = 0.0F;
  for (const auto* half : {&parts.image, &parts.text}) {
    for (const model::WrittenPart& part : *half) {
      if (part.layer >= 0) most = std::max(most, static_cast<float>(std::abs(part.value)));
    }
  }
  ImGui::SetCursorScreenPos(room.a);
  beginPart("match parts", room.size());
  const float button = buttonWidth(look, tr("open the text's heads"));
  wrappedLabel(
      look.fonts.small, look.theme.textMuted,
      trFormat("Added directly to “{}”, as similarity × {:.1f}: the parts of each "
               "encoder sum to {:+.2f} (rest: embedding and norms' biases), with its norms' "
               "scale, the length of its projection and the other side held",
               found.texts[chosen], found.clip->encoders.factor, found.match.logits[chosen]));
  flowOn(look, button, 3.0F);
  if (pill(look, tr("open the text's heads"))) openAsText(panel, found.texts[chosen], {0, 0});
  tip(look, tr("Opens this line in the encoder of texts, with its heads, layers and edits; changes "
               "of the "
               "encoder of images are dropped"));
  Rect maps = Rect::rest();
  const Rect left = maps.cutLeft(0.5F * (maps.width() - look.space.large), look.space.large);
  const auto own = halfMap(panel, tr("match of image"), tr("encoder of images"), moment.config(),
                           parts.image, most, chosenHead(panel.modelView, moment.config()), left);
  if (own) chooseHead(panel.modelView, moment.config(), *own);
  const auto text = halfMap(panel, tr("match of text"), tr("encoder of texts"),
                            found.clip->encoders.texts->config(), parts.text, most, {}, maps);
  if (text) openAsText(panel, found.texts[chosen], *text);
  ImGui::EndChild();
}

}  // namespace

bool matchesTexts(const PanelContext& panel, const ModelMoment& moment) {
  if (!moment.ofImage() || moment.trace->document().model->hasReadout()) return false;
  Fingerprint key("whole CLIP");
  key.add(Fingerprint(moment.folder.string()));
  const bool* whole = panel.computations.computeNow<bool>(
      "whole CLIP", key, [&] { return formats::isClipFolder(moment.folder); });
  return whole != nullptr && *whole;
}

void drawMatch(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  std::string& lines = panel.modelView.prediction.matchTexts;
  Fingerprint key("match", moment.number);
  key.add(Fingerprint(lines));
  const auto found = panel.computations.request<FoundMatch>("match", key, Schedule::whenIdle, [&] {
    const FoundMatch* last = panel.computations.last<FoundMatch>("match");
    return [moment, lines,
            clip = last != nullptr ? last->clip : nullptr](const std::atomic<bool>& cancelled) {
      const bool same = clip != nullptr && clip->folder == moment.folder;
      return findMatch(same ? clip : openedClip(moment.folder), moment.trace, lines,
                       ExecutionContext{0, &cancelled});
    };
  });
  const FoundMatch* shown = found.current != nullptr ? found.current : found.last;
  if (!found.problem.empty()) shown = nullptr;
  const Index word = panel.modelView.prediction.word;
  const std::size_t chosen = shown == nullptr ? 0
                             : word >= 0 && word < std::ssize(shown->texts)
                                 ? static_cast<std::size_t>(word)
                                 : shown->best();
  Rect room = Rect::rest();
  const bool wide = room.width() > look.px(640);
  const Rect parts = wide ? room.cutRight(0.58F * room.width(), look.space.large)
                          : room.cutBottom(0.5F * room.height(), look.space.small);
  ImGui::SetCursorScreenPos(room.a);
  beginPart("match texts", room.size());
  wrappedLabel(look.fonts.small, look.theme.textMuted,
               tr("texts, one on each line: enter applies, ctrl+enter begins a line"));
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x);
  textField(look, textOfLines("##texts to match", lines), lines);
  if (!found.problem.empty()) {
    wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  } else if (shown == nullptr) {
    label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
  } else {
    matchTable(panel, *shown, chosen);
  }
  ImGui::EndChild();
  if (shown != nullptr) matchedParts(panel, moment, *shown, chosen, parts);
}

}  // namespace headscope::ui
