#include "app/model_moment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/kept_edits.h"
#include "app/moment_text.h"
#include "app/read_as.h"
#include "core/attention/steps/step.h"
#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/attention_file.h"
#include "core/formats/model_directory.h"
#include "core/formats/model_edits.h"
#include "core/formats/shipped_model.h"
#include "core/formats/shipped_picture.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/generation.h"
#include "core/model/model_edits.h"
#include "core/model/tokenized.h"
#include "core/tensor/gemm.h"

namespace headscope {
namespace {

using model::Stack;

constexpr std::size_t kPredictionsKept = 10;

/// Returns the document as the model's layer, or as an edit of it.
LayersInFlow::Opened asLayer(const formats::ShownLayer& shown, const model::ModelPtr& of,
                             const model::ModelInput& input, const model::ModelTracePtr& memory) {
  // a session names a picture's file, and has no pixels of it
  auto plain = makeModelDocument(of, of->config().image.on() ? input : shown.input, memory);
  DocumentPtr opened = shown.document;
  if (formats::differs(*shown.document, *plain, shown.layer)) {
    Document own = *layerDocument(*plain, shown.layer, shown.document->input->x);
    own.source = shown.document->source;
    own.input = shown.document->input;
    opened = std::make_shared<const Document>(std::move(own));
  }
  return {std::move(plain), shown.layer, std::move(opened)};
}

/// Applies a session's edits to a model. Throws only std::bad_alloc; other failures become the
/// result's problem.
std::shared_ptr<const KeptEdits> keptEditsOn(const model::ModelPtr& of,
                                             std::shared_ptr<const formats::SavedModel> kept,
                                             const model::ModelInput& input,
                                             const model::ModelTracePtr& memory) {
  auto made = std::make_shared<KeptEdits>();
  made->problem = whyNot([&] {
    made->changes = formats::editsOn(of, *kept->kept, input, memory);
    for (const formats::ShownLayer& shown : kept->shown) {
      const AttentionConfig& c = shown.document->config;
      // a cross-attention over another source is no layer of this pass
      if (c.crossAttention() && (memory == nullptr || c.memoryLen != memory->tokens())) continue;
      made->layers.push_back(asLayer(shown, of, input, memory));
    }
  });
  made->of = std::move(kept);
  return made;
}

/// The most tokens that a decoder writes for a source text.
constexpr Index kMostWritten = 128;

// Bits of a moment's number, by which moments of one request differ.
constexpr std::uint64_t kOfSource = std::uint64_t{1} << 63U;
constexpr std::uint64_t kWhileWriting = std::uint64_t{1} << 62U;
constexpr std::uint64_t kStep = std::uint64_t{1} << 40U;

/// The number of rows whose logits form one unit of work: enough for a fast product.
constexpr Index kRowsAtOnce = 64;

/// Computes a moment, unit by unit: opens the model and passes the text through it; then computes
/// the predictions; then, where the model was changed, the same for the original model.
class MomentMaker {
 public:
  /// `publish` receives the pass of a new text before its predictions.
  MomentMaker(MomentRequest asked,
              std::function<void(FoundMoment, const std::atomic<bool>&)> publish)
      : asked_(std::move(asked)), publish_(std::move(publish)) {}

  /// Runs the next unit. Returns true after the last one; `found` stays empty if cancelled.
  bool runUnit(const std::atomic<bool>& cancelled, std::optional<FoundMoment>& found) {
    execution_.cancelled = &cancelled;
    return cancelled || step(found);
  }

 private:
  /// Returns true where no work is left.
  bool step(std::optional<FoundMoment>& found) {
    if (of_ == nullptr) return !begin(found);
    if (uneditedSource_ != nullptr) return takeUneditedSource();
    if (encoderPass_ != nullptr) return takeSource();
    if (writing_) return write();
    if (moment_.trace == nullptr) return takePass(found);
    const Index said = std::ssize(moment_.predictions);
    if (said < moment_.trace->logitRows()) {
      predict(said);
    } else if (uneditedPass_ == nullptr) {
      found = finished();
    } else if (unedited_.trace == nullptr) {
      if (uneditedPass_->runUnit()) unedited_.trace = uneditedPass_->trace();
    } else if (const Index compared = std::ssize(unedited_.best); compared < said) {
      compare(compared);
    } else {
      moment_.unedited = std::make_shared<const UneditedModel>(std::move(unedited_));
      found = finished();
    }
    return found.has_value();
  }

