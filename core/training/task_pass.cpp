#include "core/training/task_pass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/attention/config.h"
#include "core/attention/run_steps.h"
#include "core/attention/steps/linear.h"
#include "core/document/document.h"
#include "core/tensor/finite.h"
#include "core/tensor/sums.h"
#include "core/training/roles.h"

namespace headscope::training {
namespace {

constexpr Index kRowsAtOnce = 64;  // of h

Index rowsOf(const Examples& examples) { return examples.count * examples.length; }

void addRow(const float* from, float* to, Index width) {
  for (Index i = 0; i < width; ++i) to[i] += from[i];
}

void addRow(float factor, const float* from, float* to, Index width) {
  for (Index i = 0; i < width; ++i) to[i] += factor * from[i];
}

}  // namespace

TaskPass::TaskPass(const TaskModel& model, const Examples& examples)
    : model_(&model),
      examples_(&examples),
      config_(std::make_unique<const AttentionConfig>(
          attentionOf(model.task(), model.settings(), examples.count))) {}

TaskPass::~TaskPass() = default;

void TaskPass::switchOff(const HeadOfLayer& head) {
  offIn_ = head.layer;
  AttentionConfig off = *config_;
  off.headGains.assign(at(off.numHeads), 1.0F);
  off.headGains[at(head.head)] = 0.0F;
  offConfig_ = std::make_unique<const AttentionConfig>(std::move(off));
}

bool TaskPass::forward(const ExecutionContext& execution, const TaskPass* before) {
  layers_.clear();
  gradients_.clear();
  overflowed_ = before != nullptr && before->overflowed_;
  Tensor h = before != nullptr ? before->layer(0).tensor(TensorId::x) : embedded(execution);
  for (Index layer = 0; layer < model_->settings().layers; ++layer) {
    const AttentionConfig& config = offIn_ == layer ? *offConfig_ : *config_;
    layers_.push_back(std::make_unique<AttentionTensors>(config, noPins_));
    AttentionTensors& tensors = *layers_.back();
    tensors.put(TensorId::x, std::move(h));
    for (const TensorId id : {TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO}) {
      tensors.put(id, model_->weight(layer, id).value);
    }
    const AttentionTensors* then = before != nullptr ? &before->layer(layer) : nullptr;
    const std::optional<StepsDone> done = runSteps(tensors, then, execution);
    if (!done) return false;
    overflowed_ = overflowed_ || done->overflowed;
    if (then != nullptr && !done->changed[static_cast<std::size_t>(TensorId::output)]) {
      h = layer + 1 < before->layers() ? before->layer(layer + 1).tensor(TensorId::x)
                                       : before->output();
      continue;
    }
    const Tensor& x = tensors.tensor(TensorId::x);
    h = sum(x, tensors.tensor(TensorId::output), 1.0, execution);
  }
  output_ = std::move(h);
  logits_ = linear(output_, model_->readout_.weight, model_->readout_.bias, execution);
  return !execution.stop();
}

bool TaskPass::backward(TaskModel& model, const Tensor& gradLogits,
                        const ExecutionContext& execution) {
  LinearBackward readout{model.readout_.weight, gradLogits, true};
  Tensor dh = linearBackward(output_, {&readout, 1}, execution);
  if (execution.stop()) return false;
  const auto copy = [](const Tensor& from, Tensor& to) {
    std::copy_n(from.data(), from.size(), to.mutableData());
  };
  copy(readout.dWeight, model.readoutGradient_.weight);
  copy(readout.dBias, model.readoutGradient_.bias);
  gradients_.resize(layers_.size());
  for (Index layer = model.settings().layers; layer-- > 0;) {
    auto& gradients = gradients_[at(layer)];
    gradients = std::make_unique<Gradients>(*layers_[at(layer)], dh);
    if (!runBackward(*gradients, execution)) return false;
    for (const TensorId id : {TensorId::wQ, TensorId::wK, TensorId::wV, TensorId::wO}) {
      model.parameters_[model.weightPlace(layer, id)].gradient = gradients->tensor(id);
    }
    // the gradient through the residual, plus that through the attention
    dh = sum(dh, gradients->tensor(TensorId::x), 1.0, execution);
  }
  embeddingGradients(model, dh, execution);
  return !execution.stop();
}

Tensor TaskPass::embedded(const ExecutionContext& execution) const {
  const Index width = config_->dModel;
  const std::size_t inputs = model_->inputs_;
  const bool symbols = !examples_->symbols.empty();
  const auto channels = static_cast<Index>(model_->task().channels.size());
  const Tensor& positions = model_->parameters_[inputs].value;
  Tensor h = Tensor::uninitialised({examples_->count, examples_->length, width}, execution.memory);
  const Index rows = rowsOf(*examples_);
  parallelFor((rows + kRowsAtOnce - 1) / kRowsAtOnce, execution, [&](Index piece) {
    const Index end = std::min(rows, (piece + 1) * kRowsAtOnce);
    for (Index row = piece * kRowsAtOnce; row < end; ++row) {
      float* to = h.mutableData() + row * width;
      std::copy_n(positions.data() + row % examples_->length * width, width, to);
      if (symbols) {
        for (std::size_t f = 0; f < inputs; ++f) {
          const Index symbol = examples_->symbols[static_cast<std::size_t>(row) * inputs + f];
          addRow(model_->parameters_[f].value.data() + symbol * width, to, width);
        }
      } else {
        const float* series = examples_->series.data() + row * channels;
        for (Index c = 0; c < channels; ++c) {
          addRow(series[c], model_->parameters_[0].value.data() + c * width, to, width);
        }
      }
    }
  });
  return h;
}

/// A piece of work is one parameter; its rows are added up in the order of the places.
void TaskPass::embeddingGradients(TaskModel& model, const Tensor& dh,
                                  const ExecutionContext& execution) const {
  const Index width = config_->dModel;
  const std::size_t inputs = model.inputs_;
  const bool symbols = !examples_->symbols.empty();
  const auto channels = static_cast<Index>(model.task().channels.size());
  const Index rows = rowsOf(*examples_);
  parallelFor(static_cast<Index>(inputs) + 1, execution, [&](Index piece) {
    const auto parameter = static_cast<std::size_t>(piece);
    Tensor& gradient = model.parameters_[parameter].gradient;
    float* to = gradient.mutableData();
    std::fill_n(to, gradient.size(), 0.0F);
    for (Index row = 0; row < rows; ++row) {
      const float* from = dh.data() + row * width;
      if (parameter == inputs) {
        addRow(from, to + row % examples_->length * width, width);
      } else if (symbols) {
        const Index symbol = examples_->symbols[static_cast<std::size_t>(row) * inputs + parameter];
        addRow(from, to + symbol * width, width);
      } else {
        const float* series = examples_->series.data() + row * channels;
        for (Index c = 0; c < channels; ++c) addRow(series[c], from, to + c * width, width);
      }
    }
  });
}

std::string TaskPass::firstNotFinite() const {
  const auto place = [](const Tensor& tensor) { return headscope::firstNotFinite(tensor); };
  const auto words = [](const std::string& name, const Shape& index) {
    return fmt::format("{}[{}]", name, fmt::join(index, ", "));
  };
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    for (const TensorId id :
         {TensorId::x, TensorId::qProj, TensorId::kProj, TensorId::vProj, TensorId::rawScores,
          TensorId::weights, TensorId::heads, TensorId::output}) {
      const auto index = place(layers_[layer]->tensor(id));
      if (index) return words(fmt::format("layers.{}.{}", layer, info(id).name), *index);
    }
  }
  if (const auto index = place(output_)) return words("output", *index);
  if (const auto index = place(logits_)) return words("logits", *index);
  return {};
}

