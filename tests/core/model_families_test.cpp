// The families of models: a small model of each against what transformers computes in float64, and
// what holds of every model: generation, heads that are off, one layer by itself, and readings.
#include <gtest/gtest.h>

#include <cmath>

#include "core/attention/config.h"
#include "core/attention/mistakes.h"
#include "core/attention/switches.h"
#include "core/document/attention.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "core/formats/document_json.h"
#include "core/formats/families/family.h"
#include "core/formats/model_tensors.h"
#include "core/model/generation.h"
#include "core/model/head_output.h"
#include "core/model/logit_lens.h"
#include "core/model/logit_parts.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using nlohmann::json;

const std::vector<std::string> kModels{
    "albert",        "bart",        "marian",        "t5",         "bloom",     "clip_text_model",
    "cohere",        "deberta-v2",  "deepseek_v3",   "electra",    "falcon",    "gemma",
    "gemma2",        "gemma3_text", "glm4",          "gpt_neo",    "gpt_neox",  "gpt_oss",
    "gptj",          "granite",     "llama_dynamic", "llama_yarn", "mixtral",   "modernbert",
    "mpt",           "olmo",        "olmo2",         "opt",        "phi",       "phi3",
    "phi3_longrope", "qwen3_moe",   "smollm3",       "stablelm",   "starcoder2"};

ModelTracePtr passOf(const ModelDocumentPtr& document, const ModelTracePtr& before = nullptr) {
  return runModel(document, before, {}, kBudgetBytes);
}

class OfFamily : public testing::TestWithParam<std::string> {
 protected:
  std::filesystem::path folder() const {
    const auto family = modelData("families") / GetParam();
    return std::filesystem::exists(family) ? family : modelData("other_sizes") / GetParam();
  }
  ModelPtr model() const { return formats::openModel(folder(), kBudgetBytes); }
  json inputs() const { return json::parse(readAll(folder() / "inputs.json")); }
  /// The tokens that the model, or the decoder of one with two stacks, reads.
  std::vector<Index> ids(const char* which) const {
    const json input = inputs().at(which);
    return input.at(input.contains("decoder_ids") ? "decoder_ids" : "ids")
        .get<std::vector<Index>>();
  }
  std::vector<Index> source(const char* which) const {
    return inputs().at(which).at("ids").get<std::vector<Index>>();
  }
  ModelTracePtr pass(const char* which) const {
    return passOf(documentOf(model(), ids(which), source(which)));
  }
  /// Compares the passes with the folder's expected.safetensors.
  void expectGolden() const;
};
INSTANTIATE_TEST_SUITE_P(Models, OfFamily, testing::ValuesIn(kModels), [](const auto& each) {
  std::string name = each.param;
  std::erase(name, '-');
  return name;
});

void OfFamily::expectGolden() const {
  const SafetensorsFile expected(folder() / "expected.safetensors");
  for (const char* which : {"0", "1"}) {
    const ModelTracePtr trace = pass(which);
    const auto expect = [&](const std::string& name, const std::vector<float>& values) {
      const std::string tensor = which + ("." + name);
      EXPECT_LE(differenceFromGolden(values, expected.read(tensor).values()), kGoldenRounding)
          << tensor;
    };
    const auto append = [](std::vector<float>& to, const Tensor& part) {
      const std::vector<float> values = part.values();
      to.insert(to.end(), values.begin(), values.end());
    };
    const auto expectStack = [&](const ModelTrace& stack, const std::string& prefix) {
      std::vector<float> attentions, cross, states;
      for (Index layer = 0; layer < stack.layers(); ++layer) {
        append(stack.config().readsMemory(layer) ? cross : attentions,
               stack.layer(layer)->materialise(TensorId::weights));
      }
      for (Index depth = 0; depth <= stack.config().depth(); ++depth) {
        append(states, stack.hiddenState(depth));
      }
      expect(prefix + "attentions", attentions);
      expect(prefix + "hidden_states", states);
      if (!cross.empty()) expect("cross_attentions", cross);
    };
    const ModelTracePtr& memory = trace->document().memory;
    if (memory != nullptr) expectStack(*memory, "encoder_");
    expectStack(*trace, memory != nullptr ? "decoder_" : "");
    if (trace->document().model->hasReadout()) {
      expect("logits", trace->logits(0, trace->tokens()).values());
    } else {
      expect("last_hidden_state", trace->last().values());
    }
  }
}

TEST_P(OfFamily, AgreesWithTransformers) { expectGolden(); }

