// Encoder–decoder models: the switches that no golden has, and edits in both stacks. What all
// families have is tested with them.
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/model_edits.h"
#include "core/formats/model_tensors.h"
#include "core/formats/tokenizer_files.h"
#include "core/model/alignment.h"
#include "core/model/model_edits.h"
#include "core/model/patching.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using nlohmann::json;

const std::vector<Index> kSource{7, 3, 40, 12, 5, 9}, kTarget{5, 17, 40, 8, 66};

ModelTracePtr passOver(const ModelPtr& model, std::vector<Index> target = kTarget,
                       std::vector<Index> source = kSource) {
  return runModel(documentOf(model, std::move(target), std::move(source)), nullptr, {},
                  kBudgetBytes);
}

ModelFolder family(const std::string& name) { return ModelFolder("families/" + name); }

double mostApart(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0.0, size = 1e-30;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
    size = std::max(size, std::abs(double{b[i]}));
  }
  return most / size;
}
constexpr double kNear = 1e-5;

std::vector<float> times(std::vector<float> values, double factor) {
  for (float& x : values) x = static_cast<float>(factor * double{x});
  return values;
}

Tensor scaledBy(const Tensor& of, double factor) {
  return Tensor::fromValues(of.shape(), times(of.values(), factor));
}

TEST(T5, ADecoderWithoutBucketsForFarDistancesIsRefused) {
  ModelFolder m = family("t5");
  m.config["relative_attention_max_distance"] = 4;  // of 8 buckets, 4 are of single distances
  expectUserError([&] { opened(m); }, "relative_attention_max_distance", "above 4");
}

TEST(T5, ScalesItsOutputUnlessTheFileSaysOtherwise) {
  ModelFolder m = family("t5");
  const std::vector<float> scaled = logitsOf(opened(m), kTarget);
  m.config["scale_decoder_outputs"] = false;
  const std::vector<float> plain = logitsOf(opened(m), kTarget);
  EXPECT_LE(mostApart(times(plain, 1.0 / std::sqrt(32.0)), scaled), kNear);
  // older files have tie_word_embeddings alone, and a head of their own is not scaled
  m.config.erase("scale_decoder_outputs");
  EXPECT_EQ(logitsOf(opened(m), kTarget), scaled);
  m.config["tie_word_embeddings"] = false;
  m.tensors["lm_head.weight"] = scaledBy(m.tensors["shared.weight"], 3.0);
  EXPECT_LE(mostApart(logitsOf(opened(m), kTarget), times(plain, 3.0)), kNear);
  // mT5 has no such factor
  ModelFolder mt5 = family("t5");
  mt5.config["model_type"] = "mt5";
  EXPECT_EQ(logitsOf(opened(mt5), kTarget), plain);
  // files of transformers 5 say that the head is the embedding even where it is not
  m.config["tie_word_embeddings"] = true;
  m.config["scale_decoder_outputs"] = false;
  EXPECT_LE(mostApart(logitsOf(opened(m), kTarget), times(plain, 3.0)), kNear);
}

TEST(T5, ReadsTheNetworkThatItsFileNames) {
  ModelFolder m = family("t5");
  const auto activationOf = [&](const char* name) {
    m.config["feed_forward_proj"] = name;
    return opened(m)->config().activation;
  };
  EXPECT_EQ(activationOf("relu"), Activation::relu);
  EXPECT_EQ(activationOf("gelu"), Activation::geluErf);
  m.config["feed_forward_proj"] = "gated-gelu";
  expectUserError([&] { opened(m); }, "DenseReluDense.wi_0");
  const std::vector<std::pair<std::string, Tensor>> own(m.tensors.begin(), m.tensors.end());
  for (const auto& [name, tensor] : own) {
    const std::size_t at = name.find(".wi.weight");
    if (at == std::string::npos) continue;
    m.tensors[name.substr(0, at) + ".wi_0.weight"] = scaledBy(tensor, 0.5);
    m.tensors[name.substr(0, at) + ".wi_1.weight"] = tensor;
    m.tensors.erase(name);
  }
  EXPECT_EQ(activationOf("gated-gelu"), Activation::geluTanh);
  EXPECT_EQ(activationOf("gated-silu"), Activation::silu);
  EXPECT_EQ(activationOf("gated-relu"), Activation::relu);
  EXPECT_TRUE(opened(m)->config().gated);
  EXPECT_TRUE(opened(m)->encoder()->config().gated);
  expectUserError([&] { activationOf("gated-tanh"); }, "feed_forward_proj", "an activation");
}

