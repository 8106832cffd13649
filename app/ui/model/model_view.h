// Model view: selection and display options of the model page, a part of the view. It holds only
// the path of the model.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/index.h"

namespace headscope::model {
enum class Composition;  // core/model/compositions.h, which includes too much for a view
}

namespace headscope::ui {

struct BornModel;  // born_heads.h

/// The requested model and its text.
struct ModelPlace {
  std::string folder;        // or the name of a built-in model; empty: none
  std::string text;          // or the path of a picture; empty: one that suits the model
  std::string adapter = {};  // the folder of a LoRA adapter on it; empty: none
  double adapterStrength = 1.0;
  std::string target = {};  // of an encoder–decoder model; empty: the model writes it

  bool operator==(const ModelPlace&) const = default;
};

/// The keys of maps of all heads that show no metric.
inline constexpr const char* kLabelMap = "label";
inline constexpr const char* kTokensMap = "chosen tokens";
inline constexpr const char* kGradientMap = "gradient";
inline constexpr const char* kAdapterMap = "adapter";
inline constexpr const char* kCopyingMap = "copying";
inline constexpr const char* kPositionMap = "position";
inline constexpr const char* kDistanceMap = "distance";

/// The texts that the measures of heads describe: the page's own, repeated random tokens, or those
/// of a set (PredictionView::sweepTexts), as means.
enum class MeasuredOn { text, probe, set };

/// How all heads are arranged and measured.
struct ModelHeadsView {
  MeasuredOn on = MeasuredOn::text;
  bool specialTokens = true;                // draws the rows and columns of special tokens
  std::string order;                        // the metric, or kLabelMap, to sort by; empty: unsorted
  std::vector<Index> queries;               // tokens of the text, in order; empty: all of them
  std::vector<Index> keys;                  // tokens of the text, in order; empty: the first
  std::optional<model::Composition> lines;  // the composition whose strongest pairs lines connect

  bool operator==(const ModelHeadsView&) const = default;
};

inline constexpr Index kMostNewTokens = 4096;
inline constexpr double kLeastSampling = 0.01, kMostSampling = 10.0;  // temperature
inline constexpr double kMostStrength = 1000.0;                       // of steering, either way
inline constexpr std::uint64_t kMostSeed = std::uint64_t{1} << 32U;

/// The direction that steers a generation: the difference of two texts' streams, that of what the
/// chosen head adds at their ends, or a vector of a file.
enum class SteeredBy { stream, head, file };

/// The settings of generation.
struct GenerationView {
  Index tokens = 16;  // the maximum number of new tokens
  bool sampled = false;
  bool beams = false;  // a beam search, whose branches are shown
  Index beamCount = 4;
  double temperature = 1.0;
  Index topK = 40;  // 0: all
  std::uint64_t seed = 1;
  bool steered = false;
  SteeredBy steeredBy = SteeredBy::stream;
  std::string toward, awayFrom;  // texts: the direction is the difference of what is read at both
  std::string steeredFile;
  Index steeredLayer = 0;
  Index steeredPlace = -1;      // the token of the text; −1: every one, also of what is generated
  bool steeredEncoder = false;  // of two stacks: steers the encoder, by texts that are sources
  double strength = 1.0;