/// Models of families above with other sizes and switches.
class OfOtherSizes : public OfFamily {};
INSTANTIATE_TEST_SUITE_P(Models, OfOtherSizes,
                         testing::Values("marian_separate", "mbart", "mt5", "pegasus", "umt5"),
                         [](const auto& each) { return each.param; });

TEST_P(OfOtherSizes, AgreesWithTransformers) { expectGolden(); }

/// transformers wrote these files: every field and tensor has a place here.
TEST_P(OfFamily, LeavesNothingOfTheFilesOut) {
  const ModelPtr own = model();
  EXPECT_TRUE(own->notes().empty()) << own->notes().sentences().front();
  const auto& config = json::parse(readAll(folder() / "config.json"));
  EXPECT_NE(formats::familyOf(config.at("model_type").get<std::string>()), nullptr);
}

TEST_P(OfFamily, ContinuesATextAsAPassOverAllOfIt) {
  const ModelPtr own = model();
  if (!own->hasReadout() || !own->config().causal) {
    EXPECT_EQ(whyNoGeneration(*own).empty(), own->config().causal);
    return;
  }
  const std::vector<Index> all = ids("1");
  const auto first = [&](std::size_t count) {
    return passOf(documentOf(own, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)}));
  };
  constexpr std::size_t kBegun = 3;
  Decoder decoder(first(kBegun), std::ssize(all));
  for (std::size_t next = kBegun; next < all.size(); ++next) {
    ASSERT_TRUE(decoder.feed(all[next], {}));
    const std::vector<float> whole = first(next + 1)->logits(static_cast<Index>(next), 1).values();
    EXPECT_LE(differenceFromGolden(decoder.logits(), whole), kGoldenRounding) << next;
  }
}

TEST_P(OfFamily, AHeadThatIsOffGivesWhatOneWithoutOutputGives) {
  const ModelTracePtr trace = pass("0");
  const HeadOfLayer head{1, 2};
  const Tensor zeros = Tensor::zeros({trace->tokens(), trace->config().headDim});
  const ModelTracePtr off = passOf(withoutHeads(trace->document(), {head}), trace);
  const ModelTracePtr silent = passOf(withHeadOutput(*trace, head, zeros), trace);
  EXPECT_EQ(off->last().values(), silent->last().values());
  EXPECT_NE(off->last().values(), trace->last().values());
  EXPECT_EQ(off->hidden(2).values(), trace->hidden(2).values());
}

TEST_P(OfFamily, ALayerByItselfIsThatOfThePass) {
  const ModelTracePtr trace = pass("1");
  for (Index layer = 0; layer < trace->layers(); ++layer) {
    const DocumentPtr document = trace->documentOfLayer(layer, kBudgetBytes);
    const TracePtr alone = runAttention(document);
    EXPECT_EQ(alone->tensor(TensorId::weights).values(),
              trace->layer(layer)->materialise(TensorId::weights).values());
    EXPECT_EQ(alone->tensor(TensorId::output).values(),
              trace->layer(layer)->tensor(TensorId::output).values());
    const std::string file = "a session";
    const Json saved = formats::wholeConfigJson(document->config);
    EXPECT_EQ(formats::wholeConfigFrom(JsonField(saved, file), kBudgetBytes), document->config);
    // put back unchanged, it changes nothing
    const ModelTracePtr again = passOf(withLayer(trace->document(), layer, *document));
    EXPECT_EQ(again->last().values(), trace->last().values());
  }
}

TEST_P(OfFamily, ReadingsAgreeWithThePrediction) {
  const ModelTracePtr trace = pass("0");
  if (!trace->document().model->hasReadout()) {
    expectUserError([&] { logitLens(*trace, 3, 5, {}); }, "no language-model head");
    return;
  }
  const TokenProbability says = trace->predictions(3, 1).front();
  const auto lens = logitLens(*trace, 3, says.id, {}).value();
  EXPECT_EQ(lens.back().best.id, says.id);
  EXPECT_NEAR(lens.back().best.probability, says.probability, 1e-6);
  const LogitParts parts = logitParts(*trace, 3, says.id, Index{5}, {}).value();
  double largest = 0.0;
  for (const WrittenPart& part : parts.parts) largest = std::max(largest, std::abs(part.value));
  EXPECT_NEAR(parts.sum, parts.logit, kGoldenRounding * largest);
  const auto replaced = replaceHead(trace, {1, 0}, meanOfRows(headOutput(*trace, {1, 0})), 3,
                                    says.id, std::nullopt, {});
  ASSERT_TRUE(replaced);
  EXPECT_TRUE(std::isfinite(replaced->direct.value()));
}