TEST(T5, TheStacksMayDifferInDepth) {
  ModelFolder m = family("t5");
  m.config["num_decoder_layers"] = 1;
  const std::vector<std::pair<std::string, Tensor>> own(m.tensors.begin(), m.tensors.end());
  for (const auto& [name, tensor] : own) {
    if (name.starts_with("decoder.block.1.")) m.tensors.erase(name);
  }
  const ModelPtr model = opened(m);
  EXPECT_EQ(model->config().depth(), 1);
  EXPECT_EQ(model->config().layers, 2);
  EXPECT_EQ(model->encoder()->config().layers, 2);
  const ModelTracePtr trace = passOver(model), whole = passOver(opened(family("t5")));
  EXPECT_EQ(trace->hidden(4).values(), whole->hidden(4).values());
  m.config["num_decoder_layers"] = 3;
  expectUserError([&] { opened(m); }, "decoder.block.1.layer.0");
}

/// All layers of a stack add the bias of its first layer; UMT5 has one for each.
TEST(T5, TheBiasIsByDistance) {
  ModelFolder m = family("t5");
  const ModelPtr model = opened(m);
  const PairBias first = model->layer(0)->pairBias, second = model->layer(2)->pairBias;
  EXPECT_TRUE(first.on());
  EXPECT_EQ(first, second);
  EXPECT_FALSE(first.settings().bothWays);
  EXPECT_FALSE(model->layer(1)->pairBias.on());
  EXPECT_TRUE(model->encoder()->layer(1)->pairBias.settings().bothWays);
  const Tensor& table =
      m.tensors["encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"];
  const PairBias ofEncoder = model->encoder()->layer(0)->pairBias;
  EXPECT_EQ(ofEncoder.at(2, 3, 3), table.at({0, 2}));
  EXPECT_EQ(ofEncoder.at(2, 3, 2), table.at({1, 2}));
  EXPECT_EQ(ofEncoder.at(2, 3, 4), table.at({5, 2}));    // one later: behind the four earlier ones
  EXPECT_EQ(ofEncoder.at(1, 300, 0), table.at({3, 1}));  // far
  EXPECT_EQ(ofEncoder.at(1, 0, 65000), table.at({7, 1}));  // far, later
  m.config["model_type"] = "umt5";
  expectUserError([&] { opened(m); }, "block.1.layer.0.SelfAttention.relative_attention_bias");
}

TEST(Bart, TheStacksMayDifferInHeadsAndNetworks) {
  ModelFolder m = family("bart");
  m.config["decoder_attention_heads"] = 2;
  m.config["decoder_ffn_dim"] = 16;
  for (const char* layer : {"0", "1"}) {
    const std::string at = std::string("model.decoder.layers.") + layer;
    m.tensors[at + ".fc1.weight"] = m.tensors[at + ".fc1.weight"].slice(0, 0, 16).clone();
    m.tensors[at + ".fc1.bias"] = m.tensors[at + ".fc1.bias"].slice(0, 0, 16).clone();
    m.tensors[at + ".fc2.weight"] = m.tensors[at + ".fc2.weight"].slice(1, 0, 16).clone();
  }
  const ModelPtr model = opened(m);
  EXPECT_EQ(model->config().heads, 2);
  EXPECT_EQ(model->config().headDim, 16);
  EXPECT_EQ(model->encoder()->config().heads, 4);
  EXPECT_EQ(passOver(model)->layer(1)->tensor(TensorId::weights).shape(), (Shape{1, 2, 5, 6}));
  m.config["decoder_attention_heads"] = 3;
  expectUserError([&] { opened(m); }, "decoder_attention_heads");
}