namespace {

/// The relation of each head of a layer that is found in it, with its partners in one example.
std::vector<LearnedRelation> relationsOf(const Roles& roles, Index layer, const Task& task,
                                         const Examples& examples, Index example) {
  std::vector<LearnedRelation> relations;
  const auto places = static_cast<std::size_t>(examples.length);
  const auto heads = roles.layers[static_cast<std::size_t>(layer)].mass.size();
  for (std::size_t head = 0; head < heads; ++head) {
    const auto role = becoming(roles, {layer, static_cast<Index>(head)});
    if (!role || role->mass < kFoundMass) continue;
    LearnedRelation& relation = relations.emplace_back();
    relation.head = static_cast<Index>(head);
    relation.name = task.relations[role->relation].name;
    relation.partners.resize(places);
    const std::uint8_t* isPartner = examples.partners[role->relation].data() +
                                    static_cast<std::size_t>(example) * places * places;
    for (std::size_t i = 0; i < places; ++i) {
      for (std::size_t j = 0; j < places; ++j) {
        if (isPartner[i * places + j] != 0) {
          relation.partners[i].push_back(static_cast<Index>(j));
        }
      }
    }
  }
  return relations;
}

}  // namespace

DocumentPtr documentOf(const TaskPass& pass, const TaskModel& model, Index layer, Index example,
                       const Roles* roles, Index memoryBudgetBytes) {
  const Examples& examples = pass.examples();
  const Task& task = model.task();
  TensorSource source;
  source.name = fmt::format("{}, layer {}", task.id, layer + 1);
  source.x = pass.layer(layer).tensor(TensorId::x).slice(0, example, example + 1).clone();
  const std::size_t features = task.features.size();
  for (Index place = 0; features > 0 && place < examples.length; ++place) {
    const auto first = static_cast<std::size_t>(example * examples.length + place) * features;
    source.tokens.push_back(task.word({examples.symbols.data() + first, features}));
  }
  if (roles != nullptr) {
    source.relations = relationsOf(*roles, layer, task, examples, example);
  }
  Document document = makeDraft("", attentionOf(task, model.settings(), 1), InputSource(source),
                                Positions::named, WeightSource{}, memoryBudgetBytes);
  Weights& w = document.weights;
  w.wQ = model.weight(layer, TensorId::wQ).value.clone();
  w.wK = model.weight(layer, TensorId::wK).value.clone();
  w.wV = model.weight(layer, TensorId::wV).value.clone();
  w.wO = model.weight(layer, TensorId::wO).value.clone();
  const AttentionConfig& c = document.config;
  w.bQ = Tensor::zeros({c.queryWidth()});
  w.bK = Tensor::zeros({c.dKv()});
  w.bV = Tensor::zeros({c.dKv()});
  w.bO = Tensor::zeros({c.dModel});
  document.weightSource.loadedFrom = source.name;
  return std::make_shared<const Document>(std::move(document));
}

}  // namespace headscope::training