TEST(ModelFamilies, EveryTokenGoesToItsExperts) {
  for (const char* name : {"mixtral", "qwen3_moe", "gpt_oss", "deepseek_v3"}) {
    const ModelPtr model = formats::openModel(modelData("families") / name, kBudgetBytes);
    const auto trace = passOf(makeModelDocument(model, {{1, 2, 3, 4, 5}, {}, {}}));
    const Experts& e = model->config().experts;
    for (Index layer = 0; layer < trace->layers(); ++layer) {
      const auto experts = trace->experts(layer);
      if (!e.at(layer)) {
        EXPECT_TRUE(experts.empty()) << name;
        continue;
      }
      ASSERT_EQ(experts.size(), 5U) << name;
      for (const auto& ofToken : experts) {
        ASSERT_EQ(std::ssize(ofToken), e.perToken);
        double total = 0.0;
        for (const ChosenExpert& each : ofToken) {
          EXPECT_GE(each.expert, 0);
          EXPECT_LT(each.expert, e.count);
          total += each.weight;
        }
        EXPECT_NE(ofToken[0].expert, ofToken[1].expert);
        EXPECT_NEAR(total, e.factor, 1e-9) << name;
      }
    }
  }
}

/// ÷√d_k left out is a mistake only where the model has it; a factor of its own is none.
TEST(ModelFamilies, ALayerAsItsModelHasItMakesNoMistake) {
  for (const std::string& name : kModels) {
    const ModelPtr model = formats::openModel(modelData("families") / name, kBudgetBytes);
    const AttentionConfig own = model->config().attention(0, 4);
    EXPECT_TRUE(mistakesOn(own).empty()) << name;
    EXPECT_EQ(withoutMistakes(own), own) << name;
    AttentionConfig changed = own;
    changed.switches->scale = false;
    const bool scaled = name != "gpt_neo" && name != "t5";
    EXPECT_EQ(isOn(changed, Mistake::noScale), scaled) << name;
    EXPECT_EQ(whyNoMistake(own, Mistake::noScale).empty(), scaled) << name;
  }
}

/// A folder of tests/data/families with one field changed.
ModelFolder withField(const char* name, const char* field, const json& value) {
  ModelFolder m("families/" + std::string(name));
  m.config[field] = value;
  return m;
}

TEST(ModelFamilies, MathematicsThatAFamilyMayHaveAndThatIsNotThereIsRefusedByName) {
  const auto refused = [](const char* name, const char* field, const json& value,
                          const char* says) {
    SCOPED_TRACE(name);
    expectUserError([&] { opened(withField(name, field, value)); }, "config.json", field, says);
  };
  refused("falcon", "alibi", true, "ALiBi");
  refused("bloom", "apply_residual_connection_post_layernorm", true, "goes through the norms");
  refused("phi", "qk_layernorm", true, "norms of queries and keys");
  refused("gemma", "use_bidirectional_attention", true, "attention to later tokens");
  refused("albert", "inner_group_num", 2, "several layers");
  refused("deepseek_v3", "topk_method", "greedy", "another choice of experts");
  refused("deberta-v2", "conv_kernel_size", 3, "a convolution");
  refused("mpt", "attn_config", {{"alibi", false}}, "learned positions");
  refused("mpt", "attn_config", {{"clip_qkv", 6.0}}, "clipped");
  refused("gpt_oss", "layer_types", {"chunked_attention", "full_attention"}, "layer_types");
  refused("olmo", "clip_qkv", 8.0, "clipped");
  refused("gpt_neo", "attention_layers", {"global", "odd"}, "global and local");
  refused("gpt_neo", "attention_layers", {"global"}, "layers");
  refused("smollm3", "no_rope_layers", {1}, "for each layer");
  refused("phi3_longrope", "rope_parameters",
          {{"rope_type", "longrope"}, {"short_factor", {1.0}}, {"long_factor", {1.0}}}, "pairs");
}

