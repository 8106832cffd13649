// Heads over texts: the metrics of every head of a model over many texts: their means, spreads and
// the text in which each is largest, and the label that a head has most often.
//
//   TextsMeasure measure(document, {{"line 1", input}}, {});
//   while (!measure.runUnit()) continue;
//   measure.found()->of(0, Metric::induction)->mean  // of the first head
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/model/model_heads.h"
#include "core/model/text_value.h"

namespace headscope::model {

/// A metric of one head over the texts in which it is defined.
struct MetricOverTexts {
  std::size_t texts = 0;  // how many these are
  double mean = 0.0;
  double spread = 0.0;        // the standard deviation
  std::size_t strongest = 0;  // the text with the largest value
  double largest = 0.0;
};

class HeadsOverTexts {
 public:
  void add(const MeasuredHeads& heads);

  std::size_t texts() const { return texts_.size(); }
  /// Summarises a metric of the head at this index (placeOf). Empty where no text defines the
  /// metric.
  std::optional<MetricOverTexts> of(std::size_t head, Metric metric) const;
  /// The texts with the largest values of a head's metric, the largest first and at most `most`.
  std::vector<TextValue> best(std::size_t head, Metric metric, std::size_t most = kBestTexts) const;
  /// The means, and of each head the most frequent label, whose rule says in how many texts it has
  /// that, without rows. A metric that no text defines has the first text's reason.
  MeasuredHeads means() const;

 private:
  HeadLabel mostFrequentLabel(std::size_t head) const;

  std::vector<MeasuredHeads> texts_;  // without their layers
};

struct TextToMeasure {
  std::string name;  // begins the message of an error; may be empty
  ModelInput input;
};

/// Measures the heads on one text after the other, unit by unit.
class TextsMeasure {
 public:
  /// The texts run with the document's model and edits.
  TextsMeasure(ModelDocumentPtr document, std::vector<TextToMeasure> texts,
               const ExecutionContext& execution);

  /// Runs the pass and the measures of the next text. True after the last one, or where it was
  /// cancelled. Throws UserError that begins with the text's name.
  bool runUnit();
  std::size_t textsDone() const { return found_.texts(); }
  /// The result, after the last text; nothing where it was cancelled.
  std::optional<HeadsOverTexts> found() const;

 private:
  ModelDocumentPtr document_;
  std::vector<TextToMeasure> texts_;
  ExecutionContext execution_;
  HeadsOverTexts found_;
};

}  // namespace headscope::model
