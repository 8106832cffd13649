#include "app/model_moment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "app/kept_edits.h"
#include "core/attention/steps/step.h"
#include "core/base/assets.h"
#include "core/base/error.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/model_directory.h"
#include "core/formats/model_edits.h"
#include "core/formats/pictures/image_processor.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/model_edits.h"
#include "core/model/tokenized.h"
#include "core/tensor/gemm.h"

namespace headscope {
namespace {

constexpr std::size_t kPredictionsKept = 10;
constexpr Index kFirstIds = 16;  // the initial number of ids without a tokenizer

std::string firstText(const model::ModelConfig& config, bool hasTokenizer) {
  if (!config.example.empty()) return config.example;
  if (hasTokenizer) return "The cat, which was very fluffy, slept by the warm fire.";
  std::string ids;
  for (Index id = 0; id < std::min(kFirstIds, config.vocabulary); ++id) {
    ids += fmt::format("{}{}", ids.empty() ? "" : ", ", id);
  }
  return ids;
}

std::vector<Index> idsIn(const std::string& text) {
  std::vector<Index> ids;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    Index id = 0;
    const auto [rest, error] = std::from_chars(at, end, id);
    if (error != std::errc()) {
      throw UserError(
          "this folder has no tokenizer: give the ids of tokens, as 17, 4, 250; or put its "
          "tokenizer.json into the folder");
    }
    ids.push_back(id);
    at = rest;
  }
  return ids;
}

/// Cuts the moment's text to its first `most` tokens.
void cutToFit(ModelMoment& moment, Index most) {
  if (moment.tokenizer != nullptr) {
    moment.text = std::string(model::firstTokens(moment.text, *moment.tokenizer, most));
    return;
  }
  std::vector<Index> ids = idsIn(moment.text);
  ids.resize(std::min(ids.size(), static_cast<std::size_t>(most)));
  moment.text = fmt::format("{}", fmt::join(ids, ", "));
}

model::ModelInput inputFor(const ModelMoment& moment, const std::string& text,
                           const model::ModelConfig& config) {
  if (moment.tokenizer == nullptr) return {idsIn(text), {}, {}};
  return inputOf(moment.tokenizer->encode(text), *moment.tokenizer, config);
}

/// Returns the document as the model's layer, or as an edit of it.
LayersInFlow::Opened asLayer(const formats::ShownLayer& shown, const model::ModelPtr& of,
                             const model::ModelInput& input) {
  // a session names a picture's file, and has no pixels of it
  auto plain = makeModelDocument(of, of->config().image.on() ? input : shown.input);
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
                                             const model::ModelInput& input) {
  auto made = std::make_shared<KeptEdits>();
  made->problem = whyNot([&] {
    made->edits = formats::editsOn(of, *kept->kept, input);
    for (const formats::ShownLayer& shown : kept->shown) {
      made->layers.push_back(asLayer(shown, of, input));
    }
  });
  made->of = std::move(kept);
  return made;
}

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
    if (pass_ == nullptr) return !begin(found);
    if (moment_.trace == nullptr) return takePass(found);
    const Index said = std::ssize(moment_.predictions);
    if (said < moment_.trace->logitRows()) {
      predict(said);
    } else if (moment_.trace->document().edited.empty()) {
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
    if (asked_.folder.empty()) {
      of = asked_.before->trace->document().model;
      moment_.folder = asked_.before->folder;
      moment_.adapter = asked_.before->adapter;
      moment_.tokenizer = asked_.before->tokenizer;
      moment_.tokenizerProblem = asked_.before->tokenizerProblem;
    } else {
      moment_.folder = asked_.folder;
      moment_.adapter = asked_.adapter;
      of = formats::openModel(asked_.folder, asked_.budget / 2, asked_.adapter);
      const bool same = asked_.before != nullptr && asked_.before->folder == asked_.folder;
      if (same && asked_.edits != nullptr) moved_ = asked_.edits = onModel(*asked_.edits, of);
      if (formats::hasTokenizer(asked_.folder)) {
        moment_.tokenizerProblem =
            whyNot([&] { moment_.tokenizer = formats::openTokenizer(asked_.folder); });
      }
    }
    const model::ModelConfig& config = of->config();
    const bool ofImage = config.image.on();
    moment_.text = asked_.text.empty() && !ofImage ? firstText(config, moment_.tokenizer != nullptr)
                                                   : asked_.text;
    model::ModelInput input =
        ofImage ? inputOfPicture(*of) : inputFor(moment_, moment_.text, config);
    if (ofImage) {
      // the picture has the size that the model takes
    } else if (const Index most = mostTokens(config); std::ssize(input.ids) > most) {
      if (!asked_.cut) {
        found = FoundMoment{{}, std::ssize(input.ids), most, of->name()};
        return false;
      }
      moment_.wholeTokens = std::ssize(input.ids);
      cutToFit(moment_, most);
      input = inputFor(moment_, moment_.text, config);
    }
    if (asked_.kept != nullptr) {
      made_ = keptEditsOn(of, asked_.kept, input);
      if (made_->problem.empty()) {
        asked_.edits = made_->edits.document;
        asked_.off = made_->edits.off;
      }
    }
    const auto plain = makeModelDocument(of, input);
    const bool edited = asked_.edits != nullptr && asked_.edits->model == of;
    auto document = edited ? withInput(*asked_.edits, std::move(input)) : plain;
    if (!asked_.off.empty()) document = withoutHeads(*document, asked_.off);
    prepareGemm();
    const ModelMoment* before = asked_.folder.empty() ? asked_.before.get() : nullptr;
    newText_ = before == nullptr || before->trace->document().input != document->input;
    ExecutionContext inKeptMemory = execution_;
    inKeptMemory.memory = asked_.memory;
    pass_ = std::make_unique<model::ModelPass>(
        document, before != nullptr ? before->trace : nullptr, inKeptMemory, asked_.budget / 2);
    if (document->edited.empty()) return true;
    model::ModelTracePtr previous;
    if (asked_.before != nullptr) {
      const auto& unedited = asked_.before->unedited;
      previous = unedited != nullptr ? unedited->trace : asked_.before->trace;
    }
    // reuses most of the previous pass; beside the other pass it gets less memory
    uneditedPass_ =
        std::make_unique<model::ModelPass>(plain, previous, execution_, asked_.budget / 4);
    return true;
  }

