// The page Model with an encoder–decoder model: the three attentions, the target that the model
// writes or the user types, a cross-attention in Flow with its memory, and the alignment of words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "app/ui/model/model_page.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"
#include "session_window.h"

namespace headscope::ui {
namespace {

class TwoStacksPage : public Autosave {
 protected:
  TwoStacksPage() { open(ui_); }
  void open(AppDriver& ui) {
    ui.view().selection.page = kModelPage;
    ui.view().model.place = {
        (std::filesystem::path(HEADSCOPE_TEST_DATA) / "families" / "t5").string(), "44, 59, 8, 32"};
    calm();
  }
  void calm() {
    for (int i = 0; i < 4; ++i) {
      ui_.settle();
      ui_.frame();
    }
  }
  std::string heads() { return ui_.screen().all(kModelHeadsCard); }
  std::string text() { return ui_.screen().all(kModelTextCard); }
  std::string readings() { return ui_.screen().all(kModelPredictionCard); }
  void target(const std::string& ids) {
    ui_.view().model.place.target = ids;
    calm();
  }
  /// The tokens of the target, which stand before the source text, without spaces.
  std::string targetTokens() {
    const std::string all = text(), before = all.substr(0, all.find("44,59,8,32"));
    return before.substr(before.find_last_not_of("0123456789") + 1);
  }
  void attention(const char* which) {
    ui_.click(which, kModelHeadsCard);
    calm();
  }
};

TEST_F(TwoStacksPage, TheModelWritesTheTarget) {
  EXPECT_TRUE(ui_.shows("encoder: 2 layers, 4 heads", kModelTextCard)) << text();
  EXPECT_TRUE(ui_.shows("written by the model", kModelTextCard)) << text();
  const std::string written = text();
  target("0, 5, 9");
  EXPECT_FALSE(ui_.shows("written by the model", kModelTextCard)) << text();
  EXPECT_TRUE(ui_.shows("After “9” it predicts", kModelTextCard)) << text();
  ui_.click("let the model write", kModelTextCard);
  calm();
  EXPECT_EQ(text(), written);
}

TEST_F(TwoStacksPage, EachAttentionHasItsGrid) {
  target("0, 5, 9");
  for (const auto& [which, layer] : {std::pair("encoder", "open encoder layer 1 in Flow"),
                                     {"decoder", "open layer 1, self-attention in Flow"},
                                     {"cross", "open layer 1, cross-attention in Flow"}}) {
    attention(which);
    EXPECT_EQ(ui_.heatmaps(kModelHeadsCard).size(), 8U) << which;
    EXPECT_TRUE(ui_.shows(layer, kModelHeadsCard)) << heads();
    EXPECT_TRUE(ui_.shows("layer 2", kModelHeadsCard)) << heads();
    EXPECT_FALSE(ui_.shows("layer 3", kModelHeadsCard)) << heads();
  }
}

TEST_F(TwoStacksPage, EachAttentionIsMeasuredOnRandomTokensToo) {
  target("0, 5, 9");
  ui_.click("repeated random tokens", kModelHeadsCard);
  calm();
  for (const char* which : {"encoder", "decoder", "cross"}) {
    attention(which);
    EXPECT_EQ(ui_.heatmaps(kModelHeadsCard).size(), 8U) << which;
    EXPECT_TRUE(ui_.shows("random tokens, the second half equal", kModelHeadsCard)) << heads();
  }
  const gl::Bounds map = ui_.heatmaps(kModelHeadsCard).front();
  ui_.hover({std::lerp(map.x0, map.x1, 0.9F), std::lerp(map.y0, map.y1, 0.5F)});
  EXPECT_TRUE(ui_.shows("looks at “32”: ")) << ui_.screen().all();  // the last token of the source
  ui_.click("first column", kModelHeadsCard);
  calm();
  EXPECT_EQ(ui_.heatmaps(kModelHeadsCard).size(), 8U);
}

TEST_F(TwoStacksPage, ACrossAttentionOpensWithItsMemoryAndItsEditsRunInTheModel) {
  target("0, 5, 9");
  const std::string before = text();
  attention("cross");
  ui_.view().model.layer = 3;
  ui_.frame();
  ui_.click("open layer 2, cross-attention in Flow", kModelHeadsCard);
  calm();
  EXPECT_EQ(ui_.config().memoryLen, 4);
  EXPECT_EQ(ui_.config().seqLen, 3);
  EXPECT_EQ(ui_.document().input->memoryTokens.front(),
            (std::vector<std::string>{"44", "59", "8", "32"}));
  EXPECT_TRUE(ui_.shows("t5, layer 2, cross-attention of 2", kLayerStripCard))
      << ui_.screen().all(kLayerStripCard);
  ui_.app().apply(SetSwitch{&Switches::temperature, 5.0});
  calm();
  ui_.view().selection.page = kModelPage;
  calm();
  EXPECT_NE(text(), before);
  EXPECT_TRUE(ui_.shows("edited: layer 2, cross-attention", kModelHeadsCard)) << heads();
  ui_.click("as loaded", kModelTextCard);
  calm();
  EXPECT_EQ(text(), before);
}

TEST_F(TwoStacksPage, AHeadThatIsOffIsListedAndUndoSwitchesItOn) {
  target("0, 5, 9");
  const std::string before = text();
  attention("cross");
  ui_.click("layer 1, cross-attention, head 1 off", kModelHeadsCard);
  calm();
  EXPECT_NE(text(), before);
  EXPECT_TRUE(ui_.shows("off: cross 1·1", kModelHeadsCard)) << heads();
  ui_.press(Key{'Z'}, true);
  calm();
  EXPECT_EQ(text(), before);
}

TEST_F(TwoStacksPage, AnEncodersHeadIsSwitchedOffAndUndoSwitchesItOn) {
  target("0, 5, 9");
  const std::string before = text();
  attention("encoder");
  ui_.click("encoder layer 1, head 1 off", kModelHeadsCard);
  calm();
  EXPECT_NE(text(), before);
  EXPECT_TRUE(ui_.shows("as loaded it predicts", kModelTextCard)) << text();
  EXPECT_TRUE(ui_.shows("off: encoder 1·1", kModelHeadsCard)) << heads();
  attention("cross");  // the decoder's head of that number is on
  EXPECT_TRUE(ui_.shows("layer 1, cross-attention, head 1 off", kModelHeadsCard)) << heads();
  ui_.press(Key{'Z'}, true);
  calm();
  EXPECT_EQ(text(), before);
}

TEST_F(TwoStacksPage, EditsOfAnEncodersLayerRunInTheModel) {
  target("0, 5, 9");
  const std::string before = text();
  attention("encoder");
  ui_.click("open encoder layer 1 in Flow", kModelHeadsCard);
  calm();
  EXPECT_EQ(ui_.config().memoryLen, 0);
  EXPECT_EQ(ui_.config().seqLen, 4);
  EXPECT_TRUE(ui_.config().pairBias.on());
  ui_.view().selection.step = StepId::mask;
  ui_.frame();
  EXPECT_TRUE(ui_.shows("Each distance adds its bias", kStepViewCard)) << ui_.screen().all();
  EXPECT_TRUE(ui_.shows("t5, encoder layer 1 of 2", kLayerStripCard))
      << ui_.screen().all(kLayerStripCard);
  ui_.app().apply(SetPin{{{TensorId::weights, 0, 1, 2, 3}, 0.75F}});
  ui_.app().apply(SetSwitch{&Switches::temperature, 5.0});
  calm();
  ui_.view().selection.page = kModelPage;
  calm();
  EXPECT_NE(text(), before);
  EXPECT_TRUE(ui_.shows("edited: encoder layer 1", kModelHeadsCard)) << heads();
  const std::string edited = text();
  ui_.view().selection.page = kFlowPage;
  calm();
  saveAs(lecture());
  ui_.restart(presetDocument("by-hand"));
  ui_.app().dropFiles({lecture()});
  calm();
  EXPECT_EQ(ui_.document().pins.all().size(), 1U);
  ui_.view().selection.page = kModelPage;
  calm();
  EXPECT_EQ(text(), edited);
  EXPECT_TRUE(ui_.shows("edited: encoder layer 1", kModelHeadsCard)) << heads();
  ui_.click("as loaded", kModelTextCard);
  calm();
  EXPECT_EQ(text(), before);
}

TEST_F(TwoStacksPage, WordsAreAlignedByAHeadALayerOrAll) {
  target("0, 5, 9");
  ui_.click("Alignment", kModelPredictionCard);
  calm();
  for (const char* word : {"44", "32", "9", "mean of all", "mean of layer 1", "weight"}) {
    EXPECT_TRUE(ui_.shows(word, kModelPredictionCard)) << word << readings();
  }
  ui_.click("mean of layer 1", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui_.view().model.prediction.aligned, AlignedBy::layer);
  ui_.click("as it is read", kModelPredictionCard);
  calm();
  EXPECT_TRUE(ui_.view().model.prediction.alignedAsRead);
}

/// The first of several chosen heads is the shown one; a click on a square takes another.
TEST_F(TwoStacksPage, WordsAreAlignedBySeveralHeads) {
  target("0, 5, 9");
  ui_.click("Alignment", kModelPredictionCard);
  calm();
  ui_.click("chosen heads (1)", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui_.view().model.prediction.alignedHeads.size(), 1U);
  ui_.view().model.prediction.alignedHeads = {0, 3};
  calm();
  EXPECT_TRUE(ui_.shows("chosen heads (2)", kModelPredictionCard)) << readings();
}

/// Both residual streams with the shapes of this pass, and the memory between them.
TEST_F(TwoStacksPage, StreamsAreDrawnWithTheMemory) {
  target("0, 5, 9");
  ui_.click("Streams", kModelPredictionCard);
  calm();
  for (const char* words :
       {"(4, 32) of the encoder", "(3, 32) of the decoder", "memory", "cross 1", "network 2"}) {
    EXPECT_TRUE(ui_.shows(words, kModelPredictionCard)) << words << readings();
  }
}

/// The gradient of a word goes on into the encoder; copying is of the decoder's weights.
TEST_F(TwoStacksPage, MapsOfTheWordsGradientAndOfCopying) {
  target("0, 5, 9");
  ui_.view().model.metric = kGradientMap;
  for (const char* which : {"encoder", "decoder", "cross"}) {
    attention(which);
    EXPECT_TRUE(ui_.shows("length of the gradient of the logit of", kModelHeadsCard)) << heads();
  }
  const std::string words = heads();
  ui_.view().model.metric = kCopyingMap;
  calm();
  EXPECT_NE(heads(), words);
  EXPECT_TRUE(ui_.shows("copying", kModelHeadsCard)) << heads();
}

TEST_F(TwoStacksPage, ASweepHasTheHeadsOfAllThreeAttentions) {
  target("0, 5, 9");
  ui_.click("Every part", kModelPredictionCard);
  calm();
  for (const char* row : {"encoder 1", "encoder 2", "self 1", "cross 2"}) {
    EXPECT_TRUE(ui_.shows(row, kModelPredictionCard)) << row << readings();
  }
  EXPECT_TRUE(ui_.shows("encoder 1, head", kModelPredictionCard)) << readings();
  ui_.clickAt(ui_.after("replace each", kModelPredictionCard));
  ui_.click("place", "Combo");
  calm();
  EXPECT_TRUE(ui_.shows("encoder 1, “8”", kModelPredictionCard)) << readings();
  EXPECT_TRUE(ui_.shows("cross 1, “9”", kModelPredictionCard)) << readings();
}

TEST_F(TwoStacksPage, WhyLeadsIntoTheEncoder) {
  target("0, 5, 9");
  ui_.click("Why", kModelPredictionCard);
  calm();
  ui_.view().model.prediction.why = "h3.1 v2";
  calm();
  EXPECT_TRUE(ui_.shows("layer 2, cross-attention, head 2", kModelPredictionCard)) << readings();
  EXPECT_TRUE(ui_.shows("value of “8” (source 3)", kModelPredictionCard)) << readings();
  EXPECT_TRUE(ui_.shows("“8” itself", kModelPredictionCard)) << readings();
  ui_.click("encoder layer 2, head 1", kModelPredictionCard);
  calm();
  EXPECT_EQ(ui_.view().model.prediction.why, "h3.1 v2 h1.0");
  EXPECT_EQ(ui_.view().model.attention, AttentionShown::encoder);
  EXPECT_EQ(ui_.view().model.layer, 1);
}

TEST_F(TwoStacksPage, ATargetIsSampledOrFoundByABeamSearch) {
  ui_.click("Go on", kModelPredictionCard);
  calm();
  ui_.click("sampled", kModelPredictionCard);
  ui_.view().model.prediction.generation.tokens = 3;
  calm();
  ui_.click("generate", kModelPredictionCard);
  calm();
  ui_.click("take as the target", kModelPredictionCard);
  calm();
  EXPECT_FALSE(ui_.shows("written by the model", kModelTextCard)) << text();
  ui_.click("beam search", kModelPredictionCard);
  calm();
  EXPECT_TRUE(ui_.shows("4 beams kept", kModelPredictionCard)) << readings();
  ui_.click("take as the target", kModelPredictionCard);
  calm();
  EXPECT_FALSE(ui_.shows("written by the model", kModelTextCard)) << text();
}

/// BART forces the last token of a target that may not be longer.
TEST_F(TwoStacksPage, AForcedTokenIsNotSaidToBeTheModelsChoice) {
  ui_.view().model.place = {
      (std::filesystem::path(HEADSCOPE_TEST_DATA) / "families" / "bart").string(), "10, 56, 20"};
  ui_.view().model.prediction.generation.tokens = 4;
  calm();
  const bool forced = ui_.shows("most probable token each time, but “2” is forced", kModelTextCard);
  EXPECT_TRUE(forced || ui_.shows("the most probable token each time", kModelTextCard)) << text();
  ui_.click("Go on", kModelPredictionCard);
  calm();
  ui_.click("generate", kModelPredictionCard);
  calm();
  EXPECT_TRUE(ui_.shows("forced: last", kModelPredictionCard)) << readings();
  EXPECT_TRUE(ui_.shows("“2” is forced", kModelPredictionCard)) << readings();
  EXPECT_FALSE(ui_.shows("with it the model ends", kModelPredictionCard)) << readings();
  EXPECT_FALSE(ui_.shows("…", kModelPredictionCard)) << readings();
}

TEST_F(TwoStacksPage, ABeamSearchIsSteered) {
  ui_.click("Go on", kModelPredictionCard);
  calm();
  GenerationView& view = ui_.view().model.prediction.generation;
  view.beams = true;
  view.tokens = 4;
  calm();
  const std::string plain = readings();
  view.steered = true;
  view.toward = "0, 5, 9";
  view.strength = 20.0;
  calm();
  EXPECT_TRUE(ui_.shows("4 beams kept", kModelPredictionCard)) << readings();
  ui_.click("take as the target", kModelPredictionCard);
  calm();
  const std::string steered = ui_.view().model.place.target;
  view.steered = false;
  calm();
  ui_.click("take as the target", kModelPredictionCard);
  calm();
  EXPECT_NE(ui_.view().model.place.target, steered);
}

TEST_F(TwoStacksPage, AChangedDecoderWritesAnotherTarget) {
  EXPECT_FALSE(ui_.shows("let the model write", kModelTextCard)) << text();
  for (int head = 0; head < 4; ++head) {
    ui_.view().model.layer = 1;
    ui_.view().model.head = head;
    calm();
    ui_.click(fmt::format("layer 1, cross-attention, head {} off", head + 1), kModelHeadsCard);
    calm();
  }
  EXPECT_TRUE(ui_.shows("written by the model before it was changed", kModelTextCard)) << text();
  const std::string stale = targetTokens();
  ui_.click("let the model write", kModelTextCard);
  calm();
  EXPECT_FALSE(ui_.shows("before it was changed", kModelTextCard)) << text();
  const std::string written = targetTokens();
  EXPECT_NE(written, stale);
  // the tab generates with all changes, too
  ui_.click("Go on", kModelPredictionCard);
  ui_.view().model.prediction.generation.tokens = 128;
  calm();
  ui_.click("generate", kModelPredictionCard);
  calm();
  ui_.click("take as the target", kModelPredictionCard);
  calm();
  // the card shows as many of them as have room, which differs between versions of Dear ImGui
  const std::string taken = targetTokens();
  const std::size_t shown = std::min(taken.size(), written.size());
  EXPECT_GT(shown, stale.size() / 2);
  EXPECT_EQ(taken.substr(0, shown), written.substr(0, shown));
}

TEST_F(TwoStacksPage, AnotherSourceOrTargetStandsSideBySide) {
  target("0, 5, 9");
  ui_.click("Side by side", kModelPredictionCard);
  calm();
  ComparedView& compared = ui_.view().model.compared;
  compared.text = "44, 59, 8, 33";
  calm();
  for (const char* which : {"encoder", "decoder", "cross"}) {
    attention(which);
    compared.shown = PassShown::own;
    calm();
    EXPECT_EQ(ui_.heatmaps(kModelPredictionCard).size(), 3U) << which << readings();
    EXPECT_TRUE(ui_.shows("this − other: at most", kModelPredictionCard)) << readings();
    for (const char* pass : {"the other", "difference"}) {
      ui_.click(pass, kModelHeadsCard);
      calm();
      EXPECT_EQ(ui_.heatmaps(kModelHeadsCard).size(), 8U) << which << pass;
    }
  }
  EXPECT_TRUE(ui_.shows("after “9” in this pass, after “9” in the other", kModelPredictionCard))
      << readings();
  compared.text = "44, 59, 8";
  calm();
  EXPECT_TRUE(ui_.shows("this − other, aligned: at most", kModelPredictionCard)) << readings();
  attention("decoder");
  EXPECT_TRUE(ui_.shows("this − other: at most", kModelPredictionCard)) << readings();
  compared.text.clear();
  compared.target = "0, 5, 7";
  calm();
  EXPECT_TRUE(ui_.shows("after “9” in this pass, after “7” in the other", kModelPredictionCard))
      << readings();
  compared.target.clear();
  compared.text = "44, 59, 8, 33";
  calm();
  ui_.click("its own target", kModelPredictionCard);
  calm();
  EXPECT_TRUE(ui_.shows("this − other, aligned", kModelPredictionCard))
      << "targets of other lengths\n"
      << readings();
  compared.folder = (std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2").string();
  calm();
  EXPECT_TRUE(ui_.shows("choose another one that has both", kModelPredictionCard)) << readings();
}

TEST_F(TwoStacksPage, ReadingsNameTheHalvesOfLayers) {
  ui_.click("Layer by layer", kModelPredictionCard);
  calm();
  EXPECT_TRUE(ui_.shows("layer 2 cross-attention", kModelPredictionCard)) << readings();
  ui_.click("Who says it", kModelPredictionCard);
  calm();
  EXPECT_TRUE(ui_.shows("2 cross", kModelPredictionCard)) << readings();
}

TEST_F(TwoStacksPage, ASessionKeepsTheTargetAndTheEdits) {
  target("0, 5, 9");
  attention("cross");
  ui_.click("layer 1, cross-attention, head 1 off", kModelHeadsCard);
  calm();
  ui_.view().model.layer = 3;
  ui_.frame();
  ui_.click("open layer 2, cross-attention in Flow", kModelHeadsCard);
  calm();
  ui_.app().apply(SetSwitch{&Switches::temperature, 5.0});
  ui_.app().apply(SetPin{{{TensorId::weights, 0, 1, 2, 3}, 0.75F}});
  calm();
  ui_.view().selection.page = kModelPage;
  calm();
  const std::string edited = text();
  ui_.view().selection.page = kFlowPage;
  calm();
  saveAs(lecture());
  ui_.restart(presetDocument("by-hand"));
  ui_.app().dropFiles({lecture()});
  calm();
  EXPECT_EQ(ui_.config().memoryLen, 4);
  EXPECT_EQ(ui_.document().pins.all().size(), 1U);
  ui_.view().selection.page = kModelPage;
  calm();
  EXPECT_EQ(text(), edited);
  EXPECT_TRUE(ui_.shows("off: cross 1·1; edited: layer 2, cross-attention", kModelHeadsCard))
      << heads();
  EXPECT_EQ(ui_.view().model.place.target, "0, 5, 9");
  EXPECT_EQ(ui_.view().model.attention, AttentionShown::cross);
}

/// Another source gets another target, and edits of the cross-attention stay.
TEST_F(TwoStacksPage, AnotherSourceIsWrittenForAgain) {
  attention("cross");
  ui_.click("layer 1, cross-attention, head 1 off", kModelHeadsCard);
  calm();
  const std::string before = text();
  ui_.view().model.place.text = "7, 3, 40, 12, 5, 9, 1";
  calm();
  EXPECT_TRUE(ui_.shows("7 tokens: 7 3 40 12 5 9 1", kModelTextCard)) << text();
  EXPECT_TRUE(ui_.shows("written by the model", kModelTextCard)) << text();
  EXPECT_NE(text(), before);
}

TEST_F(TwoStacksPage, OneStackHasNeither) {
  ui_.view().model.place = {(std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2").string(),
                            "The cat"};
  calm();
  EXPECT_FALSE(ui_.shows("Alignment", kModelPredictionCard)) << readings();
  EXPECT_FALSE(ui_.shows("cross", kModelHeadsCard)) << heads();
}

}  // namespace
}  // namespace headscope::ui
