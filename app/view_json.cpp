#include "app/view_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/attention/config.h"
#include "core/attention/limits.h"
#include "core/attention/mistakes.h"
#include "core/attention/steps/step.h"
#include "core/base/json.h"
#include "core/base/translation.h"
#include "core/model/model_config.h"
#include "core/model/sweep.h"
#include "core/training/trainer.h"

namespace headscope {
namespace {
using ui::ViewState;

constexpr Index kMaxHead = Limits::kDModel - 1;
constexpr Index kMaxItem = Limits::kBatch - 1;
constexpr int kMaxColorMaps = 99;  // drawing checks which of them exist

constexpr std::array kScopes{"head", "all"};
constexpr std::array kTabs{"cell", "history", "scenes"};
// a state chosen in the history is not stored with the view; the last edit replaces it
constexpr std::array kAgainst{"last-edit", "last-edit", "right-way"};
constexpr std::array kTrainTabs{"live", "over-steps", "head-counts", "scale", "head-off"};
constexpr std::array kQuestionsTabs{"run", "sizes", "models"};
constexpr std::array kTermColumns{"index", "left", "right", "product", "contribution"};

/// The fields of the heads page.
template <typename Fields, typename View>
void visitHeadsFields(Fields& f, View& view) {
  constexpr std::array kContents{"weights", "norm-weighted"};
  constexpr std::array kDrawings{"heatmaps", "lines", "arcs"};
  constexpr std::array kPoolings{"mean", "maximum"};
  constexpr std::array kLooks{"sentence", "lines", "values", "lengths"};
  constexpr std::array kFigures{"scatter", "table"};
  constexpr std::array kEnlarged{"none", "figures", "similarity"};
  constexpr std::array kEffects{"off", "output-matrix", "more-heads", "why-several", "how-learned"};
  constexpr std::array kEffectDrawings{"bars", "heatmap"};
  constexpr Index kMostHeads = Limits::kDModel;
  constexpr Index kMostTokens = Limits::kTokens;
  f.choice("grid_content", view.content, kContents);
  f.choice("grid_drawing", view.drawing, kDrawings);
  f.choice("grid_pooling", view.pooling, kPoolings);
  f.flag("grid_own_scale", view.ownScale);
  f.flag("grid_mean", view.meanShown);
  f.word("grid_sort", view.sortBy);
  f.indices("compared_heads", view.compared, kMostHeads);
  f.number("first_query", view.queries.first, Index{0}, kMostTokens);
  f.number("queries", view.queries.count, Index{0}, kMostTokens);
  f.number("first_key", view.keys.first, Index{0}, kMostTokens);
  f.number("keys", view.keys.count, Index{0}, kMostTokens);
  f.choice("looks_tab", view.looksTab, kLooks);
  f.indices("line_heads", view.lineHeads, kMostHeads);
  f.flag("lines_picked", view.linesPicked);
  f.number("line_mass", view.lineMass, 0.0F, 1.0F);
  f.number("looks_query", view.query, Index{-1}, kMostTokens - 1);
  f.number("looks_key", view.key, Index{-1}, kMostTokens - 1);
  f.choice("figures_tab", view.figuresTab, kFigures);
  f.word("scatter_x", view.scatterX);
  f.word("scatter_y", view.scatterY);
  f.word("table_sort", view.tableSort);
  f.flag("table_descending", view.tableDescending);
  f.number("similarity_cut", view.similarityCut, 0.5F, 1.0F);
  f.flag("similarity_ordered", view.similarityOrdered);
  f.flag("average_items", view.averageItems);
  f.choice("enlarged_card", view.enlarged, kEnlarged);
  f.choice("effect_tab", view.effectTab, kEffects);
  f.choice("effect_drawing", view.effectDrawing, kEffectDrawings);
  f.indices("relation_pair", view.relationPair, kMostHeads);
  f.flag("relation_gains_as_built", view.gainsAsBuilt);
}

constexpr std::array kSweptThrough{"all", "query", "key", "value"};
constexpr std::array kSteeredBy{"stream", "head", "file"};

template <typename Fields, typename View>
void visitGenerationFields(Fields& f, View& view) {
  f.number("model_new_tokens", view.tokens, Index{1}, ui::kMostNewTokens);
  f.flag("model_sampled", view.sampled);
  f.flag("model_beams", view.beams);
  f.number("model_beam_count", view.beamCount, Index{1}, Index{16});
  f.number("model_temperature", view.temperature, ui::kLeastSampling, ui::kMostSampling);
  f.number("model_top_k", view.topK, Index{0}, model::ModelLimits::kVocabulary);
  f.number("model_seed", view.seed, std::uint64_t{0}, ui::kMostSeed);
  f.flag("model_steered", view.steered);
  f.choice("model_steered_by", view.steeredBy, kSteeredBy);
  f.word("model_steered_file", view.steeredFile);
  f.flag("model_steered_encoder", view.steeredEncoder);
  f.word("model_steered_toward", view.toward);
  f.word("model_steered_away_from", view.awayFrom);
  f.number("model_steered_layer", view.steeredLayer, Index{0}, model::ModelLimits::kLayers);
  f.number("model_steered_place", view.steeredPlace, Index{-1}, model::ModelLimits::kPositions);
  f.number("model_steered_strength", view.strength, -ui::kMostStrength, ui::kMostStrength);
}

constexpr Index kMostAlignedHeads = model::ModelLimits::kLayers * kMaxHead;
constexpr std::array kAlignedBy{"head", "layer", "all", "chosen"};
constexpr std::array kAttentions{"encoder", "decoder", "cross"};
constexpr std::array kPassesShown{"own", "other", "difference"};
constexpr int kMostReadings = 12, kMostInstead = 2, kMostSweeps = 5, kMostEffects = 6;
constexpr int kMostLayerParts = 5;

/// The fields of the model page: the model's location, its text and the selection.
template <typename Fields, typename View>
void visitModelFields(Fields& f, View& view) {
  f.word("model_folder", view.place.folder);
  f.word("model_text", view.place.text);
  f.word("model_adapter", view.place.adapter);
  f.number("model_adapter_strength", view.place.adapterStrength, 0.0, 1.0);
  f.word("model_target", view.place.target);
  f.word("model_match_texts", view.prediction.matchTexts);
  f.choice("model_attention", view.attention, kAttentions);
  f.number("model_layer", view.layer, Index{0}, model::ModelLimits::kLayers);
  f.number("model_head", view.head, Index{0}, kMaxHead);
  f.number("model_token", view.token, Index{-1}, Limits::kTokens - 1);
  f.word("model_metric", view.metric);
  f.flag("model_own_scale", view.ownScale);
  f.flag("model_first_token", view.firstToken);
  constexpr std::array kImageMaps{"head", "mean of heads", "rollout"};
  f.choice("model_image_map", view.imageMap, kImageMaps);
  f.number("model_prediction_tab", view.prediction.reading, 0, kMostReadings);
  f.number("model_layer_part", view.prediction.layerPart, 0, kMostLayerParts);
  f.flag("model_prediction_folded", view.prediction.folded);
  f.flag("model_prediction_enlarged", view.prediction.enlarged);
  f.number("model_word", view.prediction.word, Index{-1}, model::ModelLimits::kVocabulary - 1);
  f.number("model_other_word", view.prediction.other, Index{-1},
           model::ModelLimits::kVocabulary - 1);
  f.number("model_instead", view.prediction.instead, 0, kMostInstead);
  f.word("model_other_text", view.prediction.otherText);
  f.word("model_why", view.prediction.why);
  f.choice("model_aligned", view.prediction.aligned, kAlignedBy);
  f.indices("model_aligned_heads", view.prediction.alignedHeads, kMostAlignedHeads);
  f.flag("model_aligned_as_read", view.prediction.alignedAsRead);
  f.flag("model_why_values", view.prediction.whyValues);
  f.word("model_why_score", view.prediction.whyScore);
  f.flag("model_why_score_by_itself", view.prediction.whyScoreByItself);
  f.flag("model_why_of_query", view.prediction.whyOfQuery);
  f.flag("model_why_whole", view.prediction.whyWhole);
  constexpr std::array kWhyLists{"pairs", "queries", "keys"};
  f.choice("model_why_list", view.prediction.whyList, kWhyLists);
  f.number("model_sweep_over", view.prediction.sweepOver, 0, kMostSweeps);
  f.choice("model_swept_through", view.prediction.sweptThrough, kSweptThrough);
  f.number("model_swept_to_layer", view.prediction.sweptToLayer, Index{0},
           model::ModelLimits::kLayers);
  f.number("model_swept_to_head", view.prediction.sweptToHead, Index{0},
           model::ModelLimits::kLayers);
  f.number("model_swept_place", view.prediction.sweptPlace, model::kAskedPlace,
           model::ModelLimits::kPositions);
  f.number("model_sweep_shown", view.prediction.sweepShown, 0, kMostEffects);
  f.word("model_sweep_texts", view.prediction.sweepTexts);
  f.word("model_sweep_mean_texts", view.prediction.sweepMeanTexts);
  f.flag("model_sweep_swapped", view.prediction.sweepSwapped);
  f.number("model_sweep_at", view.prediction.sweepAt, Index{-1}, Limits::kTokens - 1);
  f.number("model_sweep_count", view.prediction.sweepCount, Index{1}, Index{100});
  f.number("model_sweep_seed", view.prediction.sweepSeed, std::uint64_t{1}, ui::kMostSeed);
  f.flag("model_sweep_lists_texts", view.prediction.sweepListsTexts);
  f.number("model_sweep_column", view.prediction.sweepColumn, Index{0}, Limits::kTokens - 1);
  f.word("model_compared_text", view.compared.text);
  f.word("model_compared_target", view.compared.target);
  f.flag("model_compared_writes", view.compared.writes);
  f.word("model_compared_folder", view.compared.folder);
  f.choice("model_compared_shown", view.compared.shown, kPassesShown);
  f.flag("model_compared_weights", view.compared.weights);
  f.word("model_compared_tensor", view.compared.tensor);
  visitGenerationFields(f, view.prediction.generation);
}

/// Every field that a session stores, one line each; enumerations use the names of their values, in
/// order.
template <typename Fields, typename View>
void visitFields(Fields& f, View& view) {
  f.step("step", view.selection.step);
  f.number("item", view.selection.item, Index{0}, kMaxItem);
  f.number("head", view.selection.head, Index{0}, kMaxHead);
  f.part("part", view.selection.part);
  f.choice("scope", view.selection.scope, kScopes);
  f.flag("gradients", view.selection.gradients);
  f.flag("faint_columns", view.preferences.faintColumns);
  f.cell("selected", view.selection.cell);
  f.word("page",
         view.selection.page);  // values of a newer program are kept unchanged, as for the tool
  f.word("presented", view.selection.presented);
  f.number("stage_word", view.stage.word, Index{-1}, Limits::kTokens - 1);
  f.time("stage_place", view.stage.at);
  f.flag("stage_settings", view.stage.settingsOpen);
  f.flag("stage_numbers", view.stage.numbers);
  visitHeadsFields(f, view.heads);
  f.word("train_task", view.train.task);
  f.number("train_layers", view.train.layers, Index{0}, training::kMostLayers);
  f.number("train_d_model", view.train.dModel, Index{0}, Limits::kDModel);
  f.number("train_heads", view.train.heads, Index{0}, kMaxHead + 1);
  f.number("train_kv_heads", view.train.kvHeads, Index{0}, kMaxHead + 1);
  f.flag("train_networks", view.train.networks);
  f.flag("train_norms", view.train.norms);
  f.flag("train_rotary", view.train.rotary);
  f.number("train_seed", view.train.seed, std::uint64_t{1}, std::uint64_t{1} << 32U);
  f.flag("train_kept", view.train.kept);
  f.word("train_sentence", view.train.sentence);
  f.word("train_text", view.train.text);
  f.word("train_cut_into", view.train.cutInto);
  f.number("train_vocabulary", view.train.vocabulary, Index{16}, Index{65'536});
  f.choice("train_tab", view.train.tab, kTrainTabs);
  f.choice("train_questions", view.train.questions, kQuestionsTabs);
  f.flag("train_curves", view.train.curves);
  f.flag("train_step", view.train.step);
  f.number("train_example", view.train.example, Index{0}, training::kEvaluationExamples - 1);
  visitModelFields(f, view.model);
  f.number("color_maps", view.preferences.colorMaps, 0, kMaxColorMaps);
  f.flag("animate", view.preferences.animate);
  f.flag("learn_heads", view.preferences.learnHeads);
  f.number("play_speed", view.preferences.playSpeed, 0.25F, 4.0F);
  f.word("tool", view.selection.tool);
  f.mistake("mistake", view.selection.mistake);
  f.choice("inspector", view.selection.inspectorTab, kTabs);
  f.choice("against", view.selection.against, kAgainst);
  f.choice("term_column", view.preferences.termOrder.by, kTermColumns);
  f.flag("terms_descending", view.preferences.termOrder.descending);
  f.cells("trail", view.selection.trail);
  f.number("decode_position", view.selection.decodePosition, Index{0}, Limits::kTokens - 1);
  f.flag("decode_size", view.preferences.decodeShowsSize);
  f.time("play_time", view.selection.playTime);
  if (view.selection.playTime)
    f.number("play_query", view.selection.playQuery, Index{0}, Limits::kTokens - 1);
}

struct Writer {
  Json::Fields fields;

  void step(const char* name, StepId id) {
    fields.emplace_back(name, headscope::step(id).text({}).id);
  }
  template <typename T>
  void number(const char* name, T value, T, T) {
    fields.emplace_back(name, value);
  }
  void flag(const char* name, bool value) { fields.emplace_back(name, value); }
  void word(const char* name, const std::string& value) { fields.emplace_back(name, value); }
  void indices(const char* name, const std::vector<Index>& values, Index) {
    fields.emplace_back(name, values);
  }
  void part(const char* name, TensorId id) { fields.emplace_back(name, info(id).name); }
  template <typename Enum, std::size_t N>
  void choice(const char* name, Enum value, const std::array<const char*, N>& names) {
    const auto at = static_cast<std::size_t>(value);
    if (at < N) fields.emplace_back(name, names[at]);
  }
  void cell(const char* name, const std::optional<CellRef>& cell) {
    if (cell) fields.emplace_back(name, toString(*cell));
  }
  void cells(const char* name, const std::vector<CellRef>& cells) {
    if (cells.empty()) return;
    Json list = Json::emptyList();
    for (const CellRef& cell : cells) list.push_back(toString(cell));
    fields.emplace_back(name, std::move(list));
  }
  void mistake(const char* name, Mistake mistake) { fields.emplace_back(name, textOf(mistake).id); }
  void time(const char* name, const std::optional<double>& seconds) {
    if (seconds) fields.emplace_back(name, *seconds);
  }
};

struct Reader {
  const Json& json;

  // Null, or nothing, where the field is missing or of another type.
  const std::string* text(const char* name) const {
    const Json* found = json.find(name);
    return found == nullptr ? nullptr : found->text();
  }
  const Json::List* list(const char* name) const {
    const Json* found = json.find(name);
    return found == nullptr ? nullptr : found->list();
  }
  std::optional<double> number(const char* name) const {
    const Json* found = json.find(name);
    return found == nullptr ? std::nullopt : found->number();
  }

  void step(const char* name, StepId& id) const {
    const std::string* found = text(name);
    for (const Step* s : allSteps()) {
      if (found != nullptr && s->text({}).id == *found) id = s->id();
    }
  }
  template <typename T>
  void number(const char* name, T& value, T low, T high) const {
    const auto given = number(name);
    if (!given) return;
    value = static_cast<T>(std::clamp(*given, static_cast<double>(low), static_cast<double>(high)));
  }
  void flag(const char* name, bool& value) const {
    const Json* found = json.find(name);
    if (found != nullptr && found->flag() != nullptr) value = *found->flag();
  }
  void word(const char* name, std::string& value) const {
    if (const std::string* found = text(name)) value = *found;
  }
  /// Reads the indices below `most`; changes nothing where the field is not a list of numbers.
  void indices(const char* name, std::vector<Index>& values, Index most) const {
    const Json::List* found = list(name);
    if (found == nullptr) return;
    values.clear();
    for (const Json& value : *found) {
      const double given = value.number().value_or(-1.0);
      if (given >= 0.0 && given < static_cast<double>(most)) {
        values.push_back(static_cast<Index>(given));
      }
    }
  }
  void part(const char* name, TensorId& id) const {
    const std::string* found = text(name);
    const auto tensor = found != nullptr ? tensorIdFromName(*found) : std::nullopt;
    if (tensor == TensorId::q || tensor == TensorId::k || tensor == TensorId::v) id = *tensor;
  }
  template <typename Enum, std::size_t N>
  void choice(const char* name, Enum& value, const std::array<const char*, N>& names) const {
    const std::string* found = text(name);
    if (found == nullptr) return;
    const auto at = std::find(names.begin(), names.end(), *found);
    if (at != names.end()) value = static_cast<Enum>(at - names.begin());
  }
  void cell(const char* name, std::optional<CellRef>& cell) const {
    const std::string* found = text(name);
    cell = found != nullptr ? cellFromString(*found) : std::nullopt;
  }
  void cells(const char* name, std::vector<CellRef>& cells) const {
    cells.clear();
    const Json::List* found = list(name);
    if (found == nullptr) return;
    for (const Json& item : *found) {
      const auto cell = item.text() != nullptr ? cellFromString(*item.text()) : std::nullopt;
      if (cell) cells.push_back(*cell);
    }
  }
  void mistake(const char* name, Mistake& mistake) const {
    const std::string* found = text(name);
    for (const MistakeText& known : allMistakes()) {
      if (found != nullptr && known.id == *found) mistake = known.mistake;
    }
  }
  void time(const char* name, std::optional<double>& seconds) const {
    seconds = number(name);
    if (seconds) seconds = std::max(0.0, *seconds);
  }
};

}  // namespace

Json viewFields(const ViewState& view) {
  Writer writer;
  visitFields(writer, view);
  return Json::objectOf(std::move(writer.fields));
}

std::string viewToJson(const ViewState& view) { return viewFields(view).dump(); }

const std::string& ViewText::of(const ViewState& view) {
  const auto stored = [](const ViewState& v) {
    return std::tie(v.selection, v.preferences, v.stage, v.heads, v.train, v.model);
  };
  if (!view_ || stored(*view_) != stored(view)) {
    view_ = view;
    text_ = viewToJson(view);
  }
  return text_;
}

ViewState viewFromJson(const std::string& text, ViewState view) {
  try {
    const Json json = parseJson(text);
    if (json.fields() == nullptr) return view;
    Reader reader{json};
    visitFields(reader, view);
  } catch (const JsonError&) {
    return view;
  }
  view.frame.playing = view.frame.stagePlaying = false;
  view.frame.hovered.reset();
  return view;
}

std::string workInView(const std::string& json) {
  const ui::ModelView model = viewFromJson(json, {}).model;
  const ui::PredictionView& chain = model.prediction;
  const bool begun = !chain.whyScore.empty() && !chain.whyScoreByItself;
  if (chain.why.empty() && !begun) return {};
  return fmt::format("{}\n{}\n{}\n{} {} {} {}\n{}", model.place.folder, model.place.text,
                     model.place.target, model.token, chain.word, chain.other, chain.whyScore,
                     chain.why);
}

}  // namespace headscope
