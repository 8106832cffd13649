// The match of a CLIP's image with lines of text: a table of similarities, and of their
// probabilities among these lines.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/table.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/translation.h"
#include "core/formats/clip_folder.h"
#include "core/formats/tokenizer_files.h"
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
};

std::shared_ptr<const OpenedClip> openedClip(const std::filesystem::path& folder) {
  return std::make_shared<const OpenedClip>(
      OpenedClip{folder, formats::openClip(folder, defaultMemoryBudget() / 4),
                 formats::openTokenizer(folder)});
}

std::optional<FoundMatch> findMatch(std::shared_ptr<const OpenedClip> clip,
                                    const model::ModelTracePtr& image, const std::string& lines,
                                    const ExecutionContext& execution) {
  FoundMatch found{std::move(clip), model::linesToMatch(lines), {}};
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
  return found;
}

void matchTable(const FrameContext& look, const FoundMatch& found) {
  std::vector<std::size_t> order(found.texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return found.match.logits[a] > found.match.logits[b];
  });
  Table table(look, {.id = "match", .height = ImGui::GetContentRegionAvail().y, .dense = true},
              {{tr("text"), {}, false, 170, 1, false},
               {"similarity",
                tr("The cosine of the angle between the projections of the image and of the text"),
                true, 70, 0, false},
               {"p", tr("The softmax over these lines of similarity × the model's factor"), true,
                54, 0, false},
               {"", {}, false, 60, 1, false}});
  table.rows(std::ssize(order), [&](Index row) {
    const std::size_t i = order[static_cast<std::size_t>(row)];
    table.row(row);
    table.text(found.texts[i]);
    table.number(fmt::format("{:.3f}", found.match.cosines[i]));
    table.number(probabilityInWords(found.match.probabilities[i]));
    table.bar(static_cast<float>(found.match.probabilities[i]), look.theme.accent);
  });
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
  label(look.fonts.small, look.theme.textMuted, tr("texts, one on each line (ctrl+enter)"));
  ImGui::SetNextItemWidth(std::min(ImGui::GetContentRegionAvail().x, look.px(520)));
  textField(look, textOfLines("##texts to match", lines), lines);
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
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  const FoundMatch* shown = found.current != nullptr ? found.current : found.last;
  if (shown == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("being computed …"));
  }
  matchTable(look, *shown);
}

}  // namespace headscope::ui
