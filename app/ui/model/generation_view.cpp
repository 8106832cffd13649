#include "app/ui/model/generation_view.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "app/ui/compat.h"
#include "app/ui/frame_commands.h"
#include "app/ui/model/aligned_heads.h"
#include "app/ui/model/beams_view.h"
#include "app/ui/model/chosen_head.h"
#include "app/ui/model/compared_pictures.h"
#include "app/ui/model/model_view.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/layout.h"
#include "app/ui/parts/reduce.h"
#include "app/ui/parts/table.h"
#include "app/ui/text_field.h"
#include "app/ui/widgets.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/formats/shipped_model.h"
#include "core/language/story_text.h"
#include "core/model/tokenized.h"

namespace headscope::ui {

std::string millisecondsInWords(double ms) { return fmt::format("{:.{}f}", ms, ms < 1.0 ? 2 : 1); }

std::vector<Index> tokensBefore(const ModelMoment& moment) {
  if (moment.source == nullptr) return moment.trace->document().input.ids;
  return {model::startToken(*moment.trace->document().model)};
}

TextGoneOn textGoneOn(const ModelMoment& moment, const std::vector<Index>& made) {
  std::vector<Index> all = tokensBefore(moment);
  if (moment.tokenizer == nullptr) {
    const bool two = moment.source != nullptr;
    const std::string before = two ? fmt::format("{}", all.front()) : moment.text;
    const std::string added = fmt::format("{}", fmt::join(made, ", "));
    return {fmt::format("{}, {}", before, added), two ? added : ", " + added, true};
  }
  const auto textOf = [&](const std::vector<Index>& ids) {
    return moment.tokenizer->decode(std::vector<tokenizer::TokenId>(ids.begin(), ids.end()));
  };
  // the addition is the difference of the whole texts: alone, the first token might lose its space
  const std::string before = textOf(all);
  all.insert(all.end(), made.begin(), made.end());
  const std::string whole = textOf(all);
  TextGoneOn on;
  on.added = whole.starts_with(before) ? whole.substr(before.size()) : textOf(made);
  if (moment.folder == formats::kStoriesModel) {
    on.added = language::asPeopleWrite(on.added, moment.text);
  }
  on.text = moment.source != nullptr ? whole : moment.text + on.added;
  // the end token of a target is predicted, and not part of its text
  if (moment.source != nullptr && moment.config().ends(all.back())) all.pop_back();
  const std::string why = whyNot([&] { on.sameTokens = inputOfText(moment, on.text).ids == all; });
  if (!why.empty()) on.sameTokens = false;
  return on;
}

namespace {

/// The pass that a generation continues; nothing where it is the moment's own.
LiveGeneration::OtherPass passToContinue(const ModelMoment& moment, const ModelView& shown) {
  const bool steered = steers(shown.prediction.generation), two = moment.source != nullptr;
  if (!steered && !two) return nullptr;
  return [moment, shown, steered, two](const ExecutionContext& execution) -> model::Beginning {
    const Index budget = defaultMemoryBudget() / 4;
    const bool inEncoder = steered && two && shown.prediction.generation.steeredEncoder;
    model::ModelDocumentPtr document = moment.trace->documentPtr();
    if (inEncoder) {
      const auto source = steeredDocument(*moment.source, shown, execution);
      if (source == nullptr) return model::ModelTracePtr();
      const auto memory = runModel(source, moment.source->trace, execution, budget);
      if (memory == nullptr) return model::ModelTracePtr();
      document = withMemory(*document, memory);
    } else if (steered) {
      document = steeredDocument(moment, shown, execution);
      if (document == nullptr) return model::ModelTracePtr();
    }
    if (!two) return runModel(document, moment.trace, execution, budget);
    const auto begun = withInput(*document, {tokensBefore(moment), {}, {}});
    return {runModel(begun, nullptr, execution, budget), document};
  };
}

/// Names what steers a generation; 0 where nothing does.
std::uint64_t steeringKey(const ModelView& shown, const ModelMoment& moment) {
  const GenerationView& view = shown.prediction.generation;
  if (!steers(view)) return 0;
  const HeadOfLayer head = chosenHead(shown, moment.config());
  const bool byHead = view.steeredBy == SteeredBy::head;
  return Fingerprint("steering", view.steeredBy, view.toward.size(), view.toward, view.awayFrom,
                     view.steeredFile, view.steeredLayer, view.steeredEncoder, view.strength,
                     byHead ? head.layer : 0, byHead ? head.head : 0)
      .value();
}

/// The last bytes of what was written. Three dots stand for what is before them: the text, or the
/// beginning of a target.
std::string endOf(const TextGoneOn& on, const ModelMoment& moment, std::size_t most) {
  std::size_t from = on.added.size() > most ? on.added.size() - most : 0;
  while (from < on.added.size() && (static_cast<unsigned char>(on.added[from]) & 0xC0U) == 0x80U) {
    ++from;
  }
  const bool whole = from == 0 && moment.source != nullptr;
  return (whole ? "" : "…") + on.added.substr(from);
}

void sayTokensDiffer(const FrameContext& look, const TextGoneOn& on) {
  if (on.sameTokens) return;
  wrappedLabel(look.fonts.small, look.theme.textMuted,
               tr("The tokenizer splits this text into other tokens than the generated ones."));
}

}  // namespace

void GenerationTab::draw(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  const std::string why = model::whyNoGeneration(*moment.trace->document().model);
  if (!why.empty()) return wrappedLabel(look.fonts.regular, look.theme.textMuted, why);
  if (moment.source == nullptr && full(panel, moment)) return;
  controls(panel, moment);
  if (panel.modelView.prediction.generation.beams) return branches(panel, moment);
  if (!generation_.problem().empty()) {
    wrappedLabel(look.fonts.regular, look.theme.bad, generation_.problem());
  }
  const auto now = generation_.moment();
  Rect room = Rect::rest();
  const float left = std::clamp(room.width() * 0.42F, look.px(240), look.px(460));
  const Rect cache = [&] {
    Rect right = room;
    right.cutLeft(left, look.space.large);
    return right;
  }();
  ImGui::BeginChild("made", {std::min(left, room.width()), 0.0F});
  if (now != nullptr) {
    made(panel, moment, *now);
  } else {
    wrappedLabel(
        look.fonts.small, look.theme.textMuted,
        generation_.playing() ? tr("being computed …")
        : moment.source != nullptr
            ? tr("The model writes a target, token by token, from its start token on.")
            : tr("Each new token is chosen from the model's prediction after the previous token."));
  }
  ImGui::EndChild();
  if (cache.width() < look.px(160)) return;
  if (moment.source != nullptr) {
    if (now != nullptr && !now->made.empty()) memoryRows(panel, moment, *now, cache);
    return;
  }
  ImGui::SetCursorScreenPos(cache.a);
  ImGui::BeginChild("cache", cache.size());
  const Index text = std::ssize(tokensBefore(moment));
  CacheShown shown{
      text, 0,
      std::min(text + panel.modelView.prediction.generation.tokens, mostTokens(moment.config())),
      0.0};
  if (now != nullptr) {
    shown = {text, now->tokens - text, now->room, now->made.empty() ? 0.0 : now->made.back().ms};
  }
  drawKvCache(panel, moment, shown);
  ImGui::EndChild();
}

/// Returns whether no further token fits; reports it then.
bool GenerationTab::full(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  const Index tokens = moment.trace->tokens(), most = mostTokens(moment.config());
  if (tokens < most) return false;
  wrappedLabel(look.fonts.regular, look.theme.textMuted,
               trFormat("The text has {} tokens, the model's maximum: shorten it to continue.",
                        withThousands(tokens)));
  const Index some = most * 3 / 4;
  if (moment.tokenizer == nullptr || some == 0) return true;
  if (pill(look, trFormat("use the first {} tokens", withThousands(some)).c_str())) {
    model_.setText(std::string(model::firstTokens(moment.text, *moment.tokenizer, some)));
  }
  return true;
}

void GenerationTab::controls(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  GenerationView& view = panel.modelView.prediction.generation;
  choice(panel, moment);
  wholeSetting(panel, "tokens", tr("the maximum number of new tokens"), view.tokens, 1,
               kMostNewTokens, tokens_);
  if (view.beams) {
    wholeSetting(panel, "beams", tr("the number of beginnings that are kept at each step"),
                 view.beamCount, 1, model::BeamSearch::kMostBeams, beams_);
    steering_.draw(panel, moment);
    ImGui::Dummy({0.0F, look.space.tight});
    return;
  }
  if (view.sampled) {
    flowOn(look, look.px(150), 14.0F);
    rowCaption(look, tr("temperature"));
    const auto typed = realField(look, "temperature", 50, view.temperature, temperature_,
                                 tr("give one from 0.01 to 10"));
    tip(look, tr("Logits are divided by it: below 1 favours the most probable tokens, above 1 the "
                 "others"));
    if (typed && *typed >= kLeastSampling && *typed <= kMostSampling) {
      view.temperature = *typed;
      temperature_.problem.clear();
    } else if (typed) {
      temperature_.problem = trFormat("temperature: {} to {}", kLeastSampling, kMostSampling);
    }
    if (!temperature_.problem.empty()) panel.commands.say(temperature_.problem, true);
    wholeSetting(panel, "top-k",
                 tr("samples only from this many of the most probable tokens; 0: from all"),
                 view.topK, 0, moment.config().vocabulary, topK_);
    auto seed = static_cast<Index>(view.seed);
    wholeSetting(panel, "seed", tr("the same seed gives the same tokens"), seed, 0,
                 static_cast<Index>(kMostSeed), seed_);
    view.seed = static_cast<std::uint64_t>(seed);
  }
  steering_.draw(panel, moment);
  const auto now = generation_.moment();
  const bool rest = now != nullptr && !now->finished && generation_.problem().empty();
  flowOn(look, buttonWidth(look, tr("generate")), 14.0F);
  if (generation_.playing()) {
    if (primaryPill(look, tr("stop"))) generation_.play(false);
  } else {
    if (pill(look, now == nullptr ? tr("generate") : tr("generate again"), now == nullptr)) {
      model::Sampling sampling;
      if (view.sampled) sampling = {view.temperature, view.topK, view.seed};
      generation_.begin(moment.trace, sampling, view.tokens,
                        passToContinue(moment, panel.modelView));
    }
    if (rest && flowingPill(look, tr("go on"), tr("up to the requested number of tokens"))) {
      generation_.play(true);
    }
  }
  ImGui::Dummy({0.0F, look.space.tight});
}

void GenerationTab::made(const PanelContext& panel, const ModelMoment& moment,
                         const GenerationMoment& now) {
  const FrameContext& look = panel.look;
  take(panel, moment, now);
  const Index before = std::ssize(tokensBefore(moment));
  const bool ruled = std::ranges::any_of(
      now.made, [](const auto& each) { return each.token.rule != model::TokenRule::none; });
  std::vector<TableColumn> columns{
      {"", tr("its place in the text, from 1"), true, 34, 0, false},
      {tr("token"), {}, false, 90, 1, false},
      {"p", tr("its probability there, at temperature 1"), true, 54, 0, false},
      {"", {}, false, 50, 1, false},
      {"ms", tr("its row through all layers, and the logits after it"), true, 50, 0, false}};
  if (ruled) {
    columns.insert(columns.begin() + 2,
                   {tr("rule"),
                    tr("Forced: the model begins every text with this token, or ends with it one "
                       "that may not be longer. Barred: a more probable token, which the model "
                       "never writes."),
                    false, 80, 1.5F, false});
  }
  Table table(look, {.id = "made", .height = ImGui::GetContentRegionAvail().y, .dense = true},
              columns);
  const auto nameOf = [&](Index id) { return moment.nameOf(id); };
  table.rows(std::ssize(now.made), [&](Index i) {
    const auto& each = now.made[static_cast<std::size_t>(i)];
    table.row(i);
    table.number(std::to_string(before + i + 1), look.theme.textMuted);
    table.text(nameOf(each.token.id));
    if (ruled) table.text(ruleInWords(each.token, nameOf), look.theme.textMuted);
    table.number(probabilityInWords(each.token.probability));
    table.bar(static_cast<float>(each.token.probability), look.theme.accent);
    table.number(millisecondsInWords(each.ms), look.theme.textMuted);
  });
}

/// Draws the cross-attention of the new tokens: each adds the row that predicted it.
void GenerationTab::memoryRows(const PanelContext& panel, const ModelMoment& moment,
                               const GenerationMoment& now, const Rect& room) {
  const FrameContext& look = panel.look;
  const model::ModelConfig& c = moment.config();
  ImGui::SetCursorScreenPos(room.a);
  ImGui::BeginChild("memory rows", room.size());
  chooseAlignedHeads(panel, c);
  const std::vector<HeadOfLayer> heads = alignedHeads(panel.modelView, c);
  const Index tokens = moment.source->trace->tokens();
  Pictures pictures;
  pictures.count = 1;
  pictures.values = Fingerprint("memory rows", moment.number, now.begun, now.made.size());
  for (const HeadOfLayer& head : heads) pictures.values.add(head.layer).add(head.head);
  const auto read = [heads, made = now.made](Index row, std::span<float> to) {
    std::ranges::fill(to, 0.0F);
    const auto& layers = made[static_cast<std::size_t>(row)].memoryWeights;
    for (const HeadOfLayer& head : heads) {  // every second layer reads the memory
      const Tensor& weights = layers[static_cast<std::size_t>(head.layer / 2)];
      const std::span<const float> own = weights.matrix().row(head.head);
      for (std::size_t k = 0; k < to.size(); ++k) {
        to[k] += own[k] / static_cast<float>(heads.size());
      }
    }
  };
  const CellRows cells{std::ssize(now.made), tokens, read};
  // means of many heads are small: the largest has the strongest colour
  const float* most = panel.computations.computeNow<float>(
      "memory rows", pictures.values, [&cells] { return std::max(1e-6F, largestFinite(cells)); });
  if (most == nullptr) return ImGui::EndChild();
  std::vector<std::string> written;
  for (const auto& each : now.made) written.push_back(moment.nameOf(each.token.id));
  pictures.all[0] = {
      cells,
      sequentialScale(look, 0.0F, *most),
      fmt::format("{}; {}",
                  tr("where the model looked in the source as it wrote each token: a row for each"),
                  trFormat("weights 0 to {:.2g}", *most)),
      {},
      written,
      moment.source->tokenNames()};
  if (panel.modelView.prediction.aligned == AlignedBy::chosen) {
    drawHeadSquares(panel, c);
    ImGui::SameLine(0.0F, look.space.large);
  }
  drawPictures(look, pictures, Rect::rest());
  ImGui::EndChild();
}

/// Draws the generated text, and the button that appends it to the model's text.
void GenerationTab::take(const PanelContext& panel, const ModelMoment& moment,
                         const GenerationMoment& now) {
  const FrameContext& look = panel.look;
  const Fingerprint key("gone on", moment.number, now.begun, now.made.size());
  const TextGoneOn* on = panel.computations.computeNow<TextGoneOn>(
      "text gone on", key, [&] { return textGoneOn(moment, now.ids()); });
  if (on == nullptr) return;
  // bytes; shows the end of the text, which is new
  const std::size_t most = Rect::rest().height() > look.px(160) ? 300 : 40;
  wrappedLabel(look.fonts.regular, look.theme.text, endOf(*on, moment, most));
  if (generation_.playing()) return;
  const model::ChosenToken& last = now.made.back().token;
  if (now.ended && last.forced()) {
    wrappedLabel(look.fonts.small, look.theme.textMuted,
                 trFormat("“{}” is forced: it is the last of at most {} new tokens.",
                          moment.nameOf(last.id), withThousands(std::ssize(now.made))));
  } else if (now.ended) {
    label(look.fonts.small, look.theme.textMuted,
          trFormat("“{}”: with it the model ends a text.", moment.nameOf(last.id)));
  } else if (now.tokens == mostTokens(moment.config())) {
    label(look.fonts.small, look.theme.textMuted,
          trFormat("{} tokens are this model's maximum.", withThousands(now.tokens)));
  }
  takeButton(panel, moment, *on);
  sayTokensDiffer(look, *on);
}

/// Draws the button that makes generated tokens part of the model's text, or its target.
void GenerationTab::takeButton(const PanelContext& panel, const ModelMoment& moment,
                               const TextGoneOn& on) {
  const FrameContext& look = panel.look;
  const bool two = moment.source != nullptr;
  if (pill(look, two ? tr("take as the target") : tr("take into the text"))) {
    if (two) {
      model_.setTarget(on.text);
    } else {
      model_.setText(on.text);
    }
  }
  tip(look, two ? tr("The decoder then reads this target")
                : tr("Appends these tokens to the model's text"));
}

/// Draws the choice of how tokens are chosen.
void GenerationTab::choice(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  GenerationView& view = panel.modelView.prediction.generation;
  const int chosen =
      choices(look, "sampling", {tr("most probable"), tr("sampled"), tr("beam search")},
              view.beams     ? 2
              : view.sampled ? 1
                             : 0);
  tip(look, moment.source != nullptr
                ? tr("How the model writes a target, from its start token on")
                : tr("How each next token is chosen; a beam search keeps several beginnings and "
                     "finds the continuation of the largest mean log-probability"));
  if (chosen < 0) return;
  view.sampled = chosen == 1;
  view.beams = chosen == 2;
}

/// Draws the branches of a beam search, and the text of the chosen path.
void GenerationTab::branches(const PanelContext& panel, const ModelMoment& moment) {
  const FrameContext& look = panel.look;
  const GenerationView& view = panel.modelView.prediction.generation;
  const Fingerprint key("beams", moment.number, view.tokens, view.beamCount,
                        steeringKey(panel.modelView, moment));
  const auto found =
      panel.computations.request<model::Beams>("beams", key, Schedule::whenIdle, [&] {
        return [moment, shown = panel.modelView](
                   const std::atomic<bool>& cancelled) -> std::optional<model::Beams> {
          const ExecutionContext execution{.cancelled = &cancelled};
          const auto other = passToContinue(moment, shown);
          const model::Beginning from = other ? other(execution) : model::Beginning(moment.trace);
          if (from.pass == nullptr) return std::nullopt;
          const GenerationView& asked = shown.prediction.generation;
          model::BeamSearch search(from, asked.tokens, asked.beamCount);
          while (!search.runUnit(execution)) continue;
          if (cancelled) return std::nullopt;
          return search.found();
        };
      });
  if (!found.problem.empty()) {
    return wrappedLabel(look.fonts.regular, look.theme.bad, found.problem);
  }
  if (found.current == nullptr) {
    return label(look.fonts.regular, look.theme.textMuted, tr("searching …"));
  }
  const model::Beams& beams = *found.current;
  if (std::exchange(branchOf_, key.value()) != key.value()) branch_ = -1;
  const Fingerprint shown("text of a branch", key.value(), branch_);
  const TextGoneOn* on = panel.computations.computeNow<TextGoneOn>(
      "text of a branch", shown, [&] { return textGoneOn(moment, tokensTo(beams, branch_)); });
  if (on == nullptr) return;
  takeButton(panel, moment, *on);
  ImGui::SameLine(0.0F, look.space.large);
  const std::string text = endOf(*on, moment, on->added.size());
  label(look.fonts.regular, look.theme.text,
        elided(look.fonts.regular, text, Rect::rest().width()));
  sayTokensDiffer(look, *on);
  wrappedLabel(
      look.fonts.small, look.theme.textMuted,
      trFormat("{} beams kept {} tokens; a frame marks the end of each of the {} best "
               "paths, which score the mean log-probability of their tokens. The number "
               "below a token is the sum up to it. A forced token adds 0.",
               view.beamCount, withThousands(std::ssize(beams.nodes)), beams.paths.size()));
  drawBranches(panel, moment, beams, branch_);
}

}  // namespace headscope::ui