  /// Returns false where the text is too long; `found` then has the token counts.
  bool begin(std::optional<FoundMoment>& found) {
    moment_.number = asked_.number;
    moment_.changes = asked_.changes;
    model::ModelPtr of;
    formats::TokenizerPtr sourceTokenizer;
    if (asked_.folder.empty()) {
      of = asked_.before->trace->document().model;
      moment_.folder = asked_.before->folder;
      moment_.adapter = asked_.before->adapter;
      moment_.tokenizer = asked_.before->tokenizer;
      moment_.tokenizerProblem = asked_.before->tokenizerProblem;
      if (asked_.before->source != nullptr) sourceTokenizer = asked_.before->source->tokenizer;
    } else {
      moment_.folder = asked_.folder;
      moment_.adapter = asked_.adapter;
      const auto encoder = readsAsText(asked_.folder, asked_.text) ? formats::Encoder::ofTexts
                                                                   : formats::Encoder::ofImages;
      of = formats::openModel(asked_.folder, asked_.budget / 2, asked_.adapter, encoder);
      const bool same = asked_.before != nullptr && asked_.before->folder == asked_.folder;
      if (same) moveEditsTo(of);
      if (formats::hasTokenizer(asked_.folder)) {
        moment_.tokenizerProblem =
            whyNot([&] { moment_.tokenizer = formats::openTokenizer(asked_.folder); });
        if (of->encoder() != nullptr && moment_.tokenizer != nullptr) {
          sourceTokenizer = std::exchange(moment_.tokenizer, nullptr);
          moment_.tokenizerProblem =
              whyNot([&] { moment_.tokenizer = formats::openTargetTokenizer(asked_.folder); });
        }
      }
    }
    of_ = of;
    prepareGemm();
    if (of->encoder() == nullptr) {
      auto input = givenInput(moment_, *of, found);
      if (!input) return false;
      beginPass(std::move(*input));
      return true;
    }
    source_ = std::make_shared<ModelMoment>(moment_);
    source_->tokenizer = std::move(sourceTokenizer);
    source_->number = kOfSource | moment_.number;
    auto input = givenInput(*source_, *of->encoder(), found);
    if (!input) return false;
    const auto plain = makeModelDocument(of->encoder(), std::move(*input));
    const auto document = changed(plain, Stack::encoder);
    const ModelMoment* before = asked_.folder.empty() ? asked_.before.get() : nullptr;
    const model::ModelTracePtr last = before != nullptr ? before->source->trace : nullptr;
    encoderPass_ =
        std::make_unique<model::ModelPass>(document, last, execution_, asked_.budget / 4);
    if (document->edited.empty()) return true;
    uneditedSource_ =
        std::make_unique<model::ModelPass>(plain, last, execution_, asked_.budget / 8);
    return true;
  }

  /// Moves the request's edits to the model with another adapter.
  void moveEditsTo(const model::ModelPtr& of) {
    bool any = false;
    for (const Stack stack : {Stack::decoder, Stack::encoder}) {
      model::ModelDocumentPtr& edits = asked_.edits.of(stack).document;
      if (edits == nullptr) continue;
      edits = onModel(*edits, stack == Stack::decoder ? of : of->encoder());
      any = true;
    }
    if (any) moved_ = asked_.edits;
  }

  /// A stack's document with the edits of a session, if there are any for it, or of the request.
  model::ModelDocumentPtr changed(const model::ModelDocumentPtr& plain, Stack stack) {
    const auto kept =
        std::ranges::find_if(asked_.kept, [&](const auto& each) { return each->stack == stack; });
    if (kept != asked_.kept.end()) {
      made_.push_back(keptEditsOn(plain->model, *kept, plain->input, plain->memory));
      if (made_.back()->problem.empty()) asked_.edits.of(stack) = made_.back()->changes;
    }
    return withChanges(plain, asked_.edits.of(stack));
  }

