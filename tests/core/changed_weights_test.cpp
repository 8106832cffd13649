// Weights that change on the disk while they are open: reads give the opened file's values or are
// refused.
#include <gtest/gtest.h>

#include <chrono>

#include "core/training/task_pass.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

namespace fs = std::filesystem;
using namespace headscope::model;

/// Sets the file's time back one hour: the program detects a change by the time of the last write.
void backdate(const fs::path& file) {
  fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
}

/// Overwrites the file in place, as a program does that does not replace the file.
void overwrite(const fs::path& file, const std::string& bytes) {
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << bytes;
}

class ChangedWeights : public testing::Test {
 protected:
  void SetUp() override {
    ModelFolder other = first_;
    for (auto& [name, tensor] : other.tensors) {
      Tensor& own = other.own(name);
      for (Index i = 0; i < own.size(); ++i) own.mutableData()[i] *= 2.0F;
    }
    other.write(folder_);
    second_ = readAll(file());
    first_.write(folder_);
    ASSERT_EQ(readAll(file()).size(), second_.size());
    backdate(file());
  }
  fs::path file() const { return folder_ / "model.safetensors"; }
  ModelPtr open(Index layerBudget = kBudgetBytes) const {
    return formats::openModel(folder_.path(), layerBudget);
  }
  std::vector<float> valuesOf(const std::string& name) const {
    return first_.tensors.at(name).values();
  }
  void expectFirstEmbedding(const Model& model) const {
    EXPECT_EQ(model.embedding()->tokens.widened().values(), valuesOf("model.embed_tokens.weight"));
  }

  ModelFolder first_{"tiny-llama"};
  TempFolder folder_;
  std::string second_;  // the bytes of a file of the same length
};

TEST_F(ChangedWeights, OfOneLengthAreNotMixed) {
  const ModelPtr model = open();
  expectFirstEmbedding(*model);
  const LayerWeightsPtr layer = model->layer(0);
  EXPECT_FALSE(model->changedOnDisk());
  overwrite(file(), second_);
  EXPECT_TRUE(model->changedOnDisk());
  expectUserError([&] { model->layer(1); }, "model.safetensors has changed on the disk",
                  "open it again");
  expectFirstEmbedding(*model);
  EXPECT_EQ(layer->attention.wQ.values(), valuesOf("model.layers.0.self_attn.q_proj.weight"));
  EXPECT_EQ(open()->layer(0)->attention.wQ.values().front(),
            2.0F * valuesOf("model.layers.0.self_attn.q_proj.weight").front());
}

TEST_F(ChangedWeights, ThatAreCutShortDoNotEndTheProgram) {
  const ModelPtr model = open();
  expectFirstEmbedding(*model);
  fs::resize_file(file(), 0);
  expectFirstEmbedding(*model);
  expectUserError([&] { model->layer(0); }, "model.safetensors has changed on the disk");
  EXPECT_TRUE(model->changedOnDisk());
}

TEST_F(ChangedWeights, InTheMiddleOfAPassEndIt) {
  const ModelPtr model = open(1);
  ModelPass pass(makeModelDocument(model, {{1, 65}, {}, {}}), nullptr, {}, kBudgetBytes);
  ASSERT_FALSE(pass.runUnit()) << "there is another layer";
  overwrite(file(), second_);
  expectUserError([&] { pass.runUnit(); }, "has changed on the disk");
}

TEST_F(ChangedWeights, ThatTookThePlaceOfOthersAreNoticed) {
  const ModelPtr model = open();
  fs::rename(folder_.file("other", second_), file());
  EXPECT_TRUE(model->changedOnDisk());
  expectUserError([&] { model->layer(1); }, "has changed on the disk");
}

TEST_F(ChangedWeights, ThatAreGoneCanStillBeRead) {
  const ModelPtr model = open();
  fs::remove(file());
  EXPECT_FALSE(model->changedOnDisk()) << "there is nothing else to open";
  EXPECT_EQ(model->layer(1)->attention.wQ.values(),
            valuesOf("model.layers.1.self_attn.q_proj.weight"));
}

TEST_F(ChangedWeights, InOneOfSeveralFilesAreNoticed) {
  const auto inSecond = [](const std::string& name) { return name.find("layers.1") != name.npos; };
  nlohmann::json map;
  for (const auto& [name, tensor] : first_.tensors) map[name] = inSecond(name) ? "b" : "a";
  writeSafetensors(folder_ / "a", first_.list([&](const auto& n) { return !inSecond(n); }));
  writeSafetensors(folder_ / "b", first_.list(inSecond));
  backdate(folder_ / "b");
  folder_.file("model.safetensors.index.json", nlohmann::json{{"weight_map", map}}.dump());
  fs::remove(file());
  const ModelPtr model = open();
  overwrite(folder_ / "b", readAll(folder_ / "b"));
  EXPECT_TRUE(model->changedOnDisk());
  EXPECT_NO_THROW(model->layer(0));
  expectUserError([&] { model->layer(1); },
                  (fs::path("/") / "b").make_preferred().string() + " has changed on the disk");
}

/// Every reader of safetensors detects the change: sessions, runs, weights of a single layer.
TEST_F(ChangedWeights, OfAnySafetensorsFileAreNotMixed) {
  const SafetensorsFile open(file());
  const std::string norm = "model.norm.weight";
  EXPECT_EQ(open.read(norm).values(), valuesOf(norm));
  fs::rename(folder_.file("other", second_), file());
  expectUserError([&] { open.read(norm); }, "has changed on the disk");
}

}  // namespace
}  // namespace headscope::test::models