/// Fields as the published files of these families have them, without effect on a pass.
TEST(ModelFamilies, PublishedFilesOpenWithoutNotes) {
  struct Published {
    const char* name;
    json fields;
  };
  const std::vector<Published> all{
      {"gpt_neox", {{"rotary_emb_base", 10000}, {"rotary_pct", 0.25}}},
      {"gptj", {{"rotary", true}, {"scale_attn_weights", true}}},
      {"gemma", {{"hidden_act", "gelu"}, {"hidden_activation", nullptr}}},
      {"gemma2", {{"hidden_act", "gelu_pytorch_tanh"}, {"cache_implementation", "hybrid"}}},
      {"gemma3_text", {{"rope_local_base_freq", 10000.0}, {"rope_scaling", nullptr}}},
      {"falcon", {{"apply_residual_connection_post_layernorm", false}}},
      {"bloom",
       {{"n_inner", nullptr},
        {"offset_alibi", 100},
        {"skip_bias_add", true},
        {"seq_length", 2048}}},
      {"phi3", {{"attention_bias", false}, {"rope_scaling", nullptr}}},
      {"albert", {{"down_scale_factor", 1}, {"gap_size", 0}, {"net_structure_type", 0}}},
      {"modernbert", {{"position_embedding_type", "absolute"}, {"layer_norm_eps", 1e-5}}},
      {"starcoder2", {{"mlp_type", "default"}, {"norm_type", "layer_norm"}}},
      {"deepseek_v3", {{"aux_loss_alpha", 0.001}, {"scoring_func", "sigmoid"}, {"ep_size", 1}}},
      {"deberta-v2", {{"pos_att_type", "p2c|c2p"}}},
      {"opt", {{"prefix", "</s>"}, {"activation_dropout", 0.0}}}};
  const std::vector<Index> ids{5, 17, 40, 8, 66, 2};
  for (const Published& each : all) {
    SCOPED_TRACE(each.name);
    ModelFolder m("families/" + std::string(each.name));
    const std::vector<float> before = logitsOf(opened(m), ids);
    m.config.update(each.fields);
    const ModelPtr model = opened(m);
    EXPECT_TRUE(model->notes().empty()) << model->notes().sentences().front();
    EXPECT_EQ(logitsOf(model, ids), before);
  }
}

/// StableLM 2 12B has a norm of its own for each head's queries and keys.
TEST(ModelFamilies, NormsOfHeadsMayEachHaveATensor) {
  ModelFolder m = withField("stablelm", "qk_layernorm", true);
  std::vector<float> queries, keys;
  const auto add = [&](const char* kind, Index heads, std::vector<float>& all) {
    for (Index layer = 0; layer < 2; ++layer) {
      for (Index head = 0; head < heads; ++head) {
        std::vector<float> gains;
        for (Index j = 0; j < 8; ++j) gains.push_back(0.5F + 0.1F * static_cast<float>(head + j));
        if (layer == 1) all.insert(all.end(), gains.begin(), gains.end());
        m.tensors["model.layers." + std::to_string(layer) + ".self_attn." + kind +
                  "_layernorm.norms." + std::to_string(head) + ".weight"] =
            Tensor::fromValues({8}, gains);
      }
    }
  };
  add("q", 4, queries);
  add("k", 2, keys);
  const HeadNorm norm = opened(m)->layer(1)->headNorm;
  EXPECT_EQ(norm, HeadNorm(queries, keys, 1e-5, HeadNorm::Over::head, HeadNorm::Kind::layer));
  EXPECT_NE(logitsOf(opened(m), {5, 17}),
            logitsOf(opened(ModelFolder("families/stablelm")), {5, 17}));
}

Tensor product(const Tensor& a, const Tensor& b) {  // (n, k) · (k, m)
  Tensor c = Tensor::zeros({a.dim(0), b.dim(1)});
  for (Index i = 0; i < a.dim(0); ++i) {
    for (Index j = 0; j < b.dim(1); ++j) {
      double sum = 0.0;
      for (Index k = 0; k < a.dim(1); ++k) sum += double{a.at({i, k})} * double{b.at({k, j})};
      c.mutableData()[i * b.dim(1) + j] = static_cast<float>(sum);
    }
  }
  return c;
}