  /// Runs the encoder as it was loaded, whose last states the original model reads.
  bool takeUneditedSource() {
    if (!uneditedSource_->runUnit()) return false;
    uneditedMemory_ = uneditedSource_->trace();
    uneditedSource_ = nullptr;
    return uneditedMemory_ == nullptr;  // cancelled
  }

  /// The input for the text that the model is given first, of which a moment takes note. Nothing
  /// where it is too long; `found` then has the token counts.
  std::optional<model::ModelInput> givenInput(ModelMoment& moment, const model::Model& of,
                                              std::optional<FoundMoment>& found) {
    const model::ModelConfig& config = of.config();
    if (config.image.on()) {
      const bool drawn = asked_.text.empty() && moment.folder == formats::kShapesModel;
      moment.text = drawn ? formats::ShippedPicture().name() : asked_.text;
      return inputOfPicture(of);
    }
    moment.text =
        asked_.text.empty() ? firstText(config, moment.tokenizer != nullptr) : asked_.text;
    model::ModelInput input = inputFor(moment, moment.text, of);
    if (const Index most = mostTokens(config); std::ssize(input.ids) > most) {
      if (!asked_.cut) {
        found = FoundMoment{{}, std::ssize(input.ids), most, of.name()};
        return std::nullopt;
      }
      moment.wholeTokens = std::ssize(input.ids);
      cutToFit(moment, most);
      input = inputFor(moment, moment.text, of);
    }
    return input;
  }

  /// The picture that was asked for. A model that is opened with one that has gone, as a session's
  /// may have, begins with ours.
  formats::Picture wholePicture() {
    if (!moment_.text.empty() && asked_.folder.empty()) return formats::readPicture(moment_.text);
    std::optional<formats::Picture> given;
    if (!moment_.text.empty() &&
        !whyNot([&] { given = formats::readPicture(moment_.text); }).empty()) {
      moment_.text.clear();
    }
    constexpr const char* kOwn = "examples/landscape.png";
    return given ? *given : formats::pictureFrom(asset(kOwn), kOwn);
  }

  /// Runs the encoder, then begins with the target.
  bool takeSource() {
    if (!encoderPass_->runUnit()) return false;
    source_->trace = encoderPass_->trace();
    encoderPass_ = nullptr;
    if (source_->trace == nullptr) return true;  // cancelled
    moment_.source = source_;
    const ModelMoment* before = asked_.before.get();
    const bool same = before != nullptr && before->source != nullptr && !before->writing &&
                      before->folder == moment_.folder && before->given() == moment_.given();
    if (!asked_.target.empty()) {
      moment_.text = asked_.target;
      beginPass(inputFor(moment_, moment_.text, *of_));
    } else if (of_->config().modelType == formats::kAttentionsAlone) {
      moment_.text = of_->config().example;  // its target is that of its file
      beginPass(inputFor(moment_, moment_.text, *of_));
    } else if (same && !asked_.rewriteTarget) {
      moment_.text = before->text;
      moment_.written = before->written;
      moment_.writtenWith = before->writtenWith;
      moment_.writtenBefore = moment_.written && !sameChanges(asked_.edits, before->writtenWith);
      beginPass(before->trace->document().input);
    } else {
      moment_.written = true;
      moment_.writtenWith = asked_.edits;
      target_ = {model::startToken(*of_)};
      writingEdits_ = editsOfWriter();
      writing_.emplace(model::Beginning{passOver(target_), writingEdits_.document}, kMostWritten,
                       model::Sampling{});
    }
    return false;
  }

  /// The edits with which the decoder writes: those of a session, if there are any, or of the
  /// request.
  model::StackChanges editsOfWriter() const {
    const auto kept = std::ranges::find_if(
        asked_.kept, [](const auto& each) { return each->stack == Stack::decoder; });
    model::StackChanges edits =
        kept == asked_.kept.end()
            ? asked_.edits.of(Stack::decoder)
            : keptEditsOn(of_, *kept, named({model::startToken(*of_)}), source_->trace)->changes;
    // heads that are off are off in every pass over what is written
    if (edits.document != nullptr) {
      edits.document = withMemory(*edits.document, source_->trace);
      if (!edits.off.empty()) edits.document = withoutHeads(*edits.document, edits.off);
    }
    return edits;
  }