  bool operator==(const GenerationView&) const = default;
};

/// The heads whose cross-attention the alignment of words shows: one, those of its layer, all, or
/// several chosen ones.
enum class AlignedBy { head, layer, all, chosen };

/// The reading that replaces every part in turn.
inline constexpr int kEveryPartReading = 4;
/// The reading that takes a word or a score apart.
inline constexpr int kWhyReading = 5;
/// The reading that shows a layer's residual stream and network.
inline constexpr int kNetworkReading = 12;
/// EffectKind::looks of core/model/sweep.h, for panels that open a sweep.
inline constexpr int kLooksEffect = 4;

/// The way by which a replaced head acts: all that follows, or one head's query, key or value
/// alone.
enum class SweptThrough { all, query, key, value };

/// The list next to the matrix of a score.
enum class WhyList { pairs, queries, keys };

/// The shown reading of a token's prediction, and its word.
struct PredictionView {
  int reading = 0;        // the open tab
  bool folded = false;    // shows only the tabs, to leave room for the heads
  bool enlarged = false;  // takes the room of the heads, which are hidden
  Index word = -1;        // −1: the most probable one
  Index other = -1;       // the word whose logit is subtracted; −1: none
  int instead = 0;        // of a head's output: nothing, its mean, its value on `otherText`
  std::string otherText;
  int sweepOver = 0;  // heads, layers or places
  SweptThrough sweptThrough = SweptThrough::all;
  Index sweptToLayer = 0, sweptToHead = 0;  // the head of that query, key or value
  Index sweptPlace = -1;                    // the place of model::SweepSetting; −1: every token
  int sweepShown = 0;                       // an EffectKind of core/model/sweep.h
  std::string sweepTexts;      // "template:ioi", or a file of texts; empty: the page's own text
  std::string sweepMeanTexts;  // likewise, the texts of the mean; empty: the text itself
  bool sweepSwapped = false;   // runs the other text, with values of the page's own
  Index sweepCount = 20;       // texts of a template
  std::uint64_t sweepSeed = 1;
  Index sweepColumn = 0;         // the chosen part of the layer: attention or network, or a place
  Index sweepAt = -1;            // its token, where parts are replaced at each token in turn
  bool sweepListsTexts = false;  // lists the texts by the chosen part's effect, not the parts
  std::shared_ptr<const BornModel> born;  // a model that a sweep's heads are compared with
  std::string why;                // the steps of the chain that is followed (core/model/why.h)
  bool whyValues = false;         // a token's value is followed; otherwise why the head looks there
  std::string whyScore;           // the score that the chain begins with; empty: the word's logit
  bool whyScoreByItself = false;  // no user chose that score: a model without words begins with one
  bool whyOfScore = false;        // a score is being chosen: the chosen head's, once it is known
  bool whyOfQuery = false;        // of a pair the query's writer is followed, otherwise the key's
  bool whyWhole = false;          // shows all levels of the chain
  std::string whyPairs;           // the chain whose last pairs are left out in runs; never saved
  WhyList whyList = WhyList::pairs;
  int layerPart = 0;  // the shown tensor of a layer: LayerPart of core/model/layer_tensors.h
  GenerationView generation;
  AlignedBy aligned = AlignedBy::all;
  std::vector<Index> alignedHeads;  // the chosen ones: layers of cross-attention × heads, in a row
  bool alignedAsRead = false;       // of each word's own row, not of the one that wrote it
  /// The texts that a CLIP model matches with its image, one on each line.
  std::string matchTexts = "a landscape with mountains\na person\na page of text";

  bool operator==(const PredictionView&) const = default;
};

/// The attention of an encoder–decoder model whose heads are shown.
enum class AttentionShown { encoder, decoder, cross };

/// The pass whose heads are shown: the page's own, the one that it is compared with, or their
/// difference.
enum class PassShown { own, other, difference };

/// The pass that the page's own is compared with; without a text and a model there is none.
struct ComparedView {
  std::string text;     // of two stacks the source; empty: the page's own
  std::string target;   // of two stacks; empty: the page's own
  bool writes = false;  // the model writes the other target, where none is given
  std::string folder;   // of another model; empty: the page's own model
  PassShown shown = PassShown::own;
  bool weights = false;  // shows a tensor of both models, not the chosen head
  std::string tensor;    // the shown one; empty: the one that differs most

  bool operator==(const ComparedView&) const = default;
};

/// The weights that are drawn over a picture (image_view.h).
enum class ImageMap { head, meanOfHeads, rollout };

struct ModelView {
  ModelPlace place;
  AttentionShown attention = AttentionShown::cross;
  Index layer = 0, head = 0;
  Index token = -1;    // the chosen one; −1: the last one, of an image the class token
  std::string metric;  // the key of the metric whose map replaces the heads' weights; empty: none
  bool ownScale = false;   // scales each head to its own largest weight
  bool firstToken = true;  // draws the first token's column, on which many heads put idle weight
  ImageMap imageMap = ImageMap::head;
  ModelHeadsView heads;
  PredictionView prediction;
  ComparedView compared;

  bool operator==(const ModelView&) const = default;
};

}  // namespace headscope::ui