  /// Reads the picture, or takes the present one again, so that its pass is kept.
  model::ModelInput inputOfPicture(const model::Model& of) {
    const ModelMoment* before = asked_.before.get();
    if (before != nullptr && before->ofImage() && before->folder == moment_.folder &&
        before->text == moment_.text) {
      moment_.picture = before->picture;
      return before->trace->document().input;
    }
    const model::ModelConfig& config = of.config();
    const formats::ImageProcessor processor = formats::imageProcessorOf(moment_.folder, config);
    constexpr const char* kOwn = "examples/landscape.png";
    const formats::Picture whole = moment_.text.empty() ? formats::pictureFrom(asset(kOwn), kOwn)
                                                        : formats::readPicture(moment_.text);
    const formats::Picture shown = formats::shownPicture(processor, whole);
    moment_.picture = std::make_shared<const formats::Picture>(shown);
    return imageInput(of, formats::pixelsOf(processor, shown, config.image.channels));
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
  std::unique_ptr<model::ModelPass> pass_, uneditedPass_;
  bool newText_ = false;
  std::shared_ptr<const KeptEdits> made_;
  model::ModelDocumentPtr moved_;
  ModelMoment moment_;
  UneditedModel unedited_;
};

}  // namespace

model::ModelInput inputOfText(const ModelMoment& moment, const std::string& text) {
  if (moment.ofImage()) {
    throw UserError("this model reads images: another text has no meaning for it");
  }
  return inputFor(moment, text, moment.config());
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
