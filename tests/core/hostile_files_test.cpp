// Hostile files: each is refused with a message before it takes memory or time, and none leads out
// of its folder. Findings of the fuzz targets in tests/fuzz are here too.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/attention/state_dict.h"
#include "core/base/json.h"
#include "core/formats/color_map_file.h"
#include "core/formats/document_json.h"
#include "core/formats/pass_files.h"
#include "core/formats/session.h"
#include "core/heads/head_description.h"
#include "core/input/tables.h"
#include "core/presets/preset_files.h"
#include "core/words/glossary.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;
using namespace formats;
using nlohmann::json;

TEST(HostileJson, NestingFieldsAndMemoryAreLimited) {
  const auto refused = [](const std::string& text, const JsonLimits& limits, const char* why) {
    try {
      parseJson(text, limits);
      ADD_FAILURE() << why;
    } catch (const JsonError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  EXPECT_NO_THROW(parseJson("[[[1]]]", {.depth = 3}));
  refused("[[[[1]]]]", {.depth = 3}, "nested more than 3 levels deep");
  refused(std::string(1 << 20, '['), {}, "nested more than 32 levels deep");

  // at most three fields in one object, for any number in others
  EXPECT_NO_THROW(parseJson(R"({"a":{"b":1,"c":1,"d":1},"e":{"f":1,"g":1}})", {.keys = 3}));
  refused(R"({"a":{"b":1},"c":1,"d":1,"e":1})", {.keys = 3}, "more than 3 fields");
  refused(R"([{"a":1,"a":1,"a":1,"a":1}])", {.keys = 3}, "more than 3 fields");

  const std::size_t mebibyte = 1 << 20;
  EXPECT_NO_THROW(parseJson(json(std::vector<int>(30'000, 7)).dump(), {.bytes = mebibyte}));
  refused(json(std::vector<int>(40'000, 7)).dump(), {.bytes = mebibyte},
          "more than 1 MiB of memory");
  refused(json(std::vector<json>(12'000, json::array())).dump(), {.bytes = mebibyte},
          "more than 1 MiB of memory");
  refused(json(std::string(mebibyte, 'a')).dump(), {.bytes = mebibyte},
          "more than 1 MiB of memory");
}

TEST(HostileJson, TokensNestedTooDeeplyAreLeftOut) {
  EXPECT_EQ(parseTokens(R"([["a","b"],["c"]])").size(), 2U);
  EXPECT_TRUE(parseTokens(std::string(100'000, '[') + std::string(100'000, ']')).empty());
}

class HostileSession : public testing::Test {
 protected:
  void SetUp() override {
    saveSession(path(), {fromTexts({"a b"}), "{}", {}, {}});
    tensors_ = json::parse(readAll(path())).at("tensors").get<std::string>();
  }
  fs::path path() const { return inside_ / "lecture.headscope.json"; }
  fs::path tensors() const { return inside_ / tensors_; }
  void load() const { loadSession(path(), kBudget); }

  TempFolder inside_, outside_;
  std::string tensors_;
};

TEST_F(HostileSession, ALinkOutOfItsFolderIsRefused) {
  const fs::path elsewhere = outside_ / "other.safetensors";
  fs::copy_file(tensors(), elsewhere);
  fs::rename(tensors(), inside_ / "moved.safetensors");

  fs::create_symlink("moved.safetensors", tensors());
  EXPECT_NO_THROW(load());
  fs::remove(tensors());
  fs::create_symlink(elsewhere, tensors());
  expectUserError([&] { load(); }, "lecture.headscope.json", "tensors is a link out of");
  fs::create_directory(inside_ / "below");
  fs::copy_file(elsewhere, inside_ / "below" / "other.safetensors");
  fs::remove(tensors());
  fs::create_symlink("below/other.safetensors", tensors());
  expectUserError([&] { load(); }, "tensors is a link out of");
}

TEST_F(HostileSession, IsFoundThroughALinkToItself) {
  const fs::path link = outside_ / "link.headscope.json";
  fs::create_symlink(path(), link);
  EXPECT_NO_THROW(loadSession(link, kBudget));
}

TEST_F(HostileSession, ReadingWritesNothing) {
  const std::string before = readAll(path()) + readAll(tensors());
  fs::permissions(inside_.path(), fs::perms::owner_read | fs::perms::owner_exec);
  load();
  fs::permissions(inside_.path(), fs::perms::owner_all);
  EXPECT_EQ(readAll(path()) + readAll(tensors()), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(inside_.path()), fs::directory_iterator()), 2);
}

TEST_F(HostileSession, OneTooLargeToReadKeepsItsTensors) {
  const fs::path large = inside_ / "large.headscope.json";
  std::ofstream(large) << "{}";
  fs::resize_file(large, (std::uintmax_t{64} << 20) + 1);  // a hole: takes no room
  expectUserError([&] { loadSession(large, kBudget); }, "larger than 64 MiB");
  saveSession(path(), {fromTexts({"c d e"}), "{}", {}, {}});  // perhaps `large` names the old ones
  EXPECT_TRUE(fs::exists(tensors()));
  fs::remove(large);
  saveSession(path(), {fromTexts({"f"}), "{}", {}, {}});
  EXPECT_FALSE(fs::exists(tensors()));
}

TEST_F(HostileSession, TextsAreLimitedTogether) {
  json j = json::parse(readAll(path()));
  j["document"]["source"]["texts"] = std::vector<std::string>(9, std::string(1 << 17, '!'));
  inside_.file("lecture.headscope.json", j.dump());
  expectUserError([&] { load(); }, "document.source", "the texts have 1.1 MB together");
}

TEST(HostileSafetensors, AxesNextToAnEmptyOneAreCountedToo) {
  const TempFolder folder;
  const auto file = [&](const std::string& shape) {
    const std::string header =
        R"({"x":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":[0,0]}})";
    return SafetensorsFile(folder.file("x.safetensors", safetensorsBytes(header, 0)));
  };
  EXPECT_EQ(file("[0,4,3]").read("x").strides(), (Shape{12, 3, 1}));
  EXPECT_EQ(file("[4,0]").read("x").size(), 0);
  for (const char* shape : {"[0,9223372036854775807,9223372036854775807]",
                            "[4611686018427387904,0,8]", "[4611686018427387904,8,0]"}) {
    expectUserError([&] { file(shape); }, "shape too large to count");
  }
}

TEST(HostileSafetensors, TheBudgetHoldsForAllTensorsTogether) {
  const TempFolder folder;
  writeSafetensors(folder / "f.safetensors",
                   std::vector<NamedTensor>{{"x", Tensor::zeros({2, 4})},
                                            {"memory", Tensor::zeros({2, 4})},
                                            {"in_proj_weight", Tensor::zeros({12, 4})},
                                            {"out_proj.weight", Tensor::zeros({4, 4})}});
  const SafetensorsFile file(folder / "f.safetensors");
  constexpr Index kInput = 4 * (8 + 8);
  EXPECT_NO_THROW(loadInput(file, kInput));
  expectUserError([&] { loadInput(file, kInput - 1); }, "memory (2, 4) in ", "f.safetensors",
                  "needs 32 bytes of memory, more than the limit of 31 bytes");
  constexpr Index kWeights = 4 * (48 + 16);
  EXPECT_NO_THROW(loadWeights(file, "", kWeights));
  expectUserError([&] { loadWeights(file, "", kWeights - 1); }, "out_proj.weight (4, 4) in ");
}

TEST(HostileAssets, EveryReaderNamesItsFile) {
  const auto refused = [](auto&& read, const std::string& text, const char* file) {
    try {
      read(text);
      ADD_FAILURE() << text;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(file, 0), 0U) << error.what();
    }
  };
  const auto head = [](const std::string& fields) {
    return R"({"text":[{"title":"","about":"",)" + fields +
           R"(}],"across":[],"series":[],"image":[]})";
  };
  EXPECT_EQ(parseDesignedHeads(head(R"("pairs":3)")).text.front().pairs, 3);
  for (const char* fields :
       {R"("pairs":1e300)", R"("pairs":9223372036854775808)", R"("peaks":{"lead":1,"at":{"x":1}})",
        R"("peaks":{"lead":1,"at":{"99999999999":1}})", R"("shape":[[1e300,0,0,0]])",
        R"("shape":[[1,4294967296,0,0]])", R"("shape":7)", R"("looks":"up")",
        R"("identity":{"gain":1,"least":-1e30})"}) {
    refused(parseDesignedHeads, head(fields), "designed_heads.json: ");
  }
  for (const char* text :
       {"", "7", "[", "{}", R"({"text":1,"across":[],"series":[],"image":[]})", "\xff"}) {
    refused(parseDesignedHeads, text, "designed_heads.json: ");
    refused(parseColorMaps, text, "colormaps.json: ");
    refused(parseGlossary, text, "glossary.json: ");
  }
  refused(parseColorMaps, R"({"pairs":[{"name":7}]})", "colormaps.json: ");
  refused(parseGlossary, R"({"terms":[{"term":""}]})", "glossary.json: ");
  const auto presetsOf = [](std::string_view text) {
    return parsePresets(text, [](const std::string&) { return InputSource(); });
  };
  for (const char* number : {"1e300", "-1e300", "18446744073709551615", "2.5", "\"2\""}) {
    refused(
        presetsOf,
        R"([{"name":"p","title":"","about":"","example":"","num_heads":1,"tokens":1,"d_model":)" +
            std::string(number) + "}]",
        "presets.json: ");
  }
  const auto examples = [](std::string_view text) {
    return parseExamples(text, [](std::string_view) -> std::string_view { return ""; });
  };
  refused(examples, R"([{"name":"x","title":"","about":"","texts":[7]}])", "examples.json: ");
  refused(presetsOf, R"([{"name":"x","title":"","about":"","input":{"x":[[1e39]]}}])",
          "presets.json: ");
}

}  // namespace
}  // namespace headscope::test