TEST(Bart, AddsItsBiasToTheLogitsAndScalesItsEmbedding) {
  ModelFolder m = family("bart");
  const std::vector<float> before = logitsOf(opened(m), kTarget);
  Tensor bias = Tensor::zeros({1, 97});
  bias.mutableData()[40] = 2.5F;
  m.tensors["final_logits_bias"] = bias;
  const std::vector<float> after = logitsOf(opened(m), kTarget);
  EXPECT_NEAR(after[40] - before[40], 2.5F, 1e-5F);
  EXPECT_EQ(after[41], before[41]);
  m.tensors.erase("final_logits_bias");
  EXPECT_EQ(logitsOf(opened(m), kTarget), before);
  // an embedding times √d; the head reads the embedding without that factor
  m.config["scale_embedding"] = true;
  const std::vector<float> scaled = logitsOf(opened(m), kTarget);
  ModelFolder wide = family("bart");
  wide.config["tie_word_embeddings"] = false;
  wide.tensors["lm_head.weight"] = wide.tensors["model.shared.weight"];
  wide.tensors["model.shared.weight"] = scaledBy(wide.tensors["lm_head.weight"], std::sqrt(32.0));
  EXPECT_LE(mostApart(logitsOf(opened(wide), kTarget), scaled), kNear);
}

/// mBART and PEGASUS with networks and attentions that add nothing: the embedding behind its norm
/// (mBART), then the final one.
TEST(Bart, MBartAndPegasusNormaliseBeforeEachHalf) {
  for (const char* type : {"mbart", "pegasus"}) {
    SCOPED_TRACE(type);
    ModelFolder m = family("bart");
    m.config["model_type"] = type;
    for (const char* stack : {"model.encoder", "model.decoder"}) {
      for (const char* part : {".weight", ".bias"}) {
        const std::string own = stack + (std::string(".layernorm_embedding") + part);
        m.tensors[stack + (std::string(".layer_norm") + part)] = m.tensors[own];
        if (type == std::string("pegasus")) m.tensors.erase(own);
      }
      if (type == std::string("pegasus")) {
        m.tensors.erase(stack + std::string(".embed_positions.weight"));
      }
    }
    const std::vector<std::pair<std::string, Tensor>> own(m.tensors.begin(), m.tensors.end());
    for (const auto& [name, tensor] : own) {
      const bool adds =
          name.find("out_proj") != std::string::npos || name.find("fc2") != std::string::npos;
      if (adds) m.fill(name, 0.0F);
    }
    const ModelPtr model = opened(m);
    EXPECT_TRUE(model->config().preNorm);
    EXPECT_EQ(model->config().sinusoids, type == std::string("pegasus"));
    const ModelTracePtr trace = passOver(model);
    EXPECT_EQ(trace->hidden(8).values(), trace->hidden(0).values());
    EXPECT_NE(trace->last().values(), trace->hidden(8).values());
    EXPECT_TRUE(model->notes().empty()) << model->notes().sentences().front();
  }
}

TEST(Marian, PositionsAreSinesThenCosines) {
  ModelFolder m = family("marian");
  m.tensors.erase("model.encoder.embed_positions.weight");
  m.tensors.erase("model.decoder.embed_positions.weight");
  const ModelPtr model = opened(m);
  for (const ModelPtr& stack : {model, model->encoder()}) {
    const Tensor positions = stack->embedding()->positions;
    ASSERT_EQ(positions.shape(), (Shape{64, 32}));
    for (const Index row : {0, 1, 17}) {
      for (Index j = 0; j < 16; ++j) {
        const double angle =
            static_cast<double>(row) / std::pow(10000.0, static_cast<double>(j) / 16.0);
        EXPECT_NEAR(positions.at({row, j}), std::sin(angle), 1e-6);
        EXPECT_NEAR(positions.at({row, j + 16}), std::cos(angle), 1e-6);
      }
    }
  }
}

