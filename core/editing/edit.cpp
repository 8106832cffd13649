#include "core/editing/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/editing/cell_edits.h"
#include "core/editing/document_normalizer.h"

namespace headscope {
namespace {

/// The configuration without the parts that are fitted to the sizes after these are validated.
AttentionConfig sizesOf(AttentionConfig config) {
  config.mask = {};
  config.headGains.clear();
  config.sinks.clear();
  config.relative = {};
  config.pairBias = {};
  return config;
}

void refuseForTensors(const Document& d, const char* field) {
  if (const auto* tensors = std::get_if<TensorSource>(d.source.get())) {
    throw UserError(std::vector<Problem>{
        {field,
         trFormat("{} is given by the tensors of {}: choose an example or type a text to "
                  "change it",
                  field, tensors->name),
         {}}});
  }
}

void refuseMissing(const char* what, Index index, Index count) {
  if (index >= 0 && index < count) return;
  throw UserError(trFormat("{} {} does not exist: there are {}", what, index,
                           count > 0 ? trFormat("{}s 0 to {}", what, count - 1) : "none"));
}

/// Tokens of an item that are not padding.
Index tokenCount(const std::vector<std::string>& tokens) {
  auto count = static_cast<Index>(tokens.size());
  while (count > 0 && tokens[static_cast<std::size_t>(count - 1)].empty()) --count;
  return count;
}

template <typename Token>
std::vector<Token> movedTokens(std::vector<Token> tokens, Index from, Index to) {
  Token token = std::move(tokens[static_cast<std::size_t>(from)]);
  tokens.erase(tokens.begin() + from);
  tokens.insert(tokens.begin() + to, std::move(token));
  return tokens;
}

/// The relation when a token has moved: each keeps its partners.
LearnedRelation withMovedToken(LearnedRelation relation, Index from, Index to) {
  std::vector<Index> before(relation.partners.size());  // the place of each token before the move
  std::iota(before.begin(), before.end(), Index{0});
  before = movedTokens(std::move(before), from, to);
  relation.partners = movedTokens(std::move(relation.partners), from, to);
  for (std::vector<Index>& partners : relation.partners) {
    for (Index& partner : partners) {
      partner = std::ranges::find(before, partner) - before.begin();
    }
    std::ranges::sort(partners);
  }
  return relation;
}

std::string joined(const std::vector<std::string>& tokens) {
  std::string text;
  for (const auto& token : tokens) {
    if (token.empty()) continue;  // padding
    if (!text.empty()) text += ' ';
    text += token;
  }
  return text;
}

/// Gives every item of the batch its own sentence, as the batch repeats them, so that a change of
/// `item` affects no other. A single sentence belongs to all items and is changed for all.
void spellOut(std::vector<std::string>& texts, Index item, Index batch) {
  const std::size_t given = texts.size();
  if (given == 1 && item == 0) return;
  const Index count = given == 0 ? item + 1 : std::max(item + 1, batch);
  while (static_cast<Index>(texts.size()) < count) {
    texts.push_back(given == 0 ? std::string() : texts[texts.size() % given]);
  }
}

Tensor withMovedRow(const Tensor& tensor, Index item, Index from, Index to) {
  Tensor copy = tensor.clone();
  const ConstMatrixView source = tensor.matrix({item});
  const MatrixView target = copy.mutableMatrix({item});
  for (Index row = 0, taken = 0; row < target.rows; ++row) {
    if (taken == from) ++taken;
    const Index origin = row == to ? from : taken++;
    for (Index col = 0; col < target.cols; ++col) target(row, col) = source(origin, col);
  }
  return copy;
}

/// Applies one kind of edit to a draft.
struct Editor {
  const Document& before;
  Document draft;
  std::string note;

  void operator()(const SetDimensions& e) {
    if (e.dModel != before.config.dModel) refuseForTensors(before, "d_model");
    draft.config.dModel = e.dModel;
    draft.config.numHeads = e.numHeads;
    draft.config.numKvHeads = e.numKvHeads > 0 ? e.numKvHeads : e.numHeads;
    draft.config.headDim = e.headDim;
  }
  void operator()(const SetTokens& e) {
    refuseForTensors(before, "tokens");
    draft.config.seqLen = e.seqLen;
  }
  void operator()(const SetBatch& e) {
    refuseForTensors(before, "batch");
    draft.config.batch = e.batch;
  }
  template <typename Value>
  void operator()(const SetSwitch<Value>& e) {
    (*draft.config.switches).*e.field = e.value;
    if (draft.config.switches->alibi && !before.config.switches->alibi) draft.config.rotary = {};
  }
  void operator()(const SetMask& e) { draft.config.mask = e.mask; }
  void operator()(const SetRotary& e) {
    draft.config.rotary = e.rotary;
    if (e.rotary.on()) draft.config.switches->alibi = false;
  }
  void operator()(const SetSinks& e) { draft.config.sinks = e.sinks; }
  void operator()(const SetPairBias& e) { draft.config.pairBias = e.bias; }
  void operator()(const SetPositions& e) { draft.positions = e.positions; }
  void operator()(const SetText& e) { setText(e.item, e.memory, e.text); }

