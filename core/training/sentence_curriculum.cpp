// The sentence curriculum: X is the sum of a row for each word and a row for each position, both
// embedded once. A place is identified by its word.
#include <algorithm>
#include <functional>
#include <string>

#include "core/attention/steps/linear.h"
#include "core/training/curriculum.h"
#include "core/training/sentence_words.h"
#include "core/training/sentences.h"

namespace headscope::training {
namespace {

constexpr Index kSentencesForMean = 512;
constexpr double kPartOfClassFactor = 0.75;
constexpr double kLater = 0.35;  // the share of sentences that begin later
constexpr Index kPlaces = 48;    // that heads learn; a sentence has at most kLongestSentence words
/// Sentences for this many batches are drawn at once and sorted, so that there is little padding.
constexpr Index kBatchesDrawnAtOnce = 8;

/// A sentence and the place of its first word. Each place has cosines and sines of its own, so
/// heads learn only places that have words: some sentences begin later, as if others stood before
/// them.
struct PlacedSentence {
  Sentence sentence;
  Index first = 0;
};

class SentenceCurriculum final : public BatchSource {
 public:
  explicit SentenceCurriculum(const CurriculumSettings& s)
      : width_(s.width),
        batch_(s.batch),
        draws_(s.seed, "sentences to learn from"),
        layout_(textLayout(width_)),
        words_(sentenceWords()),
        wordRows_(embedWords(words_, width_)),
        placeRows_(embedPositions(kPlaces, width_)),
        columnFactors_(
            blockFactors(layout_, TextBlock::wordClass, TextBlock::wordClass, s.classFactor)) {
    std::fill_n(columnFactors_.begin() + layout_.blocks[TextBlock::wordPart].begin,
                layout_.blocks[TextBlock::wordPart].count,
                static_cast<float>(s.classFactor * kPartOfClassFactor));
    for (Index word = 0; word < wordRows_.dim(0); ++word) {
      float* row = wordRows_.mutableData() + word * width_;
      for (std::size_t c = 0; c < columnFactors_.size(); ++c) row[c] *= columnFactors_[c];
    }
    Draws draws(s.seed, "sentences for the mean of X");
    std::vector<PlacedSentence> sentences;
    for (Index i = 0; i < kSentencesForMean; ++i) sentences.push_back(drawPlaced(draws));
    const AskedBatch batch = asked(sentences);
    meanX_ = meanOfPlaces(embed(batch, sentences, nullptr), batch);
  }

  Index longest() const override { return kLongestSentence; }
  const std::vector<float>& columnFactors() const override { return columnFactors_; }
  std::vector<ColumnRange> identity() const override { return {layout_.rest}; }
  double identityLength() const override { return 1.0; }
  const std::vector<double>& meanX() const override { return meanX_; }

  TrainingBatch next(const BlockStorePtr& memory) override {
    if (drawn_.empty()) {
      for (Index i = 0; i < kBatchesDrawnAtOnce * batch_; ++i) {
        drawn_.push_back(drawPlaced(draws_));
      }
      std::ranges::stable_sort(
          drawn_, {}, [](const PlacedSentence& each) { return each.sentence.words.size(); });
    }
    const std::span<const PlacedSentence> sentences{drawn_.data() + drawn_.size() - batch_,
                                                    static_cast<std::size_t>(batch_)};
    AskedBatch batch = asked(sentences);
    Tensor x = embed(batch, sentences, memory);
    return {std::move(batch), std::move(x)};
  }
  void learned() override { drawn_.erase(drawn_.end() - batch_, drawn_.end()); }

  Tensor values(const TrainingBatch& of, const Tensor& wV,
                const ExecutionContext& execution) override {
    if (wordValues_.empty()) {
      wordValues_ = linear(wordRows_.reshaped({1, wordRows_.dim(0), width_}), wV, {}, {});
    }
    const AskedBatch& batch = of.asked;
    const Index columns = wV.dim(0);
    Tensor values = Tensor::uninitialised({batch.count, batch.length, columns}, execution.memory);
    for (Index row = 0; row < batch.count * batch.length; ++row) {
      const Index word = batch.things[static_cast<std::size_t>(row)];
      float* value = values.mutableData() + row * columns;
      if (word < 0) std::fill_n(value, columns, 0.0F);
      if (word >= 0) std::copy_n(wordValues_.data() + word * columns, columns, value);
    }
    return values;
  }

 private:
  static PlacedSentence drawPlaced(Draws& draws) {
    PlacedSentence drawn{drawSentence(draws)};
    const Index free = kPlaces - std::ssize(drawn.sentence.words);
    if (draws.chance(kLater)) drawn.first = draws.below(free + 1);
    return drawn;
  }

  AskedBatch asked(std::span<const PlacedSentence> sentences) const {
    std::vector<AskedBatch::Item> items;
    for (const auto& [sentence, first] : sentences) {
      AskedBatch::Item& item = items.emplace_back();
      item.partners = &sentence.partners;
      for (std::size_t i = 0; i < sentence.words.size(); ++i) {
        const ClassedWord word{sentence.words[i], sentence.uses[i].wordClass};
        item.things.push_back(std::lower_bound(words_.begin(), words_.end(), word) -
                              words_.begin());
      }
    }
    return AskedBatch(items);
  }

  Tensor embed(const AskedBatch& batch, std::span<const PlacedSentence> sentences,
               const BlockStorePtr& memory) const {
    const ColumnRange parts = layout_.blocks[TextBlock::wordPart];
    Tensor x = Tensor::uninitialised({batch.count, batch.length, width_}, memory);
    std::fill_n(x.mutableData(), x.size(), 0.0F);
    for (Index item = 0; item < batch.count; ++item) {
      const PlacedSentence& placed = sentences[static_cast<std::size_t>(item)];
      for (Index place = 0; place < batch.lengths[static_cast<std::size_t>(item)]; ++place) {
        const std::span<const float> word = wordRows_.matrix().row(batch.thing(item, place));
        const std::span<const float> where = placeRows_.matrix().row(placed.first + place);
        std::transform(word.begin(), word.end(), where.begin(),
                       x.mutableMatrixOf(item, 0).row(place).begin(), std::plus<>());
        const auto& part = placed.sentence.uses[static_cast<std::size_t>(place)].part;
        if (!part || static_cast<Index>(*part) >= parts.count) continue;
        const auto column = static_cast<std::size_t>(parts.begin + static_cast<Index>(*part));
        x.mutableMatrixOf(item, 0).row(place)[column] = columnFactors_[column];
      }
    }
    return x;
  }

  Index width_, batch_;
  Draws draws_;
  Layout layout_;
  std::vector<ClassedWord> words_;  // all words of sentences, sorted
  Tensor wordRows_, placeRows_;     // X is their sum: (words, D), (places, D)
  std::vector<float> columnFactors_;
  std::vector<double> meanX_;
  Tensor wordValues_;                  // (1, words, D_kv)
  std::vector<PlacedSentence> drawn_;  // sentences of the next batches
};

}  // namespace

std::unique_ptr<BatchSource> makeSentenceCurriculum(const CurriculumSettings& settings) {
  return std::make_unique<SentenceCurriculum>(settings);
}

}  // namespace headscope::training
