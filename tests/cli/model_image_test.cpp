// model --image and --pixels: models that read images, their labels and their files.
#include <fmt/format.h>

#include <cmath>

#include "core/tensor/safetensors.h"
#include "tests/cli/cli_test.h"

namespace headscope {
namespace {

using nlohmann::json;

std::string imageModel(const std::string& name) { return dataFile("image_models/" + name); }
std::string pictureFile(const std::string& name) { return dataFile("pictures/" + name); }

class ModelImage : public InFolder {
 protected:
  /// Writes the pixels of a golden's first image, as a batch of one.
  std::string pixelsOf(const std::string& name) const {
    const SafetensorsFile golden(imageModel(name) + "/expected.safetensors");
    const Tensor pixels = golden.read("0.pixel_values");
    writeSafetensors(
        path("pixels.safetensors"),
        std::vector<NamedTensor>{
            {"pixel_values", pixels.reshaped({1, pixels.dim(0), pixels.dim(1), pixels.dim(2)})}},
        {});
    return path("pixels.safetensors");
  }
};

TEST_F(ModelImage, TheTraceIsWhatTransformersGives) {
  for (const std::string name : {"vit", "deit", "dinov2", "clip_vision_model"}) {
    const SafetensorsFile golden(imageModel(name) + "/expected.safetensors");
    const CliResult result = runProgram({"model", imageModel(name), "--pixels", pixelsOf(name),
                                         "--no-heads", "--trace", path("t.safetensors")});
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const SafetensorsFile file(path("t.safetensors"));
    for (const char* tensor : {"attentions", "hidden_states", "logits", "last_hidden_state"}) {
      const std::string expected = std::string("0.") + tensor;
      ASSERT_EQ(file.has(tensor), golden.has(expected)) << name << " " << tensor;
      if (!file.has(tensor)) continue;
      ASSERT_EQ(file.shape(tensor), golden.shape(expected)) << name << " " << tensor;
      const std::vector<float> a = file.read(tensor).values(), b = golden.read(expected).values();
      double most = 0.0, size = 0.0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
        size = std::max(size, std::abs(double{b[i]}));
      }
      EXPECT_LE(most, 1e-5 * size) << name << " " << tensor;
    }
    EXPECT_FALSE(file.metadata().contains("ids"));
  }
}

TEST_F(ModelImage, JsonNamesPatchesAndLabels) {
  const json found = jsonOf({"model", imageModel("deit"), "--pixels", pixelsOf("deit")});
  EXPECT_FALSE(found.contains("ids"));
  EXPECT_EQ(found.at("image"),
            json::parse(R"({"height": 16, "width": 16, "patch_height": 4, "patch_width": 4,
                            "rows": 4, "columns": 4, "first_patch": 2})"));
  const json& tokens = found.at("tokens");
  ASSERT_EQ(tokens.size(), 18);
  EXPECT_EQ(tokens[0], "class");
  EXPECT_EQ(tokens[1], "distillation");
  EXPECT_EQ(tokens[2], "patch 1,1");
  EXPECT_EQ(tokens[17], "patch 4,4");
  ASSERT_EQ(found.at("predictions").size(), 1);
  const json& labels = found.at("predictions")[0];
  ASSERT_EQ(labels.size(), 5);
  EXPECT_EQ(labels[0].at("label"), "LABEL_" + std::to_string(labels[0].at("id").get<int>()));
  double total = 0.0;
  for (const json& each : labels) total += each.at("p").get<double>();
  EXPECT_NEAR(total, 1.0, 1e-9);
  EXPECT_EQ(found.at("config").at("labels"), 5);
  EXPECT_FALSE(found.at("config").contains("vocab_size"));
  EXPECT_TRUE(found.at("heads")[0].at("previous_token").is_null());
  EXPECT_TRUE(found.at("heads")[0].at("first_token").is_number());
  ASSERT_EQ(found.at("heads").size(), 8);
  EXPECT_EQ(found.at("heads")[5].at("head"), 1);
  for (const char* key : {"patch_distance", "patch_local", "same_row", "same_column"}) {
    EXPECT_TRUE(found.at("heads")[7].at(key).is_number()) << key;
  }
}

TEST_F(ModelImage, LabelsAreExplainedByNameOrId) {
  const std::vector<std::string> vit{"model", imageModel("vit"), "--image",
                                     pictureFile("turned6.jpg")};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), vit.begin(), vit.end());
    return flags;
  };
  const json named = jsonOf(with({"--attribute", "LABEL_2,LABEL_0", "--lens"}));
  const json numbered = jsonOf(with({"--attribute", "2,0", "--lens"}));
  EXPECT_EQ(named.at("attribution"), numbered.at("attribution"));
  EXPECT_EQ(named.at("attribution").at("word").at("label"), "LABEL_2");
  EXPECT_NEAR(named.at("attribution").at("sum").get<double>(),
              named.at("attribution").at("logit").get<double>(), 1e-4);
  EXPECT_EQ(named.at("lens").size(), 5);
  expectRefused(with({"--attribute", "cat"}), {"“cat” is no label", "LABEL_0"});
  expectRefused(with({"--attribute", "2", "--at", "3"}), {"at the class token"});
}

