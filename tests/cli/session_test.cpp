// --session and --scene, --pin, --mistake and --dropout, with every command that computes a pass.
#include "core/formats/session.h"

#include <stb_image.h>

#include "app/cli/open_options.h"
#include "cli_test.h"
#include "core/document/document.h"
#include "core/editing/edit.h"
#include "core/presets/presets.h"

namespace headscope {
namespace {

constexpr Index kBudget = Index{1} << 30;

class SessionFlags : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    const DocumentPtr plain = makePreset(presetByName("by-hand"), {}, kBudget);
    const Pin pin{{TensorId::rawScores, 0, 1, 2, 0}, 30.0F};
    const DocumentPtr pinned = apply(*plain, SetPin{pin}, kBudget).document;
    session_ = path("lecture.headscope.json");
    formats::saveSession(session_, {plain,
                                    R"({"step":"output"})",
                                    {{2, {"plain"}, plain, R"({"step":"mask"})"},
                                     {5, {"pinned"}, pinned, R"({"step":"score","head":1})"}},
                                    {}});
  }
  double cell(std::vector<std::string> flags) {
    flags.insert(flags.begin(),
                 {"explain", "--step", "score", "--head", "1", "--row", "2", "--col", "0"});
    return jsonOf(flags).at("value");
  }

  std::string session_;
};

TEST_F(SessionFlags, GiveTheWholePassAndItsScenes) {
  EXPECT_EQ(jsonOf({"run", "--session", session_}).at("config").at("d_model"), 8);
  const double plain = cell({"--preset", "by-hand"});
  ASSERT_NE(plain, 30.0);
  EXPECT_EQ(cell({"--session", session_}), plain);
  EXPECT_EQ(cell({"--session", session_, "--scene", "2"}), plain);
  EXPECT_EQ(cell({"--session", session_, "--scene", "5", "--threads", "1"}), 30.0);
}

TEST_F(SessionFlags, TheWindowGoesToASceneFromTheSessionsOwnDocument) {
  cli::PassOptions pass;
  pass.session = session_;
  pass.scene = 5;
  const AppOptions options = cli::optionsToOpen(pass);
  EXPECT_TRUE(options.document->pins.empty());
  EXPECT_EQ(options.scene, 5);
  EXPECT_EQ(options.scenes.size(), 2U);
  EXPECT_EQ(options.view.selection.head, 1);
}

TEST_F(SessionFlags, ContradictWhatElseDescribesThePass) {
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--text", "a"},
                                             {"--preset", "by-hand"},
                                             {"--causal"},
                                             {"--seed", "1"},
                                             {"--heads", "2"},
                                             {"--pin", "raw_scores[0,0,0,0]=1"},
                                             {"--dropout", "0.1"}}) {
    std::vector<std::string> arguments{"run", "--session", session_};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    expectRefused(arguments, {"--session", flags.front(), "leave one of them out"});
  }
}

TEST_F(SessionFlags, ThatNameNothingAreRefused) {
  expectRefused({"run", "--session", session_, "--scene", "3"},
                {"--scene 3", "the scenes 2, 5: give one"});
  expectRefused({"run", "--session", session_, "--scene", "10"}, {"--scene"});
  expectRefused({"run", "--scene", "2"}, {"--scene", "--session"});
  expectRefused({"run", "--session", path("none.headscope.json")}, {"none.headscope.json"});
  expectRefused({"run", "--session", write("bad.headscope.json", "{}")},
                {"bad.headscope.json", "not a headscope session"});
}

