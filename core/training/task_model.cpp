#include "core/training/task_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/ledger.h"
#include "core/attention/switches.h"
#include "core/platform/threads.h"
#include "core/tensor/random_tensors.h"
#include "core/training/task_pass.h"

namespace headscope::training {
namespace {

float deviation(double scale, Index fanIn) {
  return static_cast<float>(scale / std::sqrt(static_cast<double>(fanIn)));
}

/// Names and shapes of what a model learns, in order.
struct Entry {
  std::string name;
  Shape shape;
  float deviation = 0.0F;  // at the start; 0: all 0
};

std::vector<Entry> entriesOf(const Task& task, const ModelSettings& s) {
  const Index d = s.dModel;
  std::vector<Entry> entries;
  const std::vector<Index>& features = task.features;
  for (std::size_t f = 0; f < features.size(); ++f) {
    entries.push_back(
        {fmt::format("embedding.{}", f), {features[f], d}, deviation(s.embeddingScale, d)});
  }
  if (features.empty()) {
    const auto channels = static_cast<Index>(task.channels.size());
    entries.push_back({"input", {channels, d}, deviation(s.embeddingScale, channels)});
  }
  entries.push_back({"positions", {task.length, d}, deviation(s.embeddingScale, d)});
  for (Index layer = 0; layer < s.layers; ++layer) {
    for (const TensorId id : {TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO}) {
      entries.push_back(
          {fmt::format("layers.{}.{}", layer, info(id).name), {d, d}, deviation(1.0, d)});
    }
  }
  for (const Question& question : task.questions) {
    const std::string name = fmt::format("readout.{}", question.name);
    entries.push_back({name + ".weight", {question.classes, d}, deviation(1.0, d)});
    entries.push_back({name + ".bias", {question.classes}, 0.0F});
  }
  return entries;
}

}  // namespace

AttentionConfig attentionOf(const Task& task, const ModelSettings& settings, Index examples) {
  AttentionConfig config;
  config.dModel = settings.dModel;
  config.numHeads = config.numKvHeads = settings.heads;
  config.seqLen = task.length;
  config.batch = examples;
  config.switches->bias = false;
  config.switches->scale = settings.scale;
  config.mask.causal = settings.causal;
  return config;
}

Index parameterCount(const Task& task, const ModelSettings& settings) {
  Index count = 0;
  for (const Entry& entry : entriesOf(task, settings)) count += elementCount(entry.shape);
  return count;
}

int threadsOfPass(const Task& task, const ModelSettings& settings, Index examples,
                  const ExecutionContext& execution) {
  const Index flops = settings.layers * ledger(attentionOf(task, settings, examples)).flops;
  return threadsFor(flops, execution.threads, execution.flopsPerThread);
}

TaskModel::TaskModel(const Task& task, const ModelSettings& settings, std::uint64_t seed)
    : task_(&task), settings_(settings), inputs_(std::max<std::size_t>(1, task.features.size())) {
  Index classes = 0;
  for (const Question& question : task.questions) classes += question.classes;
  for (Readout* each : {&readout_, &readoutGradient_}) {
    *each = {Tensor::zeros({classes, settings.dModel}), Tensor::zeros({classes})};
  }
  const std::vector<Entry> entries = entriesOf(task, settings);
  const std::size_t inner = entries.size() - 2 * task.questions.size();
  for (std::size_t i = 0; i < inner; ++i) {
    parameters_.push_back({entries[i].name,
                           Tensor::uninitialised(entries[i].shape),
                           Tensor::zeros(entries[i].shape),
                           {},
                           {}});
  }
  Index first = 0;
  for (std::size_t i = inner; i < entries.size(); i += 2) {
    const Index end = first + entries[i].shape[0];
    const auto part = [&](const Tensor& whole) { return whole.slice(0, first, end); };
    parameters_.push_back(
        {entries[i].name, part(readout_.weight), part(readoutGradient_.weight), {}, {}});
    parameters_.push_back(
        {entries[i + 1].name, part(readout_.bias), part(readoutGradient_.bias), {}, {}});
    first = end;
  }
  std::vector<Draw> draws;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].deviation == 0.0F) continue;
    draws.push_back({&parameters_[i].value, RandomStream(seed, entries[i].name),
                     Distribution::normal, entries[i].deviation});
  }
  draw(draws);
}

std::size_t TaskModel::weightPlace(Index layer, TensorId id) const {
  return inputs_ + 1 + 4 * static_cast<std::size_t>(layer) + static_cast<std::size_t>(id) -
         static_cast<std::size_t>(TensorId::wQ);
}

}  // namespace headscope::training