TEST(Marian, VocabulariesMayBeSeparate) {
  ModelFolder m = family("marian");
  const std::vector<float> shared = logitsOf(opened(m), {5, 17, 40});
  m.config["share_encoder_decoder_embeddings"] = false;
  m.config["decoder_vocab_size"] = 50;
  m.config["decoder_start_token_id"] = 49;
  m.config["pad_token_id"] = 96;
  const Tensor embedding = m.tensors["model.shared.weight"];
  m.tensors.erase("model.shared.weight");
  m.tensors["model.encoder.embed_tokens.weight"] = embedding;
  m.tensors["model.decoder.embed_tokens.weight"] = embedding.slice(0, 0, 50).clone();
  m.tensors["final_logits_bias"] = Tensor::zeros({1, 50});
  const ModelPtr model = opened(m);
  EXPECT_EQ(model->config().vocabulary, 50);
  EXPECT_EQ(model->encoder()->config().vocabulary, 97);
  const std::vector<float> own = logitsOf(model, {5, 17, 40});
  ASSERT_EQ(own.size(), 150U);
  for (std::size_t i = 0; i < own.size(); ++i) {
    EXPECT_NEAR(own[i], shared[i / 50 * 97 + i % 50], 1e-5F) << i;
  }
  expectUserError([&] { documentOf(model, {60}); }, "id 60", "0 to 49");
}

/// Files may hold the embedding under all its names, and T5's an unused table.
TEST(EncoderDecoder, WhatAFileRepeatsIsPassedOver) {
  ModelFolder t5 = family("t5");
  const Tensor embedding = t5.tensors["shared.weight"];
  for (const char* name : {"encoder.embed_tokens.weight", "decoder.embed_tokens.weight"}) {
    t5.tensors[name] = embedding;
  }
  t5.tensors["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"] =
      Tensor::zeros({8, 4});
  const ModelPtr model = opened(t5);
  EXPECT_TRUE(model->notes().empty());
  EXPECT_EQ(model->parameters(), opened(family("t5"))->parameters());
  ModelFolder bart = family("bart");
  bart.tensors["lm_head.weight"] = bart.tensors["model.shared.weight"];
  EXPECT_EQ(logitsOf(opened(bart), kTarget), logitsOf(opened(family("bart")), kTarget));
  bart.tensors["model.decoder.embed_tokens.weight"] =
      scaledBy(bart.tensors["model.shared.weight"], 2.0);
  expectUserError([&] { opened(bart); }, "model.decoder.embed_tokens.weight", "differs");
}

/// Without the embedding under its shared name, the stacks have their own.
TEST(EncoderDecoder, TheEmbeddingMayStandUnderTheNamesOfTheStacks) {
  ModelFolder t5 = family("t5");
  const std::vector<float> before = logitsOf(opened(t5), kTarget);
  const Tensor embedding = t5.tensors["shared.weight"];
  t5.tensors.erase("shared.weight");
  t5.tensors["decoder.embed_tokens.weight"] = embedding;
  EXPECT_EQ(logitsOf(opened(t5), kTarget), before);
  t5.tensors["encoder.embed_tokens.weight"] = embedding;
  EXPECT_EQ(logitsOf(opened(t5), kTarget), before);
  t5.tensors["encoder.embed_tokens.weight"] = scaledBy(embedding, 2.0);
  EXPECT_NE(logitsOf(opened(t5), kTarget), before);
  t5.tensors.erase("decoder.embed_tokens.weight");
  expectUserError([&] { opened(t5); }, "shared.weight");
}

/// A folder of an encoder alone opens as one stack with the states of the whole model's encoder.
TEST(EncoderDecoder, AnEncoderSavedAloneIsAModelOfOneStack) {
  ModelFolder whole = family("t5"), m = family("t5");
  const std::vector<float> states = passOver(opened(whole))->document().memory->last().values();
  m.config["architectures"] = {"T5EncoderModel"};
  m.config["is_encoder_decoder"] = false;
  std::erase_if(m.tensors, [](const auto& each) { return each.first.starts_with("decoder."); });
  for (const bool shared : {true, false}) {
    if (!shared) {
      m.tensors["encoder.embed_tokens.weight"] = m.tensors["shared.weight"];
      m.tensors.erase("shared.weight");
    }
    const ModelPtr model = opened(m);
    EXPECT_EQ(model->encoder(), nullptr);
    EXPECT_FALSE(model->hasReadout());
    EXPECT_FALSE(model->config().causal);
    EXPECT_TRUE(model->notes().empty());
    const auto trace =
        runModel(makeModelDocument(model, {kSource, {}, {}}), nullptr, {}, kBudgetBytes);
    EXPECT_EQ(trace->last().values(), states);
  }
}

