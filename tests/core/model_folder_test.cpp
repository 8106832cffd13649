// Other files in a model's folder, next to the files of the model or in their place.
#include <gtest/gtest.h>

#include "core/attention/config.h"
#include "core/attention/state_dict.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/editing/edit.h"
#include "core/formats/model_directory.h"
#include "core/model/model_trace.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using formats::openModel;
using nlohmann::json;

const std::vector<Index> kIds{1, 65, 77};

template <typename... Parts>
void expectNotOpened(const TempFolder& folder, Parts... parts) {
  expectUserError([&] { openModel(folder.path(), kBudgetBytes); }, parts...);
}

std::string onlyNote(const ModelPtr& model) {
  const auto sentences = model->notes().sentences();
  EXPECT_EQ(sentences.size(), 1U);
  return sentences.empty() ? std::string() : sentences.front();
}

constexpr const char* kPointer =
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707\n"
    "size 548105171\n";

// Files whose content does not match their names.

TEST(ModelFolders, AGitLfsPointerIsCalledThat) {
  for (const char* name : {"model.safetensors", "config.json", "model.safetensors.index.json"}) {
    SCOPED_TRACE(name);
    const TempFolder folder;
    ModelFolder("tiny-gpt2").writeConfig(folder);
    folder.file(name, kPointer);
    expectNotOpened(folder, name, "Git LFS pointer", "git lfs pull");
  }
}

TEST(ModelFolders, AnotherKindOfFileUnderTheWeightsNameIsCalledWhatItIs) {
  using namespace std::string_literals;
  const std::map<std::string, std::string> kinds{
      {"<!DOCTYPE html><html><head><title>Sign in</title>", "a web page"},
      {"  \n<html lang=\"en\"><body>Sign in to read this model", "a web page"},
      {"PK\x03\x04\x14\0\0\0\0\0 archive/data.pkl and more"s, "file of PyTorch"},
      {"\x80\x02}q\0(X\x05\0\0\0hello and more bytes"s, "file of PyTorch"},
      {"GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0 and more"s, "GGUF"},
      {"{\"error\": \"Access to model x/y is restricted\"}", "Access to model x/y"},
      {"Entry not found, and some more words about it", "Entry not found"}};
  for (const auto& [bytes, says] : kinds) {
    SCOPED_TRACE(bytes);
    const TempFolder folder;
    ModelFolder("tiny-gpt2").writeConfig(folder);
    folder.file("model.safetensors", bytes);
    expectNotOpened(folder, "model.safetensors is ", says);
  }
  const TempFolder folder;
  folder.file("config.json", "<!doctype html><html>");
  expectNotOpened(folder, "config.json is a web page", "download the file itself");
}

TEST(ModelFolders, ALinkThatLeadsNowhereSaysWhereTo) {
  for (const char* name : {"model.safetensors", "config.json"}) {
    const TempFolder folder;
    ModelFolder("tiny-gpt2").write(folder);
    std::filesystem::remove(folder / name);
    std::filesystem::create_symlink("../../blobs/248dfc39", folder / name);
    expectNotOpened(folder, name, "a link to ../../blobs/248dfc39", "does not exist");
  }
}

// Folders that hold something else.

TEST(ModelFolders, WithoutAConfigurationAreRecognisedByTheirFiles) {
  TempFolder gguf;
  gguf.file("model-q4_0.gguf", "GGUF");
  expectNotOpened(gguf, "model-q4_0.gguf", "not a usable GGUF file", "cut short");
  TempFolder lora;
  lora.file("adapter_config.json", R"({"peft_type": "LORA", "base_model_name_or_path": "gpt2"})");
  lora.file("adapter_model.safetensors", "x");
  expectNotOpened(lora, "adapter (LoRA) of gpt2", "--adapter FOLDER");
  TempFolder weights;
  weights.file("model.safetensors", "x");
  expectNotOpened(weights, "weights and no config.json");
  TempFolder cache;
  std::filesystem::create_directories(cache / "snapshots/0a1b");
  cache.file("snapshots/0a1b/config.json", "{}");
  expectNotOpened(cache, (std::filesystem::path("snapshots") / "0a1b").string(), "open ");
}

TEST(ModelFolders, WithoutReadableWeightsAreRecognisedByTheirFiles) {
  const std::map<std::string, std::string> files{{"tf_model.h5", "Keras"},
                                                 {"model.ckpt", "save_pretrained"},
                                                 {"model-q4_0.gguf", "GGUF"},
                                                 {"model-00001-of-00002.safetensors", "index"}};
  for (const auto& [name, says] : files) {
    const TempFolder folder;
    ModelFolder("tiny-gpt2").writeConfig(folder);
    folder.file(name, "x");
    expectNotOpened(folder, "neither model.safetensors", name, says);
  }
}

