#include "core/model/head_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/model/logit_parts.h"
#include "core/model/said_word.h"

namespace headscope::model {

Tensor headOutput(const ModelTrace& trace, HeadOfLayer head) {
  requireHead(*trace.document().model, head);
  const Tensor& heads = trace.layer(head.layer)->tensor(TensorId::heads);
  return heads.slice(1, head.head, head.head + 1)
      .clone()
      .reshaped({trace.tokens(), trace.config().headDim});
}

Tensor meanOfRows(const Tensor& rows) {
  const Index count = rows.dim(0), width = rows.dim(1);
  Tensor mean = Tensor::uninitialised(rows.shape());
  for (Index j = 0; j < width; ++j) {
    double total = 0.0;
    for (Index i = 0; i < count; ++i) total += static_cast<double>(rows.at({i, j}));
    const auto value = static_cast<float>(total / static_cast<double>(count));
    for (Index i = 0; i < count; ++i) mean.mutableData()[i * width + j] = value;
  }
  return mean;
}

ModelDocumentPtr withHeadOutput(const ModelTrace& trace, HeadOfLayer head, const Tensor& rows) {
  requireHead(*trace.document().model, head);
  if (rows.dim(0) != trace.tokens()) {
    throw UserError(
        trFormat("the other text has {} tokens and this one {}: a head's output is replaced row "
                 "by row, so give a text with equally many tokens",
                 withThousands(rows.dim(0)), trace.tokens()));
  }
  Document edited = *trace.layer(head.layer)->documentPtr();
  std::vector<Pin> pins = edited.pins.all();
  for (Index i = 0; i < rows.dim(0); ++i) {
    for (Index j = 0; j < rows.dim(1); ++j) {
      pins.push_back({{TensorId::heads, 0, head.head, i, j}, rows.at({i, j})});
    }
  }
  edited.pins = Pins::from(std::move(pins));
  return withLayer(trace.document(), head.layer, edited);
}

HeadReplacement::HeadReplacement(ModelTracePtr before, HeadOfLayer head, const Tensor& rows,
                                 Index row, Index word, std::optional<Index> other,
                                 const ExecutionContext& execution, Stack stack)
    : before_(std::move(before)),
      head_(head),
      row_(row),
      word_(word),
      other_(other),
      stack_(stack),
      execution_(execution) {
  requireWord(*before_, row, word);
  if (other) requireWord(*before_, row, *other);
  const ModelTracePtr of = passOf(before_, stack);
  auto& first = stack == Stack::encoder ? encoder_ : pass_;
  first.emplace(withHeadOutput(*of, head, rows), of, execution, defaultMemoryBudget() / 4);
}

bool HeadReplacement::runUnit() {
  if (pass_) return pass_->runUnit();
  if (!encoder_->runUnit()) return false;
  const ModelTracePtr memory = encoder_->trace();
  if (memory == nullptr) return true;  // cancelled
  pass_.emplace(withMemory(before_->document(), memory), before_, execution_,
                defaultMemoryBudget() / 4);
  return false;
}

std::optional<HeadReplaced> HeadReplacement::found() const {
  const ModelTracePtr after = pass_ ? pass_->trace() : nullptr;
  if (after == nullptr) return std::nullopt;
  const Tensor logitsBefore = before_->logits(row_, 1), logitsAfter = after->logits(row_, 1);
  const std::span<const float> was = logitsBefore.matrix({0}).row(0),
                               is = logitsAfter.matrix({0}).row(0);
  const auto logitIn = [&](std::span<const float> logits) {
    const double ofWord = logits[static_cast<std::size_t>(word_)];
    return other_ ? ofWord - logits[static_cast<std::size_t>(*other_)] : ofWord;
  };
  HeadReplaced found;
  // before a soft cap, as the direct part is
  const auto uncapped = [&](const ModelTrace& trace) {
    const Tensor logits = trace.uncappedLogits(row_, {});
    return logitIn(logits.matrix({0}).row(0));
  };
  found.logitBefore = uncapped(*before_);
  found.logitAfter = uncapped(*after);
  if (stack_ == Stack::decoder && DirectPath::exists(*before_->document().model)) {
    const Tensor own = headOutput(*before_, head_), replaced = headOutput(*after, head_);
    std::vector<float> change(own.matrix().row(row_).begin(), own.matrix().row(row_).end());
    for (std::size_t j = 0; j < change.size(); ++j) {
      change[j] = replaced.matrix().row(row_)[j] - change[j];
    }
    found.direct = DirectPath(*before_, row_, word_, other_).ofHead(head_, change);
  }
  constexpr std::size_t kMostOfEach = 6;
  std::vector<Index> ids{word_};
  if (other_) ids.push_back(*other_);
  for (const auto& logits : {was, is}) {
    for (const TokenProbability& each : mostProbable(logits, kMostOfEach)) ids.push_back(each.id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const RowProbabilities pBefore(was), pAfter(is);
  for (const Index id : ids) {
    found.words.push_back({id, pBefore(id).probability, pAfter(id).probability});
  }
  std::stable_sort(found.words.begin(), found.words.end(),
                   [](const auto& a, const auto& b) { return a.before > b.before; });
  return found;
}

std::optional<HeadReplaced> replaceHead(const ModelTracePtr& before, HeadOfLayer head,
                                        const Tensor& rows, Index row, Index word,
                                        std::optional<Index> other,
                                        const ExecutionContext& execution, Stack stack) {
  HeadReplacement replacement(before, head, rows, row, word, other, execution, stack);
  while (!replacement.runUnit()) continue;
  return replacement.found();
}

std::string afterHeadInWords(const ModelConfig& config, HeadOfLayer head) {
  std::vector<std::string_view> between;
  if (config.hasNetwork(head.layer) && !config.parallel)
    between.emplace_back(tr("its layer's network"));
  if (head.layer + 1 < config.layers) between.emplace_back(tr("later layers"));
  if (config.norms) {
    between.emplace_back(config.preNorm ? tr("the final norm's scale") : tr("the norms' scales"));
  }
  if (config.readoutActivation != Activation::none)
    between.emplace_back(tr("the masked-word head"));
  if (between.size() < 2) return fmt::format("{}", fmt::join(between, ""));
  const std::string_view last = between.back();
  between.pop_back();
  return trFormat("{} and {}", fmt::join(between, ", "), last);
}

}  // namespace headscope::model