  model::ModelTracePtr passOver(const std::vector<Index>& target) const {
    const auto plain = makeModelDocument(of_, named(target), source_->trace);
    return runModel(withChanges(plain, writingEdits_), nullptr, execution_, asked_.budget / 4);
  }
  model::ModelInput named(const std::vector<Index>& target) const {
    model::ModelInput input{target, {}, {}};
    if (moment_.tokenizer != nullptr) input.tokens = shownNames(target, *moment_.tokenizer);
    return input;
  }
  std::string textOf(const std::vector<Index>& target) const {
    if (moment_.tokenizer == nullptr) return fmt::format("{}", fmt::join(target, ", "));
    return moment_.tokenizer->decode({target.begin(), target.end()});
  }

  /// Writes the next token of the target, and shows the pass over it as long as passes cost less
  /// than the tokens between them.
  bool write() {
    const auto next = writing_->next(execution_);
    if (execution_.stop()) return true;
    if (!next) {
      writing_.reset();
      moment_.text = textOf(target_);
      beginPass(named(target_));
      return false;
    }
    target_.push_back(next->id);
    const double now = clockSeconds();
    if (now < nextShown_) return false;
    ModelMoment shown = moment_;
    shown.writing = true;
    shown.trace = passOver(target_);
    if (shown.trace == nullptr) return true;
    shown.text = textOf(target_);
    shown.number =
        kWhileWriting | (moment_.number + static_cast<std::uint64_t>(target_.size()) * kStep);
    publish_({std::move(shown), 0, 0, {}, {}, moved_}, *execution_.cancelled);
    const double after = clockSeconds();
    nextShown_ = after + (after - now);
    return false;
  }

  void beginPass(model::ModelInput input) {
    const model::ModelTracePtr memory = source_ != nullptr ? source_->trace : nullptr;
    auto plain = makeModelDocument(of_, std::move(input), memory);
    const auto document = changed(plain, Stack::decoder);
    const ModelMoment* before = asked_.folder.empty() ? asked_.before.get() : nullptr;
    newText_ = before == nullptr || before->trace->document().input != document->input ||
               before->given() != moment_.given();
    ExecutionContext inKeptMemory = execution_;
    inKeptMemory.memory = asked_.memory;
    pass_ = std::make_unique<model::ModelPass>(
        document, before != nullptr ? before->trace : nullptr, inKeptMemory, asked_.budget / 2);
    if (document->edited.empty() && uneditedMemory_ == nullptr) return;
    if (uneditedMemory_ != nullptr) plain = withMemory(*plain, uneditedMemory_);
    model::ModelTracePtr previous;
    if (asked_.before != nullptr) {
      const auto& unedited = asked_.before->unedited;
      previous = unedited != nullptr ? unedited->trace : asked_.before->trace;
    }
    // reuses most of the previous pass; with the other pass in memory it gets less
    uneditedPass_ =
        std::make_unique<model::ModelPass>(plain, previous, execution_, asked_.budget / 4);
  }

  /// Reads the picture, or takes the present one again, so that its pass is kept.
  model::ModelInput inputOfPicture(const model::Model& of) {
    const ModelMoment* before = asked_.before.get();
    if (before != nullptr && before->ofImage() && before->folder == moment_.folder &&
        before->text == moment_.text) {
      moment_.picture = before->picture;
      moment_.shapePatches = before->shapePatches;
      return before->trace->document().input;
    }
    ShownPicture shown = shownTo(of, moment_.folder, wholePicture());
    moment_.picture = std::move(shown.picture);
    moment_.shapePatches = formats::shapePatchesOf(moment_.text, of.config().image);
    return std::move(shown.input);
  }