TEST(ModelFolders, TheOnlyWeightsMayHaveAnotherName) {
  const TempFolder folder;
  const ModelFolder m("tiny-gpt2");
  m.write(folder);
  std::filesystem::rename(folder / "model.safetensors", folder / "gpt2.safetensors");
  const ModelPtr model = openModel(folder.path(), kBudgetBytes);
  EXPECT_NE(onlyNote(model).find("gpt2.safetensors"), std::string::npos);
  EXPECT_EQ(logitsOf(model, kIds), logitsOf(opened(m), kIds));
  folder.file("gpt2.fp16.safetensors", "x");
  expectNotOpened(folder, "gpt2.fp16.safetensors, gpt2.safetensors", "rename the one to open");
}

TEST(ModelFolders, FilesThatAreNotReadAreSaid) {
  const TempFolder folder;
  ModelFolder("tiny-gpt2").write(folder);
  folder.file("model.safetensors.index.json", R"({"weight_map": {}})");
  EXPECT_NE(onlyNote(openModel(folder.path(), kBudgetBytes)).find("index.json"), std::string::npos);
  std::filesystem::remove(folder / "model.safetensors.index.json");
  folder.file("adapter_config.json", "{}");
  EXPECT_NE(onlyNote(openModel(folder.path(), kBudgetBytes)).find("adapter"), std::string::npos);
}

// Tensors.

TEST(ModelTensors, ThatTheModelDoesNotHaveAreNotedOrRefused) {
  ModelFolder m("tiny-llama");
  m.tensors["extra.weight"] = Tensor::zeros({2, 2});
  m.tensors["score.weight"] = Tensor::zeros({2, 32});  // for another task
  m.tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = Tensor::zeros({4});
  const ModelPtr model = opened(m);
  EXPECT_EQ(model->notes().unusedTensors, std::vector<std::string>{"extra.weight"});
  EXPECT_NE(onlyNote(model).find("extra.weight"), std::string::npos);
  expectUserError([&] { refuseNotes(model->notes(), "F"); }, "extra.weight", "--strict");

  const auto refused = [](const char* name, const Shape& shape, const auto&... parts) {
    ModelFolder with("tiny-llama");
    with.tensors[name] = Tensor::zeros(shape);
    expectUserError([&] { opened(with); }, name, parts...);
  };
  refused("lm_head.bias", {96}, "every logit");
  refused("lm_head.weight", {96, 32}, "differs from", "tie_word_embeddings");
  refused("model.extra.weight", {2}, "does not have");
  refused("model.layers.1.self_attn.sinks", {4}, "a learned sink");
  refused("base_model.model.lora_A.weight", {2, 32}, "merge_and_unload");
  refused("model.layers.0.mlp.up_proj.weight_scale", {1}, "quantized");
  // equal to the embedding: nothing is left out
  ModelFolder tied("tiny-llama");
  tied.tensors["lm_head.weight"] = tied.tensors.at("model.embed_tokens.weight");
  EXPECT_TRUE(opened(tied)->notes().empty());
}

TEST(ModelTensors, OfWholeNumbersAreOfAQuantizedModel) {
  const TempFolder folder;
  ModelFolder m("tiny-llama");
  m.writeConfig(folder);
  const char* const name = "model.layers.0.mlp.up_proj.weight";
  json header;
  std::string data;
  for (const auto& [each, tensor] : m.tensors) {
    const std::size_t begin = data.size();
    const std::size_t bytes = each == name ? 1 : 4;
    data.append(static_cast<std::size_t>(tensor.size()) * bytes, '\0');
    header[each] = {{"dtype", each == name ? "U8" : "F32"},
                    {"shape", std::vector<Index>(tensor.shape().begin(), tensor.shape().end())},
                    {"data_offsets", {begin, data.size()}}};
  }
  folder.file("model.safetensors", safetensorsBytes(header.dump(), 0) + data);
  expectNotOpened(folder, name, "U8", "quantized");
}

TEST(ModelTensors, NamesOfToolsAroundAModelArePassedOver) {
  const ModelFolder plain("tiny-gpt2");
  for (const char* wrapper : {"module.", "_orig_mod.", "model.", "module._orig_mod."}) {
    ModelFolder wrapped("tiny-gpt2");
    wrapped.tensors.clear();
    for (const auto& [name, tensor] : plain.tensors) wrapped.tensors[wrapper + name] = tensor;
    wrapped.tensors[std::string(wrapper) + "transformer.h.0.attn.bias"] =
        Tensor::zeros({1, 1, 64, 64});
    const ModelPtr model = opened(wrapped);
    EXPECT_EQ(logitsOf(model, kIds), logitsOf(opened(plain), kIds)) << wrapper;
    EXPECT_TRUE(model->notes().empty()) << wrapper;
  }
  ModelFolder part("tiny-llama");
  part.rename("model.", "language_model.model.");
  expectUserError([&] { opened(part); }, "language_model.model.", "larger model");
  ModelFolder other("tiny-bert");
  other.config["model_type"] = "roberta";
  expectUserError([&] { opened(other); }, "\"bert.\"", "\"roberta.\"", "another model");
}

