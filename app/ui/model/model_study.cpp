#include "app/ui/model/model_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "app/gl/scene.h"
#include "app/ui/model/prediction_views.h"
#include "app/ui/panel.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/matrix.h"
#include "core/analysis/rows.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/translation.h"
#include "core/document/trace.h"
#include "core/images/shape_looks.h"
#include "core/model/adapter_change.h"
#include "core/model/circuits.h"
#include "core/model/model_gradients.h"
#include "core/model/position_patterns.h"
#include "core/model/text_alignment.h"

namespace headscope::ui {
namespace {

using model::ModelPtr;

std::uint64_t addressOf(const ModelPtr& model) {
  return reinterpret_cast<std::uintptr_t>(model.get());
}

std::optional<FoundHeads> foundHeads(const model::ModelMeasure& measure) {
  auto pass = measure.measured();
  if (!pass) return std::nullopt;
  return FoundHeads{pass->trace->documentPtr(),
                    std::make_shared<const model::MeasuredHeads>(std::move(*pass))};
}

/// The probe of a moment's model, with the tokenizer and the source text of that.
std::optional<ProbedModel> probed(const model::ModelMeasure& measure, const ModelMoment& of,
                                  std::uint64_t key) {
  auto pass = measure.measured();
  if (!pass) return std::nullopt;
  auto moment = std::make_shared<ModelMoment>();
  moment->trace = pass->trace;
  moment->tokenizer = of.tokenizer;
  moment->source = of.source;
  moment->number = key;  // a hash, distinct from the numbers of texts' moments, which count from 1
  return ProbedModel{std::move(moment),
                     std::make_shared<const model::MeasuredHeads>(std::move(*pass))};
}

}  // namespace

Computed<FoundHeads> measuredHeads(const PanelContext& panel, const ModelMoment& moment,
                                   Schedule when, std::string_view name) {
  const Fingerprint key("heads", moment.number);
  return panel.computations.request<FoundHeads>(name, key, when, [&] {
    const FoundHeads* last = panel.computations.last<FoundHeads>(name);
    return unitsOf(
        [trace = moment.trace,
         before = last != nullptr ? last->heads : nullptr](const std::atomic<bool>& cancelled) {
          return std::make_shared<model::ModelMeasure>(trace, before.get(),
                                                       ExecutionContext{0, &cancelled});
        },
        &foundHeads);
  });
}

Computed<ProbedModel> probedModel(const PanelContext& panel, const ModelMoment& moment) {
  const model::ModelDocumentPtr document = moment.trace->documentPtr();
  const std::uint64_t source = moment.source != nullptr ? moment.source->number : 0;
  const Fingerprint key("probe", addressOf(document->model), moment.changes, source);
  return panel.computations.request<ProbedModel>("model probe", key, Schedule::background, [&] {
    return unitsOf(
        [document, tokenizer = moment.tokenizer](const std::atomic<bool>& cancelled) {
          const auto input = repeatedRandomTokens(document->model->config(), tokenizer.get());
          return std::make_shared<model::ModelMeasure>(withInput(*document, input),
                                                       ExecutionContext{0, &cancelled},
                                                       defaultMemoryBudget() / 4);
        },
        [key, moment](const model::ModelMeasure& measure) {
          return probed(measure, moment, key.value());
        });
  });
}

Computed<std::vector<MetricValue>> copyingOfHeads(const PanelContext& panel,
                                                  const ModelMoment& moment) {
  using Scores = std::vector<MetricValue>;
  const ModelPtr& model = moment.trace->document().model;
  const Fingerprint key("copying", addressOf(model));
  return panel.computations.request<Scores>("copying", key, Schedule::background, [&] {
    return [model](const std::atomic<bool>& cancelled) -> std::optional<Scores> {
      const model::ModelConfig& c = model->config();
      const double work = 2.0 * static_cast<double>(c.vocabulary) * static_cast<double>(c.dModel) *
                          static_cast<double>(c.dModel);
      if (work > kMostFlopsOfWeights) {
        throw UserError(
            trFormat("the copying scores of this model would take {:.0f} · 10^12 operations: "
                     "not computed",
                     work / 1e12));
      }
      const auto heads = headCircuits(*model, ExecutionContext{0, &cancelled});
      if (!heads) return std::nullopt;
      Scores scores;
      for (const model::HeadCircuits& head : *heads) {
        scores.push_back(head.copying
                             ? MetricValue{*head.copying, {}}
                             : MetricValue::undefined(tr("this model predicts no next token")));
      }
      return scores;
    };
  });
}

Computed<std::vector<MetricValue>> sharesOfPositions(const PanelContext& panel,
                                                     const ModelMoment& moment) {
  using Shares = std::vector<MetricValue>;
  const Fingerprint key("positions", moment.number);
  return panel.computations.request<Shares>("by position", key, Schedule::background, [&] {
    return [trace = moment.trace](const std::atomic<bool>& cancelled) -> std::optional<Shares> {
      const auto found = sharesByPosition(*trace, ExecutionContext{0, &cancelled});
      if (!found) return std::nullopt;
      Shares shares;
      for (const double each : *found) shares.push_back({each, {}});
      return shares;
    };
  });
}

Computed<std::vector<MetricValue>> weightsOnShape(const PanelContext& panel,
                                                  const ModelMoment& moment) {
  using Shares = std::vector<MetricValue>;
  const Fingerprint key("on the shape", moment.number);
  return panel.computations.request<Shares>("on the shape", key, Schedule::background, [&] {
    return [trace = moment.trace,
            touched = moment.shapePatches](const std::atomic<bool>&) -> std::optional<Shares> {
      Shares shares;
      for (const double each : images::looksOnShape(*trace, touched)) shares.push_back({each, {}});
      return shares;
    };
  });
}

Computed<std::vector<MetricValue>> changesByAdapter(const PanelContext& panel,
                                                    const ModelMoment& moment) {
  using Changes = std::vector<MetricValue>;
  const ModelPtr& model = moment.trace->document().model;
  const Fingerprint key("adapter", addressOf(model));
  return panel.computations.request<Changes>("adapter", key, Schedule::background, [&] {
    return [model](const std::atomic<bool>& cancelled) -> std::optional<Changes> {
      Changes changes;
      for (const double each : model::adapterChanges(*model, ExecutionContext{0, &cancelled})) {
        changes.push_back({each, {}});
      }
      if (cancelled) return std::nullopt;
      return changes;
    };
  });
}

Computed<std::vector<MetricValue>> weightOnTokens(const PanelContext& panel,
                                                  const ModelMoment& moment,
                                                  const std::vector<Index>& queries,
                                                  const std::vector<Index>& keys) {
  const Fingerprint key("tokens", moment.number, queries.size(), queries, keys);
  using Weights = std::vector<MetricValue>;
  return panel.computations.request<Weights>("weight on tokens", key, Schedule::background, [&] {
    return [trace = moment.trace, queries,
            keys](const std::atomic<bool>& cancelled) -> std::optional<Weights> {
      Weights weights;
      for (Index layer = 0; layer < trace->layers(); ++layer) {
        if (cancelled) return std::nullopt;
        if (trace->config().readsMemory(layer)) {  // the keys are of another text
          weights.resize(weights.size() + static_cast<std::size_t>(trace->config().heads),
                         MetricValue::undefined(tr("its keys are the tokens of the source text")));
          continue;
        }
        const TracePtr attention = trace->layer(layer);
        const CountedRows counted = countedRows(attention->document(), 0);
        std::vector<std::vector<Index>> partners(static_cast<std::size_t>(trace->tokens()));
        for (const CountedRow& row : counted.rows) {
          const bool chosen =
              queries.empty() || std::binary_search(queries.begin(), queries.end(), row.row);
          for (const Index place : keys) {
            if (chosen && row.keys(place)) {
              partners[static_cast<std::size_t>(row.row)].push_back(place);
            }
          }
        }
        const Tensor& all = attention->tensor(TensorId::weights);
        for (Index head = 0; head < trace->config().heads; ++head) {
          weights.push_back(partnerWeight(all.matrix({0, head}), counted, partners,
                                          tr("none of these tokens can look there")));
        }
      }
      return weights;
    };
  });
}

namespace {

/// The length of each head's part of the gradients.
std::vector<MetricValue> lengthsOf(const model::ModelGradients& found) {
  const Shape& shape = found.heads.shape();
  const Index each = shape[2] * shape[3];
  std::vector<MetricValue> lengths;
  for (Index head = 0; head < shape[0] * shape[1]; ++head) {
    const std::span part(found.heads.data() + head * each, static_cast<std::size_t>(each));
    double squares = 0.0;
    for (const float d : part) squares += static_cast<double>(d) * static_cast<double>(d);
    lengths.push_back({std::sqrt(squares), {}});
  }
  return lengths;
}

/// The backward pass of a number, through the decoder and, if it is asked for, on through the
/// encoder, layer by layer.
class GradientsOfStack {
 public:
  GradientsOfStack(model::ModelTracePtr trace, model::Stack stack, const ChosenWord& chosen,
                   const ExecutionContext& execution)
      : trace_(std::move(trace)), stack_(stack), execution_(execution) {
    Tensor last = gradLastOfLogit(*trace_, chosen.row, chosen.word, chosen.other, execution_);
    backward_ = std::make_unique<model::ModelBackward>(trace_, std::move(last), execution_);
  }

