// Sessions keep the edits of a model: heads switched off, edits of a layer in Flow, and the layer
// that Flow shows; saved and opened, restored after a crash, and with the model's folder gone.
#include <filesystem>
#include <string>

#include "app/ui/model/model_page.h"
#include "core/attention/switches.h"
#include "core/tensor/safetensors.h"
#include "session_window.h"

namespace headscope::ui {
namespace {

namespace fs = std::filesystem;

class KeptModel : public Autosave {
 protected:
  KeptModel() {
    fs::copy(fs::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2", folder(), fs::copy_options::recursive);
    ui_.restartKeeping(state_.path(), presetDocument("by-hand"));
    ui_.app().dropFiles({folder()});
    settled();
    asItCame_ = says();
    ui_.view().selection.page = kModelPage;
    ui_.frame();
    ui_.click("layer 1, head 1 off", kModelHeadsCard);
    ui_.view().model.layer = 1;
    ui_.frame();
    ui_.click("open layer 2 in Flow", kModelHeadsCard);
    settled();
    ui_.app().apply(SetCell{{TensorId::wO, -1, -1, 3, 4}, 2.0F});
    ui_.app().apply(SetPin{{{TensorId::weights, 0, 1, 2, 1}, 0.75F}});
    settled();
    edited_ = says();
  }
  fs::path folder() const { return folder_ / "tiny-gpt2"; }

  void settled() {
    for (int i = 0; i < 2; ++i) {
      ui_.settle();
      ui_.frame();
    }
  }
  /// The text of the model's card: its predictions with their probabilities.
  std::string says() {
    const std::string page = ui_.view().selection.page;
    ui_.view().selection.page = kModelPage;
    ui_.frame();
    const std::string said = ui_.screen().all(kModelTextCard);
    ui_.view().selection.page = page;
    ui_.frame();
    return said;
  }
  void expectAllIsThere() {
    EXPECT_EQ(says(), edited_);
    ui_.view().selection.page = kFlowPage;
    ui_.frame();
    EXPECT_TRUE(ui_.shows("tiny-gpt2, layer 2 of 2", kLayerStripCard)) << ui_.screen().all();
    EXPECT_TRUE(ui_.shows("2*", kLayerStripCard)) << ui_.screen().all(kLayerStripCard);
    EXPECT_EQ(ui_.document().pins.all().size(), 1U);
    ui_.view().selection.page = kModelPage;
    ui_.view().model.layer = 0;
    ui_.view().model.head = 0;
    ui_.frame();
    EXPECT_TRUE(ui_.shows("layer 1, head 1 on", kModelHeadsCard));
  }
  void open(const fs::path& session) {
    ui_.app().dropFiles({session});
    settled();
  }

  std::string asItCame_, edited_;
};

TEST_F(KeptModel, ComesBackWithTheSession) {
  ASSERT_NE(edited_, asItCame_);
  saveAs(lecture());
  ui_.restart(presetDocument("by-hand"));
  open(lecture());
  expectAllIsThere();
  EXPECT_EQ(ui_.app().title(), "lecture · headscope") << "nothing was changed since";
}

/// A session names the picture that a model of images reads, and has no pixels of it.
class KeptImageModel : public Autosave {
 protected:
  void settled() {
    for (int i = 0; i < 2; ++i) {
      ui_.settle();
      ui_.frame();
    }
  }
  std::string says() {
    ui_.view().selection.page = kModelPage;
    settled();  // the map over the picture is computed once it is shown
    return ui_.screen().all(kModelTextCard);
  }
};

TEST_F(KeptImageModel, ComesBackWithItsPictureAndItsEditedLayer) {
  const fs::path data = HEADSCOPE_TEST_DATA;
  ui_.restartKeeping(state_.path(), presetDocument("by-hand"));
  ui_.app().dropFiles({data / "image_models" / "vit"});
  settled();
  ui_.app().dropFiles({data / "pictures" / "color.jpg"});
  settled();
  const std::string asItCame = says();
  ui_.view().model.layer = 1;
  ui_.frame();
  ui_.click("open layer 2 in Flow", kModelHeadsCard);
  settled();
  ui_.app().apply(SetCell{{TensorId::wO, -1, -1, 3, 4}, 2.0F});
  settled();
  const std::string edited = says();
  ASSERT_NE(edited, asItCame);
  saveAs(lecture());
  ui_.restart(presetDocument("by-hand"));
  ui_.app().dropFiles({lecture()});
  settled();
  EXPECT_EQ(says(), edited);
  ui_.view().selection.page = kFlowPage;
  ui_.frame();
  EXPECT_TRUE(ui_.shows("vit, layer 2 of 2", kLayerStripCard)) << ui_.screen().all();
}

TEST_F(KeptModel, ContinuesBeingEditedAfterwards) {
  saveAs(lecture());
  ui_.restart(presetDocument("by-hand"));
  open(lecture());
  ui_.app().apply(SetSwitch{&Switches::temperature, 3.0});
  settled();
  EXPECT_NE(says(), edited_) << "the layer is the model's still";
  ui_.press(Key{'Z'}, true);
  settled();
  EXPECT_EQ(says(), edited_);
}

TEST_F(KeptModel, ComesBackAfterACrash) {
  const TempFolder left;
  leaveIn(left);
  ui_.restartKeeping(left.path(), presetDocument("by-hand"));
  ui_.press(Key{'R'}, true, true);
  settled();
  expectAllIsThere();
}

TEST_F(KeptModel, AHeadThatIsOffIsUnsaved) {
  saveAs(lecture());
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");
  ui_.view().selection.page = kModelPage;
  ui_.view().model.layer = 0;
  ui_.view().model.head = 2;
  ui_.frame();
  ui_.click("layer 1, head 3 off", kModelHeadsCard);
  EXPECT_EQ(ui_.app().title(), "• lecture · headscope");
  EXPECT_EQ(autosaves().size(), 1U);
  ui_.press(Key{'S'}, true);
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");
}

TEST_F(KeptModel, ScenesStayLayersOfTheModel) {
  ui_.press(Key{'3'}, true);
  ui_.app().apply(SetSwitch{&Switches::temperature, 3.0});
  settled();
  const std::string warmer = says();
  saveAs(lecture());
  ui_.restart(presetDocument("by-hand"));
  open(lecture());
  EXPECT_EQ(says(), warmer);
  ui_.press(Key{'3'});
  settled();
  EXPECT_EQ(says(), edited_) << "the scene's layer is run in the model";
}

TEST_F(KeptModel, AnotherSessionHasItsOwnAndUndoBringsThisOneBack) {
  saveAs(lecture());
  const fs::path other = folder_ / "other.headscope.json";
  formats::saveSession(other, {textDocument("Without a model"), "{}", {}, {}});
  open(other);
  EXPECT_EQ(says(), asItCame_) << "no edits come from the session before";
  EXPECT_EQ(ui_.app().title(), "other · headscope");
  ui_.press(Key{'Z'}, true);
  settled();
  expectAllIsThere();
  EXPECT_EQ(ui_.app().title(), "lecture · headscope");
}

TEST_F(KeptModel, StaysWhileAnotherModelIsOpen) {
  ui_.app().dropFiles({fs::path(HEADSCOPE_TEST_DATA) / "tiny-llama"});
  settled();
  ASSERT_FALSE(ui_.shows("layer 1, head 1 on", kModelHeadsCard));
  saveAs(lecture());
  ui_.app().dropFiles({folder()});
  settled();
  expectAllIsThere();
  ui_.restart(presetDocument("by-hand"));
  open(lecture());
  ui_.app().dropFiles({folder()});
  settled();
  EXPECT_EQ(says(), edited_) << "the session of the other model has them, too";
}

TEST_F(KeptModel, WithoutTheFolderItIsSaidAndNothingIsLost) {
  saveAs(lecture());
  fs::rename(folder(), folder_ / "elsewhere");
  ui_.restart(presetDocument("by-hand"));
  open(lecture());
  EXPECT_NE(ui_.app().message().find("edits of the model stay in it and are not shown"),
            std::string::npos)
      << ui_.app().message();
  EXPECT_NE(ui_.app().message().find("tiny-gpt2 is not there"), std::string::npos);
  ui_.typeSentence("Changed without the model");
  ui_.press(Key{'Z'}, true);
  ui_.press(Key{'S'}, true);
  fs::rename(folder_ / "elsewhere", folder());
  ui_.restart(presetDocument("by-hand"));
  open(lecture());
  expectAllIsThere();
}

TEST_F(KeptModel, OnOtherWeightsItIsSaidAndNothingIsLost) {
  saveAs(lecture());
  const fs::path weights = folder() / "model.safetensors";
  const std::string good = readAll(weights);
  const SafetensorsFile file(weights);
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file.names()) {
    Tensor tensor = file.read(name).clone();
    if (name.find("attn") != std::string::npos) tensor.mutableData()[0] += 1.0F;
    tensors.push_back({name, std::move(tensor)});
  }
  ui_.restart(presetDocument("by-hand"));
  writeSafetensors(weights, tensors);
  open(lecture());
  EXPECT_NE(ui_.app().message().find("holds another model than the one that was edited"),
            std::string::npos)
      << ui_.app().message();
  ui_.view().selection.page = kFlowPage;
  ui_.frame();
  EXPECT_FALSE(ui_.shows("layer 2 of 2", kLayerStripCard)) << "it is no layer of that model";
  ui_.press(Key{'S'}, true);
  std::ofstream(weights, std::ios::binary) << good;
  ui_.restart(presetDocument("by-hand"));
  open(lecture());
  expectAllIsThere();
}

}  // namespace
}  // namespace headscope::ui
