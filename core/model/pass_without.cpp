#include "core/model/pass_without.h"

#include <algorithm>
#include <span>
#include <utility>

#include "core/base/memory_budget.h"
#include "core/model/blocks.h"
#include "core/model/head_output.h"
#include "core/model/steering.h"

namespace headscope::model {
namespace {

/// The layer that a writer's addition enters, where it is one to the stream that enters a layer.
Index layerEntered(const Writer& writer) {
  return writer.kind == WriterKind::steering ? writer.layer : 0;
}

/// Returns what a token, a position or a direction that steers adds to the stream that enters its
/// layer.
std::vector<float> writtenAddition(const ModelTrace& trace, const LeftOut& out) {
  const StreamParts stream =
      streamParts(trace, layerEntered(out.writer), out.place, {}, out.writer.stack);
  const auto found = std::ranges::find(stream.writers, out.writer);
  if (found == stream.writers.end())
    return std::vector<float>(static_cast<std::size_t>(stream.rows.cols));
  const auto row = stream.rows.row(found - stream.writers.begin());
  return {row.begin(), row.end()};
}

Tensor oneRow(const std::vector<float>& numbers) {
  Tensor row = Tensor::uninitialised({1, std::ssize(numbers)});
  std::ranges::copy(numbers, row.mutableData());
  return row;
}

std::vector<float> negative(std::vector<float> numbers) {
  for (float& number : numbers) number = -number;
  return numbers;
}

/// The change of the stream behind a layer at a place where its network adds nothing.
std::vector<float> changeWithoutNetwork(const ModelTrace& pass, Index layer, Index place) {
  const LayerWeightsPtr weights = pass.document().model->layer(layer);
  const Tensor half = pass.hidden(2 * layer + 1).slice(1, place, place + 1).clone();
  const Tensor without =
      withAddition(half, Tensor::zeros(half.shape()), weights->feedForwardNorm, pass.config(), {});
  const std::span<const float> now = pass.hidden(2 * layer + 2).matrix({0}).row(place);
  std::vector<float> change = additionAt(pass.document(), layer + 1, place);
  change.resize(now.size(), 0.0F);
  for (std::size_t j = 0; j < now.size(); ++j) change[j] += without.data()[j] - now[j];
  return change;
}

/// The document of the writer's stack in which it adds nothing before a later layer.
ModelDocumentPtr documentWithout(const ModelTrace& trace, const LeftOut& out) {
  const Writer& writer = out.writer;
  const ModelTrace& pass = passOf(trace, writer.stack);
  if (writer.kind == WriterKind::head) {
    const HeadOfLayer head{writer.layer, writer.head};
    Tensor rows = headOutput(pass, head);
    std::ranges::fill(rows.mutableMatrix().row(out.place), 0.0F);
    return withHeadOutput(pass, head, rows);
  }
  if (writer.kind == WriterKind::feedForward) {
    return withSteering(pass.document(), {writer.layer + 1, out.place,
                                          changeWithoutNetwork(pass, writer.layer, out.place)});
  }
  return withSteering(pass.document(),
                      {layerEntered(writer), out.place, negative(writtenAddition(trace, out))});
}

/// Runs a pass again with another document of one of its stacks. Null where cancelled.
ModelTracePtr runWith(const ModelTracePtr& trace, Stack stack, const ModelDocumentPtr& document,
                      const ExecutionContext& execution) {
  const Index budget = defaultMemoryBudget() / 4;
  const ModelTracePtr changed = runModel(document, passOf(trace, stack), execution, budget);
  if (changed == nullptr || stack == Stack::decoder) return changed;
  return runModel(withMemory(trace->document(), changed), trace, execution, budget);
}

}  // namespace

bool canBeLeftOut(const ModelTrace& trace, const Writer& writer, bool early) {
  switch (writer.kind) {
    case WriterKind::token:
    case WriterKind::position:
    case WriterKind::head:
    case WriterKind::steering:
      return true;
    case WriterKind::feedForward:  // behind the last layer nothing is steered
      return !early || writer.layer + 1 < passOf(trace, writer.stack).layers();
    default:
      return false;
  }
}

Patch patchWithout(const ModelTrace& trace, const LeftOut& out) {
  const Writer& writer = out.writer;
  const ModelTrace& pass = passOf(trace, writer.stack);
  const ModelConfig& c = pass.config();
  if (writer.kind == WriterKind::head) {
    return {Site::heads, writer.layer, writer.head, out.place, Tensor::zeros({1, c.headDim}),
            writer.stack};
  }
  if (writer.kind == WriterKind::feedForward) {
    return {Site::network, writer.layer, 0, out.place, Tensor::zeros({1, c.dModel}), writer.stack};
  }
  const Index layer = layerEntered(writer);
  std::vector<float> rest = writtenAddition(trace, out);
  const std::span<const float> stream = pass.hidden(2 * layer).matrix({0}).row(out.place);
  for (std::size_t j = 0; j < rest.size(); ++j) rest[j] = stream[j] - rest[j];
  return {Site::residual, layer, 0, out.place, oneRow(rest), writer.stack};
}

ModelTracePtr passWithout(const ModelTracePtr& trace, const LeftOut& out,
                          const ExecutionContext& execution) {
  return runWith(trace, out.writer.stack, documentWithout(*trace, out), execution);
}

}  // namespace headscope::model
