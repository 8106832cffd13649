// Model folders for tests: those of tests/data, written with changed fields and tensors.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/document/trace.h"
#include "core/formats/model_directory.h"
#include "core/model/model_trace.h"
#include "core/tensor/safetensors.h"
#include "tests/core/test_files.h"

namespace headscope::test {

inline std::filesystem::path modelData(const std::string& name) {
  return std::filesystem::path(HEADSCOPE_TEST_DATA) / name;
}

/// The folder of a model within tests/data: "tiny-gpt2", "families/phi".
inline std::string folderOfModel(const std::string& name) {
  return std::filesystem::exists(modelData(name)) ? name : "families/" + name;
}
inline std::filesystem::path modelFolder(const std::string& name) {
  return modelData(folderOfModel(name));
}

/// The names of all models: every folder of tests/data/families, and the others.
inline std::vector<std::string> everyModel() {
  std::vector<std::string> names{"tiny-bert", "tiny-gpt2", "tiny-llama", "xlm-roberta"};
  for (const auto& folder : std::filesystem::directory_iterator(modelData("families"))) {
    names.push_back(folder.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}
/// The name of a test for a model.
inline std::string modelTestName(const testing::TestParamInfo<std::string>& each) {
  std::string name = each.param;
  std::erase(name, '-');
  return name;
}

/// Values computed in float32 may differ from those in float64 by this part of the largest. T5
/// comes nearest to it: a score without ÷√d_k of 60 is rounded by 2e-6, and its weight by that
/// part.
constexpr double kGoldenRounding = 1e-5;

/// The largest difference from golden values, as a part of the largest of these.
inline double differenceFromGolden(const std::vector<float>& values,
                                   const std::vector<float>& golden) {
  EXPECT_EQ(values.size(), golden.size());
  double most = 0.0, size = 1e-30;
  for (std::size_t i = 0; i < std::min(values.size(), golden.size()); ++i) {
    const double expected = golden[i];
    most = std::max(most, std::abs(static_cast<double>(values[i]) - expected));
    size = std::max(size, std::abs(expected));
  }
  return most / size;
}

/// A model's config.json and tensors, to be changed and written.
struct ModelFolder {
  explicit ModelFolder(const std::string& name)
      : config(nlohmann::json::parse(readAll(modelData(name) / "config.json"))) {
    const SafetensorsFile file(modelData(name) / "model.safetensors");
    for (const std::string& tensor : file.names()) tensors[tensor] = file.read(tensor);
  }

  void rename(const std::string& from, const std::string& to) {
    std::map<std::string, Tensor> renamed;
    for (auto& [name, tensor] : tensors) {
      std::string text = name;
      for (std::size_t at = text.find(from); at != std::string::npos;
           at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
      }
      renamed[text] = tensor;
    }
    tensors = std::move(renamed);
  }

  /// A copy of a tensor, to be written to.
  Tensor& own(const std::string& name) { return tensors[name] = tensors.at(name).clone(); }
  void fill(const std::string& name, float value) {
    Tensor& tensor = own(name);
    std::fill_n(tensor.mutableData(), tensor.size(), value);
  }

  std::vector<NamedTensor> list(
      const std::function<bool(const std::string&)>& wanted = nullptr) const {
    std::vector<NamedTensor> all;
    for (const auto& [name, tensor] : tensors) {
      if (!wanted || wanted(name)) all.push_back({name, tensor});
    }
    return all;
  }

  void writeConfig(const TempFolder& folder) const { folder.file("config.json", config.dump()); }
  void write(const TempFolder& folder, FileFloat as = FileFloat::f32) const {
    writeConfig(folder);
    writeSafetensors(folder / "model.safetensors", list(), {}, as);
  }

  nlohmann::json config;
  std::map<std::string, Tensor> tensors;
};

inline constexpr Index kBudgetBytes = Index{1} << 30;

/// A text of a model. A decoder also gets a source text, of another length.
inline model::ModelDocumentPtr documentOf(const model::ModelPtr& of, std::vector<Index> ids,
                                          std::vector<Index> source = {7, 3, 40, 12, 5, 9}) {
  model::ModelTracePtr memory;
  if (of->encoder() != nullptr) {
    memory = model::runModel(model::makeModelDocument(of->encoder(), {std::move(source), {}, {}}),
                             nullptr, {}, kBudgetBytes);
  }
  return model::makeModelDocument(of, {std::move(ids), {}, {}}, std::move(memory));
}

/// The logits of a pass over these ids: (T, V), row by row.
inline std::vector<float> logitsOf(const model::ModelPtr& of, const std::vector<Index>& ids) {
  const auto trace = model::runModel(documentOf(of, ids), nullptr, {}, kBudgetBytes);
  return trace->logits(0, trace->tokens()).values();
}

/// The model of such a folder. The folder is removed on return; the model's open file stays
/// readable.
inline model::ModelPtr opened(const ModelFolder& folderOf) {
  const TempFolder folder;
  folderOf.write(folder);
  return formats::openModel(folder.path(), kBudgetBytes);
}

}  // namespace headscope::test