/// A layer of Qwen3, which normalises queries and keys, loads alike by --prefix and within its
/// model.
TEST(ModelTensors, ALayerIsTheSameByItsPrefixAsInItsModel) {
  ModelFolder m("tiny-llama");
  m.config["model_type"] = "qwen3";
  m.config["rms_norm_eps"] = formats::kHeadNormEpsilon;
  for (const char* layer : {"model.layers.0.self_attn.", "model.layers.1.self_attn."}) {
    for (const char* norm : {"q_norm.weight", "k_norm.weight"}) {
      m.tensors[std::string(layer) + norm] =
          Tensor::fromValues({8}, std::vector<float>{1, -2, 3, 0.5F, 1.5F, -1, 2, 0.25F});
    }
  }
  const TempFolder folder;
  m.write(folder);
  const ModelPtr model = openModel(folder.path(), kBudgetBytes);
  const auto trace = runModel(makeModelDocument(model, {kIds, {}, {}}), nullptr, {}, kBudgetBytes);
  const DocumentPtr own = trace->documentOfLayer(1, kBudgetBytes);
  const auto loaded = formats::loadWeights(SafetensorsFile(folder / "model.safetensors"),
                                           "model.layers.1.self_attn.");
  Document before = *own;
  before.config.headNorm = {};
  const DocumentPtr after = apply(before,
                                  SetWeights{"layer", loaded.weights, loaded.bias,
                                             formats::headsOfNorm(loaded), 2, loaded.headNorm},
                                  kBudgetBytes)
                                .document;
  EXPECT_EQ(after->config, own->config);
  const auto weightsOf = [](const DocumentPtr& document) {
    return runAttention(document)->tensor(TensorId::weights).values();
  };
  EXPECT_EQ(weightsOf(after), weightsOf(own));
  EXPECT_NE(weightsOf(after), weightsOf(std::make_shared<const Document>(before)));
}

/// A decoder without a head opens where the saved class has none.
TEST(ModelTensors, ADecoderWithoutAHeadOpensWithoutPredictions) {
  ModelFolder whole("tiny-llama");
  whole.config["tie_word_embeddings"] = false;
  expectUserError([&] { opened(whole); }, "lm_head.weight", "download the whole model");
  ModelFolder alone = whole;
  alone.rename("model.", "");
  EXPECT_FALSE(opened(alone)->hasReadout());
  ModelFolder classifier = whole;
  classifier.config["architectures"] = {"LlamaForSequenceClassification"};
  classifier.tensors["score.weight"] = Tensor::zeros({2, 32});
  const ModelPtr model = opened(classifier);
  EXPECT_FALSE(model->hasReadout());
  EXPECT_TRUE(model->notes().empty());
  const auto trace = runModel(makeModelDocument(model, {kIds, {}, {}}), nullptr, {}, kBudgetBytes);
  EXPECT_EQ(trace->last().values(),
            runModel(makeModelDocument(opened(ModelFolder("tiny-llama")), {kIds, {}, {}}), nullptr,
                     {}, kBudgetBytes)
                ->last()
                .values());
}

TEST(ModelFamilies, XlmRobertaAgreesWithTransformers) {
  const ModelPtr model = openModel(modelData("xlm-roberta"), kBudgetBytes);
  EXPECT_EQ(model->config().typeName(), "xlm-roberta");
  EXPECT_TRUE(model->notes().empty());
  const SafetensorsFile expected(modelData("xlm-roberta") / "expected.safetensors");
  const json inputs = json::parse(readAll(modelData("xlm-roberta") / "inputs.json"));
  for (const auto& [number, input] : inputs.items()) {
    const auto ids = input.at("ids").get<std::vector<Index>>();
    const auto found = logitsOf(model, ids);
    const auto wanted = expected.read(number + ".logits").values();
    ASSERT_EQ(found.size(), wanted.size());
    double largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
      worst = std::max(worst, std::abs(static_cast<double>(found[i]) - wanted[i]));
    }
    EXPECT_LE(worst, 1e-5 * largest);
  }
  ModelFolder french("tiny-bert");
  french.config = json::parse(readAll(modelData("xlm-roberta") / "config.json"));
  french.config["model_type"] = "camembert";
  const SafetensorsFile weights(modelData("xlm-roberta") / "model.safetensors");
  french.tensors.clear();
  for (const std::string& name : weights.names()) french.tensors[name] = weights.read(name);
  EXPECT_EQ(logitsOf(opened(french), {5, 6, 7}), logitsOf(model, {5, 6, 7}));
}

}  // namespace
}  // namespace headscope::test::models