  /// Returns true where the model makes no predictions.
  bool takePass(std::optional<FoundMoment>& found) {
    if (!pass_->runUnit()) return false;
    moment_.trace = pass_->trace();
    if (moment_.trace == nullptr) return false;  // cancelled
    if (!moment_.trace->document().model->hasReadout()) {
      found = finished();
      return true;
    }
    moment_.trace->document().model->readout();  // throws where it is refused
    if (newText_) publish_({moment_, 0, 0, {}, made_, moved_}, *execution_.cancelled);
    return false;
  }

  /// The number of rows, from this one on, that one unit reads.
  Index rowsFrom(Index row) const {
    return std::min(moment_.trace->logitRows() - row, kRowsAtOnce);
  }

  void predict(Index row) {
    auto said = moment_.trace->predictions(row, rowsFrom(row), kPredictionsKept, execution_);
    if (execution_.stop()) return;
    std::move(said.begin(), said.end(), std::back_inserter(moment_.predictions));
  }

  void compare(Index row) {
    const Index rows = rowsFrom(row);
    unedited_.sames.resize(static_cast<std::size_t>(row + rows));
    unedited_.best.resize(static_cast<std::size_t>(row + rows));
    const auto each = [&](Index place, std::span<const float> logits) {
      const auto at = static_cast<std::size_t>(place);
      const model::RowProbabilities probabilities(logits);
      for (const model::TokenProbability& said : moment_.predictions[at]) {
        unedited_.sames[at].push_back(probabilities(said.id).probability);
      }
      unedited_.best[at] = model::mostProbable(logits, 1).front();
    };
    unedited_.trace->overLogits(row, rows, execution_, each);
  }

  FoundMoment finished() { return {std::move(moment_), 0, 0, {}, made_, moved_}; }

  MomentRequest asked_;
  std::function<void(FoundMoment, const std::atomic<bool>&)> publish_;
  ExecutionContext execution_;
  model::ModelPtr of_;
  std::shared_ptr<ModelMoment> source_;  // of two stacks
  std::unique_ptr<model::ModelPass> encoderPass_, uneditedSource_;
  model::ModelTracePtr uneditedMemory_;  // of the encoder as loaded; null: it is not edited
  std::optional<model::Continuation> writing_;
  model::StackChanges writingEdits_;
  std::vector<Index> target_;  // written so far
  double nextShown_ = 0.0;     // when the target is shown next, by the clock
  std::unique_ptr<model::ModelPass> pass_, uneditedPass_;
  bool newText_ = false;
  std::vector<std::shared_ptr<const KeptEdits>> made_;
  std::optional<model::ModelChanges> moved_;
  ModelMoment moment_;
  UneditedModel unedited_;
};

}  // namespace

model::ModelInput inputOfText(const ModelMoment& moment, const std::string& text) {
  const model::Model& of = *moment.trace->document().model;
  if (!moment.ofImage()) return inputFor(moment, text, of);
  if (text.empty()) throw UserError(tr("there is no other picture: give the name of its file"));
  return shownTo(of, moment.folder, formats::readPicture(text)).input;
}

std::string ModelMoment::tokenName(Index place) const {
  const model::ModelInput& input = trace->document().input;
  const auto at = static_cast<std::size_t>(place);
  return ofImage() ? input.tokens[at] : nameOf(input.ids[at]);
}

std::string ModelMoment::nameOf(Index id) const {
  if (!config().labels.empty()) return model::predictedName(id, config(), nullptr);
  if (tokenizer == nullptr) return std::to_string(id);
  return tokenizer->inWords(static_cast<tokenizer::TokenId>(id));
}

std::vector<std::string> ModelMoment::tokenNames() const {
  std::vector<std::string> names;
  for (Index place = 0; place < trace->tokens(); ++place) names.push_back(tokenName(place));
  return names;
}

BackgroundTask<FoundMoment>::NextUnit momentUnits(
    MomentRequest request, std::function<void(FoundMoment, const std::atomic<bool>&)> publish) {
  const auto maker = std::make_shared<MomentMaker>(std::move(request), std::move(publish));
  return [maker](const std::atomic<bool>& cancelled, std::optional<FoundMoment>& found) {
    return maker->runUnit(cancelled, found);
  };
}

}  // namespace headscope