TEST(EncoderDecoder, TheDecoderNeedsASource) {
  const ModelPtr model = opened(family("bart"));
  expectUserError([&] { makeModelDocument(model, {kTarget, {}, {}}); }, "source text");
  const ModelPtr other = opened(family("bart"));
  const auto memory =
      runModel(makeModelDocument(other->encoder(), {kSource, {}, {}}), nullptr, {}, kBudgetBytes);
  expectUserError([&] { makeModelDocument(model, {kTarget, {}, {}}, memory); }, "source text");
}

/// An edit in the encoder runs all of the cross-attention again, and nothing before it.
TEST(EncoderDecoder, AnotherMemoryRunsTheDecoderFromItsFirstCrossAttentionOn) {
  const ModelPtr model = opened(family("t5"));
  const ModelTracePtr before = passOver(model);
  const ModelTracePtr memory =
      runModel(withoutHeads(before->document().memory->document(), {{1, 2}}),
               before->document().memory, {}, kBudgetBytes);
  const auto document = withMemory(before->document(), memory);
  const ModelTracePtr after = runModel(document, before, {}, kBudgetBytes);
  EXPECT_EQ(after->layersRun(), 3);
  EXPECT_EQ(after->layer(0), before->layer(0));
  EXPECT_NE(after->last().values(), before->last().values());
  const ModelTracePtr fresh = runModel(document, nullptr, {}, kBudgetBytes);
  EXPECT_EQ(after->last().values(), fresh->last().values());
  // the same memory once more runs nothing
  EXPECT_EQ(runModel(withMemory(*document, memory), after, {}, kBudgetBytes)->layersRun(), 0);
}

/// Edits of a cross-attention stay with another source, as far as they fit.
TEST(EncoderDecoder, EditsFollowASourceOfAnotherLength) {
  const ModelPtr model = opened(family("t5"));
  const ModelTracePtr trace = passOver(model);
  Document edited = *trace->layer(3)->documentPtr();
  edited.config.switches->temperature = 2.0;
  edited.pins = Pins::from(
      {{{TensorId::weights, 0, 1, 2, 1}, 0.5F}, {{TensorId::weights, 0, 1, 2, 5}, 0.25F}});
  const auto document = withLayer(trace->document(), 3, edited);
  const auto shorter = runModel(makeModelDocument(model->encoder(), {{7, 3, 40}, {}, {}}), nullptr,
                                {}, kBudgetBytes);
  const ModelTracePtr after = runModel(withMemory(*document, shorter), nullptr, {}, kBudgetBytes);
  EXPECT_TRUE(isEdited(after->document(), 3));
  EXPECT_FALSE(isEdited(*withLayer(trace->document(), 3, *trace->layer(3)->documentPtr()), 3));
  const Document& now = after->layer(3)->document();
  EXPECT_EQ(now.config.memoryLen, 3);
  EXPECT_EQ(now.config.switches->temperature, 2.0);
  EXPECT_EQ(now.pins.all().size(), 1U);
  EXPECT_EQ(now.input->memoryTokens.front(), (std::vector<std::string>{"7", "3", "40"}));
  expectUserError([&] { withLayer(after->document(), 3, edited); }, "keeps its size");
}

/// A patched run gives what an edit of the pass gives, also within the cross-attention.
TEST(EncoderDecoder, PatchedRunsAgreeWithEditedPasses) {
  const ModelTracePtr base = passOver(opened(family("t5")));
  const AskedWord asked{base->tokens() - 1, 11, Index{23}};
  std::vector<Patch> patches;
  for (Index layer = 0; layer < base->layers(); ++layer) {
    patches.push_back({Site::heads, layer, 1, Patch::kEveryPlace, Tensor::zeros({5, 8})});
  }
  patches.push_back({Site::k, 1, 2, Patch::kEveryPlace, Tensor::zeros({6, 8})});
  PatchedRuns runs(base, patches, asked, {});
  while (!runs.runUnit()) continue;
  for (Index layer = 0; layer < base->layers(); ++layer) {
    const auto off =
        runModel(withoutHeads(base->document(), {{layer, 1}}), nullptr, {}, kBudgetBytes);
    const Tensor logits = off->logits(asked.row, 1);
    EXPECT_NEAR(runs.effects()[static_cast<std::size_t>(layer)].metric,
                double{logits.data()[11]} - double{logits.data()[23]}, 1e-5)
        << layer;
  }
  EXPECT_NE(runs.effects().back().metric, runs.base().metric);
}

