// Sweep of texts: one sweep over one or many texts of a model, text by text: the passes of the text
// and of the one whose values replace its own, the gradient's estimates, then all patched runs
// together, of one text alone those with the largest estimates first. It ends in means, spreads and
// the texts on which a part matters most.
//
// The values of another text are those of the tokens that stand for the text's own, as
// text_alignment.h aligns them. The sweep also measures how much each head looks at the word that
// decides: the asked word where it stands in the text, else the tokens in which the other text
// differs, of an image the patches in which the other image differs.
//
// A model with an encoder and a decoder has a source text besides; another text is another source,
// with the same target.
//
//   TextsSweep sweep(document, {{"", input, {}, asked}}, {SweepOver::heads, SweepWith::zero}, {});
//   while (!sweep.runUnit()) continue;
//   sweep.found()->effects.mean(0).metric  // with the first head at zero
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/path_patching.h"
#include "core/model/sweep.h"
#include "core/model/text_alignment.h"

namespace headscope::model {

/// The replacement of a part: zero, its mean, or its values on another text.
enum class SweepWith { zero, mean, other };

struct SweepSetting {
  SweepOver over = SweepOver::heads;
  SweepWith with = SweepWith::zero;
  /// The texts of the mean, of two stacks source texts with the target of the first text; empty:
  /// those of the sweep.
  std::vector<ModelInput> meanOf = {};
  /// With SweepOver::heads: the effect of each head of an earlier layer through this one alone.
  std::optional<Receiver> to = {};
  /// Not with SweepOver::places: the token at which parts are replaced, kEachPlace or kAskedPlace.
  Index place = Patch::kEveryPlace;
};

struct TextToSweep {
  std::string name;  // begins the message of an error; may be empty
  ModelInput input;
  /// The other text, which SweepWith::other needs; of two stacks another source.
  std::optional<ModelInput> other;
  /// The prediction that is read; called with the text's pass.
  std::function<AskedWord(const ModelTrace&)> asked;
  /// The source text of an encoder–decoder model, whose target is `input`; empty: that of the
  /// document.
  std::optional<ModelInput> source = {};
};

struct SweptTexts {
  std::vector<Patch> parts;         // of the first text, without their rows
  std::vector<std::string> tokens;  // of the first text, or source; may be empty
  EffectsOverTexts effects;
  std::vector<AskedWord> asked;      // of each text
  std::vector<double> otherMetrics;  // of each other text, with SweepWith::other
  std::vector<AlignedText> aligned;
  /// Which parts have been replaced in the first text; the others have estimates alone as yet.
  std::vector<bool> replaced;

  bool allReplaced() const { return std::ranges::find(replaced, false) == replaced.end(); }
};

class TextsSweep {
 public:
  /// The texts run with the document's model and edits. What `previous` has computed already is not
  /// computed again; null: none.
  TextsSweep(ModelDocumentPtr document, std::vector<TextToSweep> texts, SweepSetting setting,
             const ExecutionContext& execution, ModelTracePtr previous = nullptr);

  /// Runs the passes of the next text, the patched runs with the largest estimates, or the next
  /// layer of the others. True after the last unit, or where it was cancelled. Throws UserError
  /// that begins with the text's name.
  bool runUnit();
  /// The number of units of a sweep whose patched runs fit the memory together; of one text with
  /// few parts it is one less.
  static Index units(std::size_t texts, const SweepSetting& setting, const Model& model);
  std::size_t textsDone() const { return found_.effects.texts(); }
  /// The result, after the last unit; nothing where it was cancelled.
  std::optional<SweptTexts> found() const;
  /// The result over the texts done so far, or what is known of the first one; nothing before its
  /// estimates are known.
  std::optional<SweptTexts> soFar() const;

 private:
  bool addToMeans();
  void begin(const TextToSweep& text);
  void beginRuns();
  void endRuns();
  void runStrongest();
  NewValues valuesFor(const ModelTracePtr& base, const ModelTracePtr& other,
                      const std::vector<Index>& places) const;
  ModelTracePtr pass(const ModelInput& input, const std::optional<ModelInput>& source) const;
  /// The pass with another text in the place of `text`.
  ModelTracePtr passOfOther(const ModelInput& other, const TextToSweep& text) const;

  ModelDocumentPtr document_;
  std::vector<TextToSweep> texts_;
  SweepSetting setting_;
  ExecutionContext execution_;
  ModelTracePtr previous_;
  std::shared_ptr<MeanValues> means_;  // null: not the means of several texts
  std::size_t meansDone_ = 0;

  // of the present text
  ModelTracePtr base_;
  PatchEffect unchanged_;
  std::vector<Patch> patches_;
  std::vector<PatchEffect> known_;  // of each patch
  std::vector<std::size_t> left_;  // the patches that have not run yet, those to run first in front
  std::vector<std::size_t> running_;
  std::optional<PatchedRuns> runs_;
  SweptTexts found_;
  bool ended_ = false;
};

}  // namespace headscope::model