/// An OPT with a narrower embedding, and the wide one with the same products written out.
TEST(ModelFamilies, AnOptWithANarrowEmbeddingIsAWideOneWithTheProductsOfItsProjections) {
  const auto drawn = [](Shape shape, std::uint64_t seed) {
    return randomTensor(std::move(shape), seed, "projection", 0.3F);
  };
  ModelFolder narrow("families/opt");
  const Tensor tokens = drawn({97, 16}, 1), in = drawn({32, 16}, 2), out = drawn({16, 32}, 3);
  narrow.config["word_embed_proj_dim"] = 16;
  narrow.tensors["model.decoder.embed_tokens.weight"] = tokens;
  narrow.tensors["model.decoder.project_in.weight"] = in;
  narrow.tensors["model.decoder.project_out.weight"] = out;
  ModelFolder wide("families/opt");
  Tensor turned = Tensor::uninitialised({16, 32});
  for (Index i = 0; i < 32; ++i) {
    for (Index j = 0; j < 16; ++j) turned.mutableData()[j * 32 + i] = in.at({i, j});
  }
  wide.tensors["model.decoder.embed_tokens.weight"] = product(tokens, turned);
  wide.tensors["lm_head.weight"] = product(tokens, out);
  wide.config["tie_word_embeddings"] = false;
  const std::vector<Index> ids{5, 17, 40, 8, 66};
  const ModelPtr model = opened(narrow);
  EXPECT_LE(differenceFromGolden(logitsOf(model, ids), logitsOf(opened(wide), ids)),
            kGoldenRounding);

  // the last hidden state of the file is behind the projection, as in transformers
  const auto trace = passOf(makeModelDocument(model, {ids, {}, {}}));
  const TempFolder folder;
  formats::saveTrace(folder / "trace.safetensors", *trace);
  const SafetensorsFile file(folder / "trace.safetensors");
  EXPECT_FALSE(file.has("hidden_states"));
  EXPECT_EQ(file.shape("hidden_states.0"), (Shape{5, 32}));
  ASSERT_EQ(file.shape("hidden_states.2"), (Shape{5, 16}));
  const Tensor decoded = product(file.read("hidden_states.2"), [&] {
    Tensor columns = Tensor::uninitialised({16, 97});
    for (Index i = 0; i < 97; ++i) {
      for (Index j = 0; j < 16; ++j) columns.mutableData()[j * 97 + i] = tokens.at({i, j});
    }
    return columns;
  }());
  EXPECT_LE(differenceFromGolden(decoded.values(), file.read("logits").values()), kGoldenRounding);
}

/// Switches that no golden has, against the same model written with the other switch.
TEST(ModelFamilies, SwitchesOfAFamilyDoWhatTheyName) {
  const std::vector<Index> ids{5, 17, 40, 8, 66};
  const auto logits = [&](const ModelFolder& m) { return logitsOf(opened(m), ids); };
  const auto near = [](const std::vector<float>& a, const std::vector<float>& b) {
    return differenceFromGolden(a, b) <= kGoldenRounding;
  };
  // one half after the other
  ModelFolder neox("families/gpt_neox");
  ModelFolder sequential = withField("gpt_neox", "use_parallel_residual", false);
  EXPECT_FALSE(near(logits(sequential), logits(neox)));
  // factors of the embedding, the residuals and the logits that are 1 are no factors
  ModelFolder granite("families/granite");
  granite.config["embedding_multiplier"] = granite.config["residual_multiplier"] = 1.0;
  granite.config["logits_scaling"] = 1.0;
  granite.config["attention_multiplier"] = 1.0 / std::sqrt(8.0);
  ModelFolder llama("families/granite");
  for (const char* field :
       {"embedding_multiplier", "residual_multiplier", "logits_scaling", "attention_multiplier"}) {
    llama.config.erase(field);
  }
  llama.config["model_type"] = "llama";
  EXPECT_TRUE(near(logits(granite), logits(llama)));
  // a soft cap that is far away changes next to nothing, and null is none
  const auto capped = [](const json& scores, const json& ofLogits) {
    ModelFolder m("families/gemma2");
    m.config["attn_logit_softcapping"] = scores;
    m.config["final_logit_softcapping"] = ofLogits;
    return m;
  };
  EXPECT_TRUE(near(logits(capped(1e6, 1e6)), logits(capped(nullptr, nullptr))));
  EXPECT_FALSE(near(logits(capped(1e6, 1e6)), logits(capped(5.0, 3.0))));
  // a window as wide as the text is none
  EXPECT_TRUE(near(logits(withField("mixtral", "sliding_window", 5)),
                   logits(ModelFolder("families/mixtral"))));
  EXPECT_FALSE(near(logits(withField("mixtral", "sliding_window", 2)),
                    logits(ModelFolder("families/mixtral"))));
  // dense layers among those with experts read the tensors of a dense network
  ModelFolder dense = withField("qwen3_moe", "mlp_only_layers", {0});
  expectUserError([&] { opened(dense); }, "model.layers.0.mlp.gate_proj.weight");
}

}  // namespace
}  // namespace headscope::test::models