TEST(Alignment, JoinsTheTokensOfWordsAndAveragesHeads) {
  const auto tokenizer = formats::openTokenizer(modelData("tiny-gpt2"));
  std::vector<Index> ids;
  for (const auto& token : tokenizer->encode("The cats sat")) ids.push_back(token.id);
  const std::vector<WordOfText> words = wordsOf(ids, tokenizer.get());
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[1].text, "cats");
  EXPECT_EQ(words[0].begin, 0);
  EXPECT_EQ(words[1].begin, words[0].end);
  EXPECT_EQ(words[2].end, std::ssize(ids));
  EXPECT_GT(std::ssize(ids), 3);  // some word is of several tokens

  const ModelTracePtr trace = passOver(opened(family("t5")));
  const std::vector<WordOfText> target{{0, 2, "a"}, {2, 5, "b"}}, source{{0, 1, "c"}, {1, 6, "d"}};
  const std::vector<HeadOfLayer> all = crossHeads(trace->config(), -1);
  EXPECT_EQ(all.size(), 8U);
  EXPECT_EQ(crossHeads(trace->config(), 3),
            (std::vector<HeadOfLayer>{{3, 0}, {3, 1}, {3, 2}, {3, 3}}));
  const Matrix64 found = alignmentOf(*trace, all, target, source, AlignedRows::read);
  double expected = 0.0;
  for (const HeadOfLayer& head : all) {
    const Tensor weights = trace->layer(head.layer)->materialise(TensorId::weights);
    for (Index token = 2; token < 5; ++token) expected += weights.at({0, head.head, token, 0});
  }
  EXPECT_NEAR(found(1, 0), expected / (8.0 * 3.0), 1e-6);
  // tokens 2, 3 and 4 are predicted by rows 1, 2 and 3, and token 0 by none
  const Matrix64 written = alignmentOf(*trace, all, target, source);
  double before = 0.0;
  for (const HeadOfLayer& head : all) {
    const Tensor weights = trace->layer(head.layer)->materialise(TensorId::weights);
    for (Index token = 1; token < 4; ++token) before += weights.at({0, head.head, token, 0});
  }
  EXPECT_NEAR(written(1, 0), before / (8.0 * 3.0), 1e-6);
  EXPECT_GT(std::abs(written(1, 0) - found(1, 0)), 1e-4);
  const Matrix64 first = alignmentOf(*trace, all, {{0, 1, "a"}}, source);
  EXPECT_EQ(first(0, 0), 0.0);
  for (Index row = 0; row < 2; ++row) EXPECT_NEAR(found(row, 0) + found(row, 1), 1.0, 1e-5);
  expectUserError([&] { alignmentOf(*trace, {{0, 1}}, target, source); }, "self-attention");
  expectUserError([&] { alignmentOf(*trace, {}, target, source); }, "no heads");
}

/// The file has the names that transformers gives.
TEST(EncoderDecoder, ATraceHasTheTensorsOfBothStacks) {
  const ModelTracePtr trace = passOver(opened(family("bart")));
  const TempFolder folder;
  formats::saveTrace(folder / "trace.safetensors", *trace);
  const SafetensorsFile file(folder / "trace.safetensors");
  EXPECT_EQ(file.names(), (std::vector<std::string>{"cross_attentions", "decoder_attentions",
                                                    "decoder_hidden_states", "encoder_attentions",
                                                    "encoder_hidden_states", "logits"}));
  EXPECT_EQ(file.shape("cross_attentions"), (Shape{2, 4, 5, 6}));
  EXPECT_EQ(file.shape("decoder_attentions"), (Shape{2, 4, 5, 5}));
  EXPECT_EQ(file.shape("encoder_hidden_states"), (Shape{3, 6, 32}));
  EXPECT_EQ(file.read("decoder_hidden_states").slice(0, 1, 2).clone().values(),
            trace->hidden(4).values());
  EXPECT_EQ(file.read("cross_attentions").slice(0, 1, 2).clone().values(),
            trace->layer(3)->materialise(TensorId::weights).values());
}

}  // namespace
}  // namespace headscope::test::models
