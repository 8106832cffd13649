#include "app/ui/model/why_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/model_page.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/model_words.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/model/why_words.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/stage/stage_story.h"
#include "app/ui/widgets.h"
#include "core/attention/config.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

using model::AskedScore;
using model::Stack;
using AskedMoment = std::shared_ptr<const ModelMoment>;

constexpr std::size_t kOfferedKeys = 5;

bool saysWords(const ModelMoment& moment) { return moment.trace->document().model->hasReadout(); }

std::optional<AskedScore> scoreOf(const PredictionView& view) {
  if (view.whyScore.empty()) return std::nullopt;
  try {
    return model::askedScoreFrom(view.whyScore);
  } catch (const UserError&) {  // of a file that was written by hand
    return std::nullopt;
  }
}

/// The keys that a head looks at most from a query.
struct StrongKeys {
  std::vector<Link> links;
};

Computed<StrongKeys> strongKeys(const PanelContext& panel, const AskedMoment& moment,
                                const AskedScore& of) {
  const Fingerprint key("strong keys", moment->number, moment->changes, of.head.layer, of.head.head,
                        of.query, of.stack);
  return panel.computations.request<StrongKeys>("strong keys", key, Schedule::background, [&] {
    return [moment, of](const std::atomic<bool>&) -> std::optional<StrongKeys> {
      const TracePtr layer = passOf(*moment->trace, of.stack).layer(of.head.layer);
      std::vector<float> row(static_cast<std::size_t>(layer->config().keys()));
      layer->tile(TensorId::weights, 0, of.head.head, of.query, 1, 0, std::ssize(row), row.data());
      for (float& weight : row) weight = std::max(weight, 0.0F);  // masked cells are no weights
      return StrongKeys{strongLinks(row, of.query, kOfferedKeys)};
    };
  });
}

/// The chosen head at the chosen token.
AskedScore ofChosenHead(const ModelView& view, const ModelMoment& moment) {
  const model::ModelConfig& c = moment.config();
  const bool encoder = c.crossAttention && view.attention == AttentionShown::encoder;
  const ModelMoment& shown = encoder ? *moment.source : moment;
  AskedScore score;
  score.stack = encoder ? Stack::encoder : Stack::decoder;
  score.head = chosenHead(view, c);
  if (encoder) score.head.layer = std::min(view.layer, shown.config().layers - 1);
  score.query = chosenToken(view, shown);
  return score;
}

bool existsIn(const ModelMoment& moment, const AskedScore& score) {
  if (score.stack == Stack::encoder && moment.source == nullptr) return false;
  const model::ModelTrace& pass = passOf(*moment.trace, score.stack);
  return score.head.layer < pass.layers() && score.head.head < pass.config().heads &&
         score.query < pass.tokens();
}

/// Begins with the score of a head and a query at the key that it looks at most; waits until the
/// layer is there.
void chooseStrongestKey(const PanelContext& panel, const AskedMoment& moment, AskedScore score) {
  const auto keys = strongKeys(panel, moment, score);
  if (keys.current == nullptr) return;
  score.key = keys.current->links.empty() ? score.query : keys.current->links.front().key;
  const bool byItself = !panel.modelView.prediction.whyOfScore;
  explainScore(panel.modelView, score);
  panel.modelView.prediction.whyScoreByItself = byItself;
}

/// Draws the keys that may be chosen for a score.
void chooseKey(const PanelContext& panel, const AskedMoment& moment, const AskedScore& score) {
  const FrameContext& look = panel.look;
  const WhyWords words(moment);
  const Stack stack = model::keysOf(*moment->trace, score.stack, score.head.layer);
  const std::string caption = trFormat("{} from {} to", words.headInWords(score.stack, score.head),
                                       words.placeInWords(score.query, score.stack));
  if (saysWords(*moment)) {
    flowOn(look, textSize(look.fonts.small, caption).x + look.px(200), 14.0F);
  }
  rowCaption(look, caption.c_str());
  const auto keys = strongKeys(panel, moment, score);
  std::vector<Link> offered;
  if (keys.current != nullptr) offered = keys.current->links;
  const bool among = std::ranges::find(offered, score.key, &Link::key) != offered.end();
  if (!among && score.key < passOf(*moment->trace, stack).tokens()) {
    offered.push_back({score.query, score.key, 0.0F});
  }
  for (const Link& link : offered) {
    const std::string text =
        fmt::format("{}##key {}", words.placeInWords(link.key, stack), link.key);
    const bool patches = words.pictures() != nullptr;
    flowOn(look, buttonWidth(look, text) + look.px(patches ? 20 : 0), patches ? 9.0F : 3.0F);
    patchBeforeButton(look, words.pictures(), link.key);
    if (pill(look, text.c_str(), link.key == score.key) && link.key != score.key) {
      AskedScore other = score;
      other.key = link.key;
      explainScore(panel.modelView, other);
    }
    tip(look, link.weight > 0.0F ? trFormat("It looks there with {}", percent(link.weight))
                                 : std::string(tr("Chosen elsewhere")));
  }
}

}  // namespace

std::optional<model::WhyQuestion> whyQuestion(const ModelView& view, const ModelMoment& moment) {
  if (const auto score = scoreOf(view.prediction)) return *score;
  const auto word = saysWords(moment) ? chosenWord(view, moment) : std::nullopt;
  if (!word) return std::nullopt;
  return model::AskedWord{word->row, word->word, word->other};
}

void explainScore(ModelView& view, const AskedScore& score) {
  view.prediction.reading = kWhyReading;
  view.prediction.folded = false;
  view.prediction.whyScore = model::textOf(score);
  view.prediction.whyScoreByItself = false;
  view.prediction.why.clear();
}

void chooseQuestion(const PanelContext& panel, const AskedMoment& moment) {
  const FrameContext& look = panel.look;
  PredictionView& view = panel.modelView.prediction;
  auto score = scoreOf(view);
  if (score && !existsIn(*moment, *score)) {  // another model or text was opened
    score.reset();
    view.whyScore.clear();
    view.why.clear();
  }
  const AskedScore chosen = ofChosenHead(panel.modelView, *moment);
  if (saysWords(*moment)) {
    rowCaption(look, tr("explains"));
    const char* said = nounsOf(*moment).said;
    const std::string theWord = trFormat("the {}", said);
    const int clicked = choices(look, "explains", {theWord.c_str(), tr("a score")},
                                score || view.whyOfScore ? 1 : 0);
    if (clicked == 0) {
      view.whyOfScore = false;
      view.whyScore.clear();
      view.why.clear();
    }
    if (clicked == 1) view.whyOfScore = true;
    tip(look,
        trFormat("A {}'s logit, or the score by which a head looks from a token at another", said));
  }
  if (!score) {
    if (view.whyOfScore || !saysWords(*moment)) chooseStrongestKey(panel, moment, chosen);
    return;
  }
  view.whyOfScore = false;
  chooseKey(panel, moment, *score);
  const bool other =
      chosen.head != score->head || chosen.query != score->query || chosen.stack != score->stack;
  if (other && flowingPill(look, tr("the chosen head and token"),
                           tr("The score of the chosen head from the chosen token"))) {
    view.whyOfScore = true;
    view.whyScore.clear();
    view.why.clear();
  }
}

}  // namespace headscope::ui