  void operator()(const MoveToken& e) {
    const auto& sentences = e.memory ? before.input->memoryTokens : before.input->tokens;
    refuseMissing("item", e.item, static_cast<Index>(sentences.size()));
    const auto item = static_cast<std::size_t>(e.item);
    const auto& tokens = sentences[item];
    refuseMissing("token", e.from, tokenCount(tokens));
    refuseMissing("token", e.to, tokenCount(tokens));
    if (const auto* tensors = std::get_if<TensorSource>(before.source.get())) {
      TensorSource moved = *tensors;
      moved.x = before.input->x;  // cells typed over it are moved with it
      moved.memory = before.input->memory;
      draft.inputEdited = false;
      Tensor& rows = e.memory ? moved.memory : moved.x;
      rows = withMovedRow(rows, e.item, e.from, e.to);
      auto& labels = e.memory ? moved.memoryTokens : moved.tokens;
      if (!labels.empty() && before.config.batch == 1) labels = movedTokens(labels, e.from, e.to);
      for (LearnedRelation& relation : moved.relations) {
        if (!e.memory) relation = withMovedToken(std::move(relation), e.from, e.to);
      }
      setSource(std::move(moved));
    } else if (const auto* series = std::get_if<SeriesSource>(before.source.get())) {
      SeriesSource moved = *series;
      auto& chosen = moved.items[item % moved.items.size()];
      auto next = std::make_shared<Series>(*chosen);
      const Shape& shape = chosen->values.shape();  // more places than rows repeat them
      next->values = withMovedRow(chosen->values.reshaped({1, shape[0], shape[1]}), 0,
                                  e.from % shape[0], e.to % shape[0])
                         .reshaped(shape);
      chosen = std::move(next);
      setSource(std::move(moved));
    } else {
      moveInText(e, tokens);
    }
  }

  void operator()(const SetInput& e) {
    draft.source = e.source;
    draft.config = fitTo(*e.source, draft.config);
    fitHeads();
  }
  void operator()(const DrawWeights& e) {
    draft.weightSource = {e.init, e.seed, {}};
    draft.weightsEdited = false;
  }
  void operator()(const SetWeights& e) {
    const Index dModel = e.weights.wQ.dim(1);
    if (dModel != before.config.dModel) refuseForTensors(before, "d_model");
    draft.weights = e.weights;
    draft.weightsEdited = false;
    draft.weightSource.loadedFrom = e.name;
    draft.config.dModel = dModel;
    draft.config.numHeads = e.numHeads;
    draft.config.numKvHeads = e.numKvHeads;
    draft.config.headDim = headDimOf(e.weights, e.numHeads);
    if (draft.config.headDim != before.config.headDim && draft.config.headDim > 0) {
      note = trFormat(
          "the {} rows of W_Q are taken as {} heads of {}: for another split set the head width "
          "first, and open the file again",
          e.weights.wQ.dim(0), e.numHeads, draft.config.headDim);
    }
    draft.config.memoryWidth = e.weights.wK.dim(1) == dModel ? 0 : e.weights.wK.dim(1);
    draft.config.switches->bias = e.bias;
    if (!e.weights.wG.empty()) draft.config.switches->gate = true;
    draft.config.headNorm = e.headNorm;
    draft.config.relative = {};  // its tables are computed from the weights before
    draft.config.headGains.clear();
  }
  void operator()(const SetHeadGain& e) {
    auto& gains = draft.config.headGains;
    refuseMissing("head", e.head, draft.config.numHeads);
    gains.resize(static_cast<std::size_t>(draft.config.numHeads), 1.0F);
    gains[static_cast<std::size_t>(e.head)] = e.gain;
    if (std::all_of(gains.begin(), gains.end(), [](float g) { return g == 1.0F; })) gains.clear();
  }
  void operator()(const SetMistake& e) { setMistake(draft.config, e.mistake, e.on); }
  void operator()(const SetDropout& e) { draft.config.dropout = e.dropout; }