/// A picture is turned, resized and normalised: one and the same way for both kinds of file.
TEST_F(ModelImage, APictureOfAnotherFormatGivesTheSameLabels) {
  const auto labels = [](const char* picture) {
    return jsonOf({"model", imageModel("vit"), "--image", pictureFile(picture), "--no-heads"})
        .at("predictions");
  };
  EXPECT_EQ(labels("rgb.png"), labels("lossless.webp"));
  EXPECT_NE(labels("rgb.png"), labels("gray.png"));
}

TEST_F(ModelImage, ClipMatchesAnImageWithTheLinesOfAText) {
  // the golden's folder with the letters of a tokenizer that gives one id for each
  std::filesystem::copy(imageModel("clip"), path("clip"));
  json vocabulary;
  for (int id = 0; id < 26; ++id) vocabulary[std::string(1, static_cast<char>('a' + id))] = id;
  vocabulary[" "] = 26;
  vocabulary["<end>"] = 96;
  const json tokenizer{
      {"version", "1.0"},
      {"added_tokens", json::array({{{"id", 96}, {"content", "<end>"}, {"special", true}}})},
      {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}},
      {"post_processor",
       {{"type", "TemplateProcessing"},
        {"single", json::array({{{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                                {{"SpecialToken", {{"id", "<end>"}, {"type_id", 0}}}}})},
        {"pair", json::array()},
        {"special_tokens", {{"<end>", {{"id", "<end>"}, {"ids", {96}}, {"tokens", {"<end>"}}}}}}}}};
  std::ofstream(path("clip/tokenizer.json")) << tokenizer;
  const std::vector<std::string> clip{"model", path("clip"), "--pixels", pixelsOf("clip"),
                                      "--no-heads"};
  auto flags = clip;
  flags.insert(flags.end(), {"--text", "cat\ndog\n\nbird", "--trace", path("t.safetensors")});
  const json found = jsonOf(flags);
  ASSERT_EQ(found.at("match").size(), 3);
  double total = 0.0;
  for (const json& each : found.at("match")) {
    EXPECT_NEAR(each.at("logit").get<double>(), std::exp(1.3) * each.at("cosine").get<double>(),
                1e-5);
    total += each.at("p").get<double>();
  }
  EXPECT_NEAR(total, 1.0, 1e-9);
  EXPECT_EQ(found.at("match")[2].at("text"), "bird");
  flags = clip;
  flags.insert(flags.end(), {"--text", "cat", "--text", "dog", "--text=bird"});
  EXPECT_EQ(jsonOf(flags).at("match"), found.at("match"));
  expectRefused({"model", path("clip"), "--text", "cat", "--text", "dog"},
                {"--text was given 2 times", "--pair", "--image"});
  const SafetensorsFile file(path("t.safetensors"));
  EXPECT_EQ(file.shape("image_embeds"), (Shape{24}));
  EXPECT_EQ(file.shape("text_embeds"), (Shape{3, 24}));
  EXPECT_EQ(file.shape("logits_per_image"), (Shape{3}));

  EXPECT_FALSE(found["match"][0].contains("image_parts"));

  const json whole = jsonOf({"model", path("clip"), "--pixels", pixelsOf("clip"), "--text", "cat"});
  const json& cat = whole.at("match")[0];
  for (const char* half : {"image_parts", "text_parts"}) {
    double sum = 0.0;
    bool heads = false;
    for (const json& part : cat.at(half)) {
      sum += part.at("value").get<double>();
      heads = heads || part.at("part") == "head";
    }
    EXPECT_TRUE(heads) << half;
    EXPECT_NEAR(sum, cat.at("cosine").get<double>(), 1e-5) << half;
  }
  const CliResult alone = runProgram(clip);
  EXPECT_NE(alone.out.find("give --text"), std::string::npos) << alone.out;
  const json text = jsonOf({"model", path("clip"), "--text", "cat"});
  EXPECT_EQ(text.at("ids"), json({2, 0, 19, 96}));
  EXPECT_EQ(text.at("config").at("model_type"), "clip_text_model");
  const json chain = jsonOf({"why", path("clip"), "--text", "cat", "--score", "1.2:3:0"});
  EXPECT_EQ(chain.at("ids"), text.at("ids")) << "the encoder of texts reads it";
}

/// A drawing's shape is known: each head's weight on it is what the lesson measures.
TEST_F(ModelImage, HeadsHaveTheirWeightOnADrawnShape) {
  const std::vector<std::string> command{"model", "headscope:shapes", "--image",
                                         "headscope:shapes/circle"};
  const json heads = jsonOf(command)["heads"];
  ASSERT_EQ(heads.size(), 8U);
  double most = 0.0;
  for (const json& head : heads) most = std::max(most, head["on_shape"].get<double>());
  EXPECT_GT(most, 0.8);
  const CliResult inWords = runProgram(command);
  EXPECT_NE(inWords.out.find("on the shape"), std::string::npos) << inWords.out;
  EXPECT_NE(inWords.out.find(fmt::format("{:.3f}", most)), std::string::npos) << inWords.out;
  EXPECT_FALSE(
      jsonOf({"model", imageModel("vit"), "--image", "headscope:shapes/circle"})["heads"][0]
          .contains("on_shape"))
      << "it reads a drawing in another size";
}

TEST_F(ModelImage, AHeadsOutputIsReplacedByThatOnAnotherImage) {
  const auto patched = [](const std::string& other) {
    return jsonOf({"model", imageModel("vit"), "--image", pictureFile("rgb.png"), "--patch", "0.1",
                   "--patch-image", pictureFile(other)})["patch"];
  };
  const json found = patched("gray.png");
  EXPECT_EQ(found["with"], "image");
  EXPECT_NE(found["total_effect"].get<double>(), 0.0);
  EXPECT_NEAR(patched("lossless.webp")["total_effect"].get<double>(), 0.0, 1e-6) << "the same one";
  expectRefused({"model", dataFile("tiny-gpt2"), "--ids", "1,2", "--patch", "0.1", "--patch-image",
                 pictureFile("rgb.png")},
                {"--patch-image", "reads texts", "--patch-text"});
  const std::string wide = path("wide.safetensors");  // five columns of patches
  writeSafetensors(wide, std::vector<NamedTensor>{{"pixel_values", Tensor::zeros({3, 16, 20})}},
                   {});
  expectRefused({"model", imageModel("vit"), "--image", pictureFile("rgb.png"), "--patch", "0.1",
                 "--patch-pixels", wide},
                {"one size"});
}

TEST_F(ModelImage, WhatDoesNotApplyToImagesIsRefused) {
  const std::string vit = imageModel("vit"), picture = pictureFile("rgb.png");
  const auto refused = [&](std::vector<std::string> flags, const char* says) {
    flags.insert(flags.begin(), {"model", vit, "--image", picture});
    expectRefused(flags, {says});
  };
  refused({"--text", "hello"}, "--text");
  refused({"--ids", "1,2"}, "--ids");
  refused({"--generate", "3"}, "--generate");
  refused({"--probe"}, "--probe");
  refused({"--mask-token", "1"}, "--mask-token");
  refused({"--patch", "0.0", "--patch-text", "x"}, "--patch-text");
  refused({"--pixels", "x.safetensors"}, "--pixels");
  expectRefused({"model", vit, "--text", "hello"}, {"give --image"});
  expectRefused({"model", dataFile("tiny-gpt2"), "--image", picture}, {"reads texts"});
  expectRefused({"model", vit, "--image", pictureFile("animated.webp")}, {"animation"});
  expectRefused({"model", vit, "--image", path("nowhere.png")}, {"nowhere.png"});
  expectRefused({"model", vit, "--pixels", pixelsOf("vit_plain")}, {"--pixels", "(1, 12, 20)"});
  expectRefused({"sweep", vit, "--ids", "1,2", "--over", "heads", "--token-id", "2"},
                {"reads images"});
  expectRefused({"why", vit, "--ids", "1,2", "--token-id", "2"}, {"reads images"});
}

}  // namespace
}  // namespace headscope
