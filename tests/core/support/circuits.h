// Circuits: the goldens of tests/data/circuits (README there), each with its model's folder.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/core/support/model_folders.h"

namespace headscope::test {

inline const char* const kCircuits[] = {"gemma2", "gpt_neo",   "gpt_neox",  "opt",
                                        "phi",    "qwen3_moe", "tiny-gpt2", "tiny-llama"};

/// One golden. Ids are stored as 64-bit integers, which the program itself never reads.
class Circuit {
 public:
  explicit Circuit(const std::string& name)
      : path_(modelData("circuits") / (name + ".safetensors")), file_(path_) {
    model_ = formats::openModel(modelFolder(name), kBudgetBytes);
  }

  const model::ModelPtr& model() const { return model_; }
  Tensor tensor(const std::string& name) const { return file_.read(name); }
  std::vector<Index> ids(const std::string& name) const {
    const std::string bytes = readAll(path_);
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof header);
    const auto entry = nlohmann::json::parse(bytes.substr(sizeof header, header)).at(name);
    std::vector<std::int64_t> values(entry.at("shape").at(0).get<std::size_t>());
    const std::size_t begin = entry.at("data_offsets").at(0);
    std::memcpy(values.data(), bytes.data() + sizeof header + header + begin,
                values.size() * sizeof(std::int64_t));
    return {values.begin(), values.end()};
  }
  /// The pass over the ids of this name: "clean" or "corrupt".
  model::ModelTracePtr pass(const std::string& name) const {
    return runModel(model::makeModelDocument(model_, {ids(name), {}, {}}), nullptr, {},
                    kBudgetBytes);
  }

 private:
  std::filesystem::path path_;
  SafetensorsFile file_;
  model::ModelPtr model_;
};

}  // namespace headscope::test