 private:
  void setSource(InputSource source) {
    draft.source = std::make_shared<const InputSource>(std::move(source));
  }

  /// Moves a token within the whole sentence: tokens cut off from the display stay after the shown
  /// ones. In a repeated sentence the shown tokens become the sentence.
  void moveInText(const MoveToken& e, const std::vector<std::string>& shown) {
    TextSource source = std::get<TextSource>(*before.source);
    auto& texts = e.memory ? source.memoryTexts : source.texts;
    spellOut(texts, e.item, before.config.batch);
    const auto item = static_cast<std::size_t>(e.item);
    auto sentence = tokenize(texts[item]);
    if (tokenCount(shown) > static_cast<Index>(sentence.size())) {
      const auto& all = e.memory ? before.input->memoryTokens : before.input->tokens;
      const std::size_t items = std::min(texts.size(), all.size());
      for (std::size_t i = 0; i < items; ++i) texts[i] = joined(all[i]);  // all are repeated alike
      sentence = shown;
      note = trFormat("the sentence is now the {} tokens shown", withThousands(std::ssize(shown)));
    }
    texts[item] = joined(movedTokens(std::move(sentence), e.from, e.to));
    setSource(std::move(source));
  }

  void setText(Index item, bool memory, const std::string& text) {
    refuseMissing("item", item, before.config.batch);
    const auto* current = std::get_if<TextSource>(before.source.get());
    TextSource source = current != nullptr ? *current : TextSource{};
    if (current == nullptr) item = 0;
    auto& texts = memory ? source.memoryTexts : source.texts;
    if (memory && text.empty()) {
      texts.clear();
      draft.config.memoryLen = 0;
    } else {
      tokenize(text, memory ? "memory text" : "text");  // refuses what cannot be used
      spellOut(texts, item, current != nullptr ? before.config.batch : 1);
      texts[static_cast<std::size_t>(item)] = text;
    }
    const Index batch = draft.config.batch;
    draft.config = fitTo(InputSource(source), draft.config);
    if (current != nullptr) draft.config.batch = batch;
    setSource(std::move(source));
  }

  /// An input's own d_model may not divide by the heads there are.
  void fitHeads() {
    AttentionConfig& c = draft.config;
    if (c.dModel < 1 || c.headDim > 0 || c.dModel % c.numHeads == 0) return;
    c.numHeads = nearestHeadCounts(c.dModel, c.numHeads, 1).front();
    c.numKvHeads = c.numHeads;
    c.headGains.clear();
    note = trFormat("d_model is {} now, so heads became {}", c.dModel, c.numHeads);
  }
};

}  // namespace

Edit::Edit(const Edit&) = default;
Edit::Edit(Edit&&) noexcept = default;
Edit& Edit::operator=(const Edit&) = default;
Edit& Edit::operator=(Edit&&) noexcept = default;
Edit::~Edit() = default;

Edit setSwitch(const Switch& which, double value) {
  if (const auto* flag = std::get_if<bool Switches::*>(&which.field)) {
    return SetSwitch{*flag, value != 0.0};
  }
  return SetSwitch{std::get<double Switches::*>(which.field), value};
}

EditResult apply(const Document& document, const Edit& edit, Index memoryBudgetBytes,
                 const WeightMaker& make) {
  // an edit that neither this chain nor Editor handles does not compile
  return std::visit(
      [&]<typename Kind>(const Kind& e) -> EditResult {
        if constexpr (std::is_same_v<Kind, Open>) {
          return {e.document, {}};
        } else if constexpr (requires { applyTo(document, e); }) {
          return {DocumentPtr(std::make_unique<const Document>(applyTo(document, e))), {}};
        } else {
          Editor editor{document, document, {}};
          editor(e);
          auto problems = validate(sizesOf(editor.draft.config));
          if (!problems.empty()) throw UserError(std::move(problems));
          if constexpr (std::is_same_v<Kind, SetWeights>) {
            Weights& loaded = editor.draft.weights;
            if (fitGate(loaded, editor.draft.config, WeightInit::xavier, 1)) {
              editor.note = tr("the file has no gate, so W_G and b_G were drawn (xavier, seed 1)");
            }
            checkWeights(loaded, editor.draft.config, e.name);
          }
          DocumentNormalizer rebuild(document, std::move(editor.draft), memoryBudgetBytes, make);
          if (!editor.note.empty()) rebuild.note(editor.note);
          return rebuild.finish();
        }
      },
      edit);
}

}  // namespace headscope
