#include "core/editing/document_normalizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/attention/ledger.h"
#include "core/attention/switches.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/heads/designed_heads.h"
#include "core/input/training_domain.h"

namespace headscope {
namespace {

bool weightsFit(const Weights& w, const AttentionConfig& c) {
  return w.wQ.shape() == shapeOf(TensorId::wQ, c) && w.wK.shape() == shapeOf(TensorId::wK, c) &&
         w.wV.shape() == shapeOf(TensorId::wV, c) && w.wO.shape() == shapeOf(TensorId::wO, c);
}

/// Returns whether weights of equal shapes are drawn alike. Designed heads also depend on the
/// number of heads and the kind of input; learned ones on these and on the presence of biases.
bool wouldBeSame(WeightInit init, const Document& a, const Document& b) {
  if (init == WeightInit::designed) return sameDesign(a, b);
  if (init != WeightInit::learned) return true;
  return a.config.numHeads == b.config.numHeads && a.config.numKvHeads == b.config.numKvHeads &&
         a.config.switches->bias == b.config.switches->bias &&
         trainingDomainOf(a) == trainingDomainOf(b);
}

/// A painted mask for other lengths: the part in common is kept, the rest allowed.
std::shared_ptr<const PaintedMask> resized(const PaintedMask& mask, Index queries, Index keys) {
  auto next = std::make_shared<PaintedMask>();
  next->queries = queries;
  next->keys = keys;
  next->allowed.assign(static_cast<std::size_t>(queries * keys), 1);
  for (Index i = 0; i < std::min(queries, mask.queries); ++i) {
    for (Index j = 0; j < std::min(keys, mask.keys); ++j) {
      next->allowed[static_cast<std::size_t>(i * keys + j)] = mask(i, j) ? 1 : 0;
    }
  }
  return next;
}

}  // namespace

EditResult DocumentNormalizer::finish() {
  followInput();
  auto problems = validate(next_.config);
  if (!problems.empty()) throw UserError(std::move(problems));
  next_.scoreStorage = scoresToHold(next_.config, budget_);
  embed();
  drawWhereNeeded();
  fitPins();
  // allocated apart from its counts: a weak pointer of the history does not keep it
  return {DocumentPtr(std::make_unique<const Document>(std::move(next_))), std::move(note_)};
}

void DocumentNormalizer::note(const std::string& sentence) {
  if (!note_.empty()) note_ += "; ";
  note_ += sentence;
}

void DocumentNormalizer::followInput() {
  AttentionConfig& c = next_.config;
  const bool sameSize = c.seqLen == before_.config.seqLen && c.keys() == before_.config.keys() &&
                        c.batch == before_.config.batch;
  lengthsFollow_ = next_.config.mask.lengths == before_.input->lengths;
  if (lengthsFollow_) c.mask.lengths.clear();
  if (!c.headGains.empty()) c.headGains.resize(static_cast<std::size_t>(c.numHeads), 1.0F);
  const AttentionConfig& before = before_.config;
  if (!c.sinks.empty() && std::ssize(c.sinks) != c.numHeads) {
    c.sinks.clear();
    note(tr("the sinks were left out, since they are of other heads"));
  }
  if (c.relative.on() && (c.numHeads != before.numHeads || c.dK() != before.dK())) {
    c.relative = {};
    note(tr("the scores of relative positions were left out, since they are of other heads"));
  }
  // a bias that does not come from the document before is refused by its sizes
  if (c.pairBias == before.pairBias && !c.pairBias.fits(c.numHeads, c.seqLen, c.keys())) {
    c.pairBias = c.pairBias.fittedTo(c.numHeads, c.seqLen, c.keys());
    note(c.pairBias.on() ? tr("the pair bias was drawn again for other heads or pairs")
                         : tr("the pair bias was left out, since it is of other heads or pairs"));
  }
  if (sameSize) return;
  if (c.mask.painted != nullptr) {
    c.mask.painted = resized(*c.mask.painted, c.seqLen, c.keys());
    note(tr("the painted mask was fitted to the new length"));
  }
  if (!c.mask.lengths.empty()) {
    c.mask.lengths.resize(static_cast<std::size_t>(std::max<Index>(c.batch, 1)), c.keys());
    for (Index& length : c.mask.lengths) length = std::clamp<Index>(length, 0, c.keys());
  }
}

void DocumentNormalizer::embed() {
  const AttentionConfig& a = before_.config;
  const AttentionConfig& b = config();
  const bool loaded = std::holds_alternative<TensorSource>(*next_.source);  // positions and all
  const bool same = next_.source == before_.source &&
                    (loaded || next_.positions == before_.positions) && a.dModel == b.dModel &&
                    a.seqLen == b.seqLen && a.batch == b.batch && a.memoryLen == b.memoryLen &&
                    a.memoryWidth == b.memoryWidth;
  if (!same) {
    if (next_.inputEdited)
      note(tr("X was computed again without its edited cells; undo restores them"));
    next_.inputEdited = false;
    next_.input =
        std::make_shared<const Input>(makeInput(*next_.source, next_.positions, config()));
    for (const auto& sentence : next_.input->notes) note(sentence);
  }
  if (lengthsFollow_) next_.config.mask.lengths = next_.input->lengths;
}

void DocumentNormalizer::drawWhereNeeded() {
  WeightSource& source = next_.weightSource;
  const bool unknown = !trainingDomainOf(*next_.source);
  if (source.drawn() && source.init == WeightInit::learned && unknown) {
    source.init = WeightInit::designed;
    note(
        tr("learned heads exist only for words and series, so designed ones replaced them; undo "
           "restores them"));
  }
  const bool sourceChanged =
      next_.weightSource != before_.weightSource || next_.weightsEdited != before_.weightsEdited;
  const bool stand = !source.drawn() || wouldBeSame(source.init, before_, next_);
  if (weightsFit(next_.weights, config()) && stand && (!sourceChanged || !source.drawn())) {
    if (fitGate(next_.weights, config(), source.init, source.seed)) {
      note(trFormat("W_G{} drawn (seed {})", config().switches->bias ? tr(" and b_G were") : " was",
                    source.seed));
    }
    return;
  }
  if (!source.drawn()) {
    note(
        trFormat("the weights of {} do not fit this size, so new ones were drawn ({}, seed {}); "
                 "undo restores them",
                 source.loadedFrom, toString(source.init), source.seed));
    source.loadedFrom.clear();
  } else if (next_.weightsEdited) {
    note(tr("the weights were drawn again without the edited cells; undo restores them"));
  }
  next_.weightsEdited = false;
  next_.weights = make_(next_, source.init, source.seed);
  fitGate(next_.weights, config(), source.init, source.seed);
}

void DocumentNormalizer::fitPins() {
  Pins fitting = next_.pins.fitting(config());
  const std::size_t gone = next_.pins.all().size() - fitting.all().size();
  if (gone == 0) return;
  note(counted(static_cast<Index>(gone), tr("{} pin of a cell that no longer exists was removed"),
               tr("{} pins of cells that no longer exist were removed")));
  next_.pins = std::move(fitting);
}

}  // namespace headscope
