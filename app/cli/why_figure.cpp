#include "app/cli/why_figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "app/host/figure.h"
#include "app/live_model.h"
#include "app/ui/ids.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/why_chain.h"
#include "core/model/tokenized.h"
#include "core/presets/worksheet.h"

namespace headscope::cli {
namespace {

// points
constexpr int kLevelWidth = 300, kLevelHeight = 400, kAround = 60;
constexpr int kMostAcross = 4, kLeastAcross = 2;
constexpr int kPixelsOfPoint = 2;

std::string passText(const model::ModelTrace& pass, const formats::TokenizerPtr& names) {
  const std::vector<Index>& ids = pass.document().input.ids;
  if (names == nullptr) return fmt::format("{}", fmt::join(ids, ", "));
  const auto mask = model::maskToken(*names);  // a special token that the text is about
  const bool masked = mask && std::ranges::find(ids, *mask) != ids.end();
  return names->decode({ids.begin(), ids.end()}, masked);
}

std::shared_ptr<ModelMoment> momentOf(const model::ModelTracePtr& trace,
                                      const formats::TokenizerPtr& names) {
  auto moment = std::make_shared<ModelMoment>();
  moment->trace = trace;
  moment->tokenizer = names;
  moment->number = 1;
  if (trace->document().input.pixels != nullptr) {
    moment->picture = std::make_shared<const formats::Picture>();  // the card shows none
  } else {
    moment->text = passText(*trace, names);
  }
  return moment;
}

std::shared_ptr<const ShownModel> shownModel(const model::WhyChain& chain,
                                             const formats::WhyNames& names) {
  auto moment = momentOf(chain.trace, names.text);
  if (chain.trace->document().memory != nullptr) {
    moment->source = momentOf(chain.trace->document().memory, names.source);
  }
  if (std::holds_alternative<model::AskedWord>(chain.question)) {
    moment->predictions = chain.trace->predictions(0, chain.trace->logitRows(), 1);
  }
  return std::make_shared<const ShownModel>(ShownModel{std::move(moment), {}});
}

void askFor(ui::ModelView& view, const model::WhyChain& chain) {
  view.prediction.reading = ui::kWhyReading;
  view.prediction.why = model::textOf(chain.steps);
  const auto measured = [](const model::WithoutParts& level) { return !level.pairs.empty(); };
  if (const auto* score = std::get_if<model::AskedScore>(&chain.question)) {
    view.prediction.whyScore = model::textOf(*score);
  }
  if (std::ranges::any_of(chain.without, measured)) ui::askForPairs(view.prediction);
  if (std::holds_alternative<model::AskedScore>(chain.question)) return;
  const auto& word = std::get<model::AskedWord>(chain.question);
  view.token = word.row;
  view.prediction.word = word.word;
  view.prediction.other = word.other.value_or(-1);
}

}  // namespace

void writeWhyFigure(const std::filesystem::path& path, const model::WhyChain& chain,
                    const formats::WhyNames& names) {
  PictureRequest picture;
  picture.path = path;
  const int levels = static_cast<int>(chain.levels.size());
  const int rows = (levels + kMostAcross - 1) / kMostAcross;
  const int across = std::max(kLeastAcross, (levels + rows - 1) / rows);
  const int scale = host::isFigure(path) ? 1 : kPixelsOfPoint;
  picture.width = scale * (across * kLevelWidth + kAround);
  picture.height = scale * (rows * kLevelHeight + kAround);
  AppOptions& program = picture.program;
  program.document = byHandDocument();  // Flow's, which is not shown
  program.model = shownModel(chain, names);
  program.view.selection.page = ui::kModelPage;
  program.view.selection.focus = ui::kModelChainCard;
  program.view.preferences.animate = false;
  program.view.preferences.scale = static_cast<float>(scale);
  askFor(program.view.model, chain);
  host::writePicture(picture);
}

}  // namespace headscope::cli
