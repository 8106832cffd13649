#include "core/formats/trained_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/formats/json_file.h"
#include "core/tensor/safetensors.h"
#include "core/training/loss.h"
#include "core/training/trainer.h"

namespace headscope::formats {
namespace {

using training::Task;

/// Requires a task with one symbol per place, named by one letter, and the next symbol as its
/// question.
void requireNextLetters(const Task& task) {
  const std::vector<Index>& features = task.features;
  const auto& questions = task.questions;
  bool letters =
      features.size() == 1 && questions.size() == 1 && questions.front().classes == features[0];
  for (Index id = 0; letters && id < features[0]; ++id) {
    letters = task.word(std::vector<Index>{id}).size() == 1;
  }
  if (letters) return;
  throw UserError(
      fmt::format("the task {} does not predict the next letter of a text, so it gives no language "
                  "model: use induction",
                  task.id));
}

/// The beginning of an example of the task as text: the first with questions at half to two thirds
/// of its places. The last quarter is left for what the model writes.
std::string exampleOf(const Task& task) {
  const training::Examples examples = training::evaluationExamples(task);
  const auto asked = [&](Index example) {
    const auto first = examples.answers.front().begin() + example * examples.length;
    return std::count_if(first, first + examples.length, [](float a) { return !std::isnan(a); });
  };
  const auto suits = [&](Index example) {
    return asked(example) * 2 >= examples.length && asked(example) * 3 <= examples.length * 2;
  };
  Index chosen = 0;
  while (chosen + 1 < examples.count && !suits(chosen)) ++chosen;
  std::string text;
  for (Index place = 0; place < examples.length * 3 / 4; ++place) {
    const Index at = chosen * examples.length + place;
    text += task.word({&examples.symbols[static_cast<std::size_t>(at)], 1});
  }
  return text;
}

Json configOf(const training::TaskModel& model) {
  const training::ModelSettings& s = model.settings();
  const Task& task = model.task();
  return {{"model_type", "headscope"},
          {"task", task.id},
          {"layers", s.layers},
          {"d_model", s.dModel},
          {"heads", s.heads},
          {"positions", task.length},
          {"vocab_size", task.features.front()},
          {"causal", s.causal},
          {"scale", s.scale},
          {"example", exampleOf(task)}};
}

/// A tokeniser with one token per letter and without white space: byte-pair encoding without pairs.
Json letterTokenizer(const Task& task) {
  Json vocabulary = Json::emptyObject();
  for (Index id = 0; id < task.features.front(); ++id) {
    vocabulary[task.word(std::vector<Index>{id})] = id;
  }
  return {{"version", "1.0"},
          {"normalizer", {{"type", "Lowercase"}}},
          {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
          {"decoder", {{"type", "Fuse"}}},
          {"model",
           {{"type", "BPE"}, {"vocab", std::move(vocabulary)}, {"merges", Json::emptyList()}}}};
}

/// The tensors under the names that the reader of the folder expects, for the only embedding and
/// question.
std::vector<NamedTensor> tensorsFrom(const training::TaskModel& model) {
  const std::string question = fmt::format("readout.{}.", model.task().questions.front().name);
  std::vector<NamedTensor> tensors;
  for (const training::Parameter& parameter : model.parameters()) {
    std::string name = parameter.name;
    if (name == "embedding.0") name = "embedding";
    if (name.starts_with(question)) name = "readout." + name.substr(question.size());
    tensors.push_back({std::move(name), parameter.value});
  }
  return tensors;
}

}  // namespace

void saveAsModel(const std::filesystem::path& folder, const training::TaskModel& model) {
  requireNextLetters(model.task());
  OutputFolder output(folder);
  writeSafetensors(folder / "model.safetensors", tensorsFrom(model));  // first: it needs the room
  writeJson(folder / "tokenizer.json", letterTokenizer(model.task()));
  writeJson(folder / "config.json", configOf(model));
  output.keep();
}

}  // namespace headscope::formats
