#include "core/document/document.h"

#include <utility>

#include "core/attention/ledger.h"
#include "core/base/translation.h"
#include "core/input/training_domain.h"

namespace headscope {

TrainingDomain trainingDomainOf(const Document& d) {
  if (d.source == nullptr) return {};
  return trainingDomainOf(*d.source).value_or(TrainingDomain{});
}

Document makeDraft(std::string preset, AttentionConfig config, InputSource source,
                   Positions positions, WeightSource weights, Index memoryBudgetBytes,
                   bool fixedTokens) {
  Document d;
  d.preset = std::move(preset);
  const AttentionConfig asked = config;
  d.config = fitTo(source, std::move(config));
  if (fixedTokens) d.config.seqLen = asked.seqLen;
  AttentionConfig& c = d.config;
  const bool biased = c.pairBias.on();  // a preset's bias is of its own text
  c.pairBias = c.pairBias.fittedTo(c.numHeads, c.seqLen, c.keys());
  d.positions = positions;
  d.weightSource = std::move(weights);
  // no heads have learned from patches of an image
  const bool patches = std::holds_alternative<SeriesSource>(source) && !trainingDomainOf(source);
  if (patches && d.weightSource.init == WeightInit::learned) {
    d.weightSource.init = WeightInit::designed;
  }
  auto problems = validate(d.config);
  if (!problems.empty()) throw UserError(std::move(problems));
  d.scoreStorage = scoresToHold(d.config, memoryBudgetBytes);
  d.source = std::make_shared<const InputSource>(std::move(source));
  Input input = makeInput(*d.source, positions, d.config);
  if (biased && !c.pairBias.on()) {
    input.notes.emplace_back(tr("the pair bias was left out, since it is of other heads or pairs"));
  }
  d.input = std::make_shared<const Input>(std::move(input));
  if (d.config.mask.lengths.empty()) d.config.mask.lengths = d.input->lengths;
  return d;
}

}  // namespace headscope