  bool runUnit() {
    if (!backward_->runUnit()) return false;
    if (stack_ == model::Stack::decoder || execution_.stop()) return true;
    stack_ = model::Stack::decoder;  // the rest is one stack
    const auto decoder = backward_->found();
    if (!decoder) return true;
    backward_ = std::make_unique<model::ModelBackward>(passOf(trace_, model::Stack::encoder),
                                                       decoder->memory, execution_);
    return false;
  }
  std::optional<std::vector<MetricValue>> lengths() const {
    const auto found = backward_->found();
    return found ? std::optional(lengthsOf(*found)) : std::nullopt;
  }

 private:
  model::ModelTracePtr trace_;
  model::Stack stack_;
  ExecutionContext execution_;
  std::unique_ptr<model::ModelBackward> backward_;
};

}  // namespace

const ModelMoment& predictedBy(const LiveModel& live, const ModelMoment& shown) {
  const auto& whole = live.moment();
  return whole != nullptr && whole->source.get() == &shown ? *whole : shown;
}

Computed<std::vector<MetricValue>> gradientsOfHeads(const PanelContext& panel,
                                                    const ModelMoment& moment, model::Stack stack,
                                                    const ChosenWord& chosen) {
  const Fingerprint key("gradients of heads", moment.number, chosen.row, chosen.word,
                        chosen.other.value_or(-1), stack);
  using Lengths = std::vector<MetricValue>;
  return panel.computations.request<Lengths>("gradients of heads", key, Schedule::background, [&] {
    return unitsOf(
        [trace = moment.trace, stack, chosen](const std::atomic<bool>& cancelled) {
          return std::make_shared<GradientsOfStack>(trace, stack, chosen,
                                                    ExecutionContext{0, &cancelled});
        },
        [](const GradientsOfStack& gradients) { return gradients.lengths(); });
  });
}

Computed<std::vector<float>> largestWeights(const PanelContext& panel, const ShownWeights& shown,
                                            const LeftOut& leftOut) {
  const Fingerprint key("largest", shown.of->number, shown.numberAgainst(), leftOut.rows,
                        leftOut.columns, leftOut.memory);
  using Largest = std::vector<float>;
  return panel.computations.request<Largest>("largest weights", key, Schedule::background, [&] {
    return [shown, leftOut](const std::atomic<bool>& cancelled) -> std::optional<Largest> {
      const Index heads = shown.of->config().heads;
      Largest largest(static_cast<std::size_t>(shown.of->config().layers * heads));
      const ScopedThreadLimit threads(threadsFor(kFlopsPerThread * 64, 0));
      parallelFor(std::ssize(largest), {.cancelled = &cancelled}, [&](Index piece) {
        const HeadOfLayer head{piece / heads, piece % heads};
        if (!shown.held(head.layer)) return;
        const CellRows cells = drawnWeights(shown, head, leftOut);
        std::vector<float> row(static_cast<std::size_t>(cells.cols));
        float most = 0.0F;
        for (Index i = 0; i < cells.rows; ++i) {
          cells.read(i, row);
          most = std::max(most, largestFinite(row));
        }
        largest[static_cast<std::size_t>(piece)] = most;
      });
      if (cancelled) return std::nullopt;
      return largest;
    };
  });
}

namespace {

/// The cells of one matrix minus those of their partners in another. A cell that only one of them
/// masks counts as 0 there; one that both mask, or that has no partner, is masked.
CellRows minusPartners(CellRows one, CellRows other, std::vector<Index> rows,
                       std::vector<Index> keys) {
  return {one.rows, one.cols,
          [one = std::move(one.read), other = std::move(other), rows = std::move(rows),
           keys = std::move(keys)](Index row, std::span<float> out) {
            const Index partner = rows[static_cast<std::size_t>(row)];
            if (partner == model::kNoPartner) {
              std::ranges::fill(out, gl::kMaskedCell);
              return;
            }
            std::vector<float> others(static_cast<std::size_t>(other.cols));
            one(row, out);
            other.read(partner, others);
            for (std::size_t col = 0; col < out.size(); ++col) {
              const Index place = keys[col];
              if (place == model::kNoPartner) {
                out[col] = gl::kMaskedCell;
                continue;
              }
              const float subtracted = others[static_cast<std::size_t>(place)];
              const bool here = out[col] != gl::kMaskedCell;
              const bool there = subtracted != gl::kMaskedCell;
              if (here || there) out[col] = (here ? out[col] : 0.0F) - (there ? subtracted : 0.0F);
            }
          }};
}

CellRows maskedCells(const CellRows& like) {
  return {like.rows, like.cols,
          [](Index /*row*/, std::span<float> out) { std::ranges::fill(out, gl::kMaskedCell); }};
}

CellRows weightsOf(const ModelMoment& moment, const HeadOfLayer& head) {
  const TracePtr trace = moment.trace->layer(head.layer);
  return cellsOf(*trace, wholeMatrix(TensorId::weights, trace->config(), 0, head.head));
}

}  // namespace

CellRows drawnWeights(const ShownWeights& shown, const HeadOfLayer& head, const LeftOut& leftOut) {
  CellRows rows = weightsOf(*shown.of, head);
  if (!shown.has(head)) return maskedCells(rows);
  if (shown.against != nullptr) {
    rows = minusPartners(std::move(rows), weightsOf(*shown.against, head), shown.pairs->tokens,
                         shown.pairs->keysOf(shown.of->config(), head.layer));
  }
  const auto any = [](const std::vector<bool>& out) {
    return std::ranges::find(out, true) != out.end();
  };
  const std::vector<bool>& columns = leftOut.columnsOf(shown.of->config(), head.layer);
  if (!any(leftOut.rows) && !any(columns)) return rows;
  return {rows.rows, rows.cols,
          [read = std::move(rows.read), rowsOut = leftOut.rows, columns](Index row,
                                                                         std::span<float> out) {
            read(row, out);
            const bool all = rowsOut[static_cast<std::size_t>(row)];
            for (std::size_t col = 0; col < out.size(); ++col) {
              if (all || columns[col]) out[col] = 0.0F;
            }
          }};
}

Index memoryTokens(const ModelMoment& moment) {
  return moment.config().crossAttention ? moment.trace->document().memory->tokens() : 0;
}

Index smallSide(const ModelMoment& moment) {
  constexpr Index kMostSide = 256, kLeastSide = 32;
  constexpr Index kMostBytes = Index{64} << 20, kFloatBytes = 4;
  const Index heads = moment.config().layers * moment.config().heads;
  Index side = kMostSide;
  while (side > kLeastSide && heads * side * side * kFloatBytes > kMostBytes) side /= 2;
  return side;
}

CellRows SmallHeads::of(std::size_t head) const {
  const auto size = static_cast<std::size_t>(side * side);
  return {side, side,
          [at = cells.data() + head * size, side = side](Index row, std::span<float> out) {
            std::copy_n(at + row * side, side, out.begin());
          }};
}

bool SmallHeads::areOf(const ModelMoment& moment) const {
  const auto heads = static_cast<std::size_t>(moment.config().layers * moment.config().heads);
  const auto each = static_cast<std::size_t>(side * side);
  return tokens == moment.trace->tokens() && memory == memoryTokens(moment) &&
         cells.size() == heads * each;
}

Computed<SmallHeads> smallHeads(const PanelContext& panel, const ShownWeights& shown,
                                const LeftOut& leftOut) {
  const Fingerprint key("small heads", shown.of->number, shown.numberAgainst(), leftOut.rows,
                        leftOut.columns, leftOut.memory);
  return panel.computations.request<SmallHeads>("small heads", key, Schedule::background, [&] {
    return [shown, leftOut,
            key = key.value()](const std::atomic<bool>& cancelled) -> std::optional<SmallHeads> {
      const ModelMoment& moment = *shown.of;
      const model::ModelConfig& c = moment.config();
      SmallHeads small{key, moment.trace->tokens(), memoryTokens(moment), smallSide(moment), {},
                       {}};
      const Index size = small.side * small.side;
      small.largest.assign(static_cast<std::size_t>(c.layers * c.heads), 0.0F);
      small.cells.assign(static_cast<std::size_t>(c.layers * c.heads * size), gl::kMaskedCell);
      const ScopedThreadLimit threads(threadsFor(kFlopsPerThread * 64, 0));
      parallelFor(c.layers * c.heads, {.cancelled = &cancelled}, [&](Index piece) {
        const HeadOfLayer head{piece / c.heads, piece % c.heads};
        if (!shown.held(head.layer)) return;
        const CellRows cells = reduced(drawnWeights(shown, head, leftOut), small.side, small.side);
        float* out = small.cells.data() + piece * size;
        for (Index row = 0; row < small.side; ++row) {
          cells.read(row, {out + row * small.side, static_cast<std::size_t>(small.side)});
        }
        small.largest[static_cast<std::size_t>(piece)] =
            largestFinite(std::span(out, static_cast<std::size_t>(size)));
      });
      if (cancelled) return std::nullopt;
      return small;
    };
  });
}

}  // namespace headscope::ui