TEST_F(SessionFlags, ASceneIsDrawnAsItWasSeen) {
  const auto picture = [&](std::vector<std::string> flags, const std::string& name) {
    flags.insert(flags.begin(), {"render", "--size", "640x400", "--out", path(name)});
    const CliResult result = runProgram(flags);
    EXPECT_EQ(result.status, 0) << result.err;
    std::ifstream file(path(name), std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  const std::string scene = picture({"--session", session_, "--scene", "2"}, "scene.png");
  EXPECT_NE(scene, picture({"--session", session_}, "session.png"));
  EXPECT_NE(scene, picture({"--session", session_, "--scene", "2", "--step", "score"}, "step.png"));
  EXPECT_NE(scene, "");
}

/// A scene is an edit of the session's own document, as in the window.
TEST_F(SessionFlags, ASceneWithChangesOpenShowsWhatItChanged) {
  formats::Session session = formats::loadSession(session_, kBudget);
  for (formats::SavedScene& scene : session.scenes) scene.view = R"({"tool":"changes"})";
  formats::saveSession(session_, session);
  const formats::SavedScene& pinned = session.scenes.back();
  std::filesystem::create_directory(path("alone"));
  const std::string alone = path("alone/lecture.headscope.json");  // without edits
  formats::saveSession(alone, {pinned.document, pinned.view, session.scenes, {}});
  const auto upperPart = [&](std::vector<std::string> flags) {
    const std::string file = path("picture.png");
    flags.insert(flags.begin(), {"render", "--size", "1200x800", "--out", file});
    const CliResult result = runProgram(flags);
    EXPECT_EQ(result.status, 0) << result.err;
    int width = 0;
    int height = 0;
    int channels = 0;
    stbi_uc* pixels = stbi_load(file.c_str(), &width, &height, &channels, 4);
    EXPECT_NE(pixels, nullptr);
    if (pixels == nullptr) return std::string();
    // the undo buttons above and the pass's time below differ
    constexpr int kTop = 160;
    constexpr int kBottom = 600;
    const std::string part(reinterpret_cast<const char*>(pixels) + 4 * width * kTop,
                           static_cast<std::size_t>(4 * width * (kBottom - kTop)));
    stbi_image_free(pixels);
    return part;
  };
  EXPECT_NE(upperPart({"--session", session_, "--scene", "5"}), upperPart({"--session", alone}));
}

TEST(WhatIfFlags, PinCellsMakeMistakesAndDropWeights) {
  const auto weight = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"explain", "--preset", "by-hand", "--step", "softmax", "--head",
                                 "1", "--row", "2", "--col", "0"});
    return jsonOf(flags).at("value").get<double>();
  };
  const double plain = weight({});
  EXPECT_EQ(weight({"--pin", "weights[0,1,2,0]=0.25"}), 0.25);
  EXPECT_EQ(weight({"--pin", "raw_scores[0,1,2,0]=5", "--pin", " weights[0, 1, 2, 0] = 0.5"}), 0.5);
  EXPECT_GT(weight({"--pin", "raw_scores[0,1,2,0]=30"}), 0.99);
  EXPECT_EQ(weight({"--pin", "weights[0,1,2,0]=+0.25"}), 0.25);
  EXPECT_EQ(weight({"--pin", "weights[0,1,2,0]=−0.25"}), -0.25);  // a minus as it is printed
  EXPECT_NE(weight({"--mistake", "softmax-queries"}), plain);
  EXPECT_NE(weight({"--mistake", "no-scale", "--mistake", "softmax-queries"}),
            weight({"--mistake", "softmax-queries"}));
  const auto dropped = [&](const char* seed) {
    const CliResult r = runProgram(
        {"run", "--preset", "by-hand", "--dropout", "0.9", "--dropout-seed", seed, "--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    return weight({"--dropout", "0.9", "--dropout-seed", seed});
  };
  EXPECT_EQ(dropped("1"), weight({"--dropout", "0.9"}));
  int zeros = 0;
  for (int seed = 0; seed < 20; ++seed) zeros += dropped(std::to_string(seed).c_str()) == 0.0;
  EXPECT_GT(zeros, 10);
  EXPECT_LT(zeros, 20);
}

TEST(WhatIfFlags, ThatCannotBeReadNameThemselves) {
  for (const char* pin : {"", "x", "raw_scores[0,0,0,0]", "=3", "raw_scores[0,0,0]=3"}) {
    expectRefused({"run", "--pin", pin}, {"--pin", "raw_scores[0,5,2,1]=30"});
  }
  expectRefused({"run", "--pin", "raw_scores[0,0,0,0]="}, {"--pin raw_scores", "needs a number"});
  expectRefused({"run", "--pin", "raw_scores[0,0,0,0]=3x"},
                {"--pin raw_scores[0, 0, 0, 0]", "\"3x\" is not a number"});
  expectRefused({"run", "--pin", "raw_scores[0,0,0,0]=0,5"}, {"--pin", "decimals with a point"});
  expectRefused({"run", "--pin", "raw_scores[0,0,99,0]=3"}, {"--pin", "no such cell"});
  expectRefused({"run", "--pin", "output[0,0,0]=3"}, {"--pin", "cannot be pinned"});
  expectRefused({"run", "--pin", "weights[0,0,0,0]=nan"}, {"--pin", "cannot be nan"});
  expectRefused({"run", "--mistake", "typo"}, {"--mistake typo", "softmax-queries"});
  expectRefused({"run", "--dropout", "1"}, {"--dropout 1", "below 1"});
  expectRefused({"run", "--dropout", "much"}, {"--dropout"});
  expectRefused({"run", "--dropout-seed", "3"}, {"--dropout-seed", "--dropout"});
}

}  // namespace
}  // namespace headscope
