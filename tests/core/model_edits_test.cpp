// Model edits: a session keeps the edits of a model without its weights. On the same model they
// give the same pass; on another one they are refused.
#include "core/formats/model_edits.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/attention/switches.h"
#include "core/editing/edit.h"
#include "core/formats/link.h"
#include "core/formats/model_directory.h"
#include "core/formats/session.h"
#include "core/model/edited_layer.h"
#include "core/model/model_trace.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/same_document.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;
using formats::SavedModel;
using formats::Session;
using nlohmann::json;

class KeptModelEdits : public testing::Test {
 protected:
  KeptModelEdits() {
    fs::copy(fs::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2", folder(), fs::copy_options::recursive);
  }
  fs::path folder() const { return files_ / "tiny-gpt2"; }
  fs::path path() const { return files_ / "lecture.headscope.json"; }
  model::ModelPtr open() const { return formats::openModel(folder(), kBudget); }

  static model::ModelInput input() { return {{3, 1, 4, 1, 5}, {}, {}}; }
  /// A layer as a document whose X has random values: any X will do.
  static DocumentPtr layer(const model::ModelDocument& of, Index number) {
    return layerDocument(of, number,
                         randomTensor({1, of.tokens(), of.model->config().dModel}, 1, "x", 1.0F));
  }
  /// A model with edits: cells, a switch and a pin in layer 0, a whole matrix in layer 1.
  static model::ModelDocumentPtr edits(const model::ModelPtr& model) {
    auto made = makeModelDocument(model, input());
    DocumentPtr first = layer(*made, 0);
    first = edited(first, SetCell{{TensorId::wQ, -1, -1, 1, 2}, 0.25F});
    first = edited(first, SetCell{{TensorId::bO, -1, -1, 0, 3}, -0.0F});
    first = edited(first, SetSwitch{&Switches::temperature, 4.0});
    first = edited(first, SetPin{{{TensorId::weights, 0, 1, 2, 1}, 0.75F}});
    made = withLayer(*made, 0, *first);
    DocumentPtr second = layer(*made, 1);
    second = edited(second, CopyHead{TensorId::wV, 0, 2});
    return withLayer(*made, 1, *second);
  }
  Session sessionOf(const model::ModelDocumentPtr& document, std::vector<HeadOfLayer> off) const {
    SavedModel model{folder()};
    model.document = document;
    model.off = std::move(off);
    model.shown = {{shown_, 1, input()}};
    model.version = std::make_shared<const int>(0);
    return {shown_, "{}", {}, {}, {std::make_shared<const SavedModel>(model)}};
  }
  static Tensor outputOf(const model::ModelDocumentPtr& document) {
    return model::runModel(document, nullptr, ExecutionContext{}, kBudget)
        ->logits(0, document->tokens());
  }

  TempFolder files_;
  DocumentPtr shown_ = fromTensors(1, {"a", "b", "c", "d"});
};

TEST_F(KeptModelEdits, GiveTheSamePassAgain) {
  const auto document = edits(open());
  formats::saveSession(path(), sessionOf(document, {}));
  const Session session = formats::loadSession(path(), kBudget);
  ASSERT_EQ(session.models.size(), 1U);
  EXPECT_EQ(session.models[0]->folder, folder());
  ASSERT_EQ(session.models[0]->shown.size(), 1U);
  EXPECT_EQ(session.models[0]->shown[0].document, session.document);
  EXPECT_EQ(session.models[0]->shown[0].layer, 1);
  EXPECT_EQ(session.models[0]->shown[0].input.ids, input().ids);

  const auto made = formats::editsOn(open(), *session.models[0]->kept, input());
  ASSERT_NE(made.document, nullptr);
  EXPECT_EQ(made.document->edited.at(0)->config, document->edited.at(0)->config);
  EXPECT_EQ(made.document->edited.at(0)->pins, document->edited.at(0)->pins);
  EXPECT_EQ(outputOf(made.document).values(), outputOf(document).values());
  EXPECT_NE(outputOf(document).values(), outputOf(makeModelDocument(open(), input())).values());

  // saved again though the model was not opened
  const std::string before = readAll(path());
  formats::saveSession(path(), session);
  EXPECT_EQ(readAll(path()), before);
}

/// The weights lie side by side in one mapped file, several of them of one shape.
TEST_F(KeptModelEdits, ALayersOwnWeightsComeBackAsTheyAre) {
  for (const char* name : {"tiny-gpt2", "tiny-bert", "tiny-llama"}) {
    const auto model = formats::openModel(fs::path(HEADSCOPE_TEST_DATA) / name, kBudget);
    const DocumentPtr document = layer(*makeModelDocument(model, input()), 1);
    formats::saveSession(path(), {document, "{}", {}, {}});
    SCOPED_TRACE(name);
    expectSame(*document, *formats::loadSession(path(), kBudget).document);
  }
}

TEST_F(KeptModelEdits, AreWrittenAndNotTheWeights) {
  auto document = makeModelDocument(open(), input());
  document = withLayer(*document, 0,
                       *edited(layer(*document, 0), SetCell{{TensorId::wQ, -1, -1, 1, 2}, 0.25F}));
  formats::saveSession(path(), sessionOf(document, {{1, 3}}));
  const json file = json::parse(readAll(path()));
  const json& model = file.at("models").at(0);
  EXPECT_EQ(model.at("layers").at(0).at("edited").at("weights"),
            (json{{"W_Q", {{"cells", json::array({json::array({34, 0.25})})}}}}));
  EXPECT_EQ(model.at("layers").at(1).at("heads_off"), json::array({3}));
  const SafetensorsFile tensors(files_ / file.at("tensors").get<std::string>());
  for (const std::string& name : tensors.names()) EXPECT_FALSE(name.starts_with("model")) << name;
  const auto made =
      formats::editsOn(open(), *formats::loadSession(path(), kBudget).models[0]->kept, input());
  EXPECT_EQ(made.off, (std::vector<HeadOfLayer>{{1, 3}}));
}

TEST_F(KeptModelEdits, OnATextOfAnotherLengthKeepWhatFits) {
  formats::saveSession(path(), sessionOf(edits(open()), {}));
  const Session session = formats::loadSession(path(), kBudget);
  const auto made = formats::editsOn(open(), *session.models[0]->kept, {{7, 7}, {}, {}});
  EXPECT_EQ(made.document->edited.at(0)->config.switches->temperature, 4.0);
  EXPECT_TRUE(made.document->edited.at(0)->pins.empty()) << "its row is not there";
}

TEST_F(KeptModelEdits, AreRefusedOnOtherWeights) {
  formats::saveSession(path(), sessionOf(edits(open()), {}));
  const Session session = formats::loadSession(path(), kBudget);
  const fs::path weights = folder() / "model.safetensors";
  const SafetensorsFile file(weights);
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file.names()) {
    Tensor tensor = file.read(name).clone();
    if (name.find("h.1.attn.c_proj.weight") != std::string::npos) tensor.mutableData()[5] += 1.0F;
    tensors.push_back({name, std::move(tensor)});
  }
  writeSafetensors(weights, tensors);
  expectUserError([&] { formats::editsOn(open(), *session.models[0]->kept, input()); },
                  "holds another model than the one that was edited", "layer 2 has other weights");
}

/// A reader of weights whose file is gone.
class Unreadable final : public model::WeightReader {
 public:
  model::Embedding embedding() const override { throw UserError("cannot read the weights"); }
  model::LayerWeights layer(Index) const override { throw UserError("cannot read the weights"); }
  model::Readout readout() const override { throw UserError("cannot read the weights"); }
  bool hasReadout() const override { return false; }
  Index parameters() const override { return 0; }
  bool changedOnDisk() const override { return false; }
};

TEST_F(KeptModelEdits, ThatCannotBeKeptAreNamedAndTheRestIsSaved) {
  auto document = std::make_shared<model::ModelDocument>(*edits(open()));
  document->model = std::make_shared<const model::Model>(
      "gone", document->model->config(), std::make_unique<const Unreadable>(), kBudget);
  const auto saved = formats::saveSession(path(), sessionOf(document, {}));
  EXPECT_EQ(saved.leftOut, "the edits of gone: cannot read the weights");
  const Session session = formats::loadSession(path(), kBudget);
  EXPECT_TRUE(session.models.empty());
  expectSame(*shown_, *session.document);
}

TEST_F(KeptModelEdits, GoIntoALinkToo) {
  auto document = makeModelDocument(open(), input());
  document =
      withLayer(*document, 0, *edited(layer(*document, 0), SetSwitch{&Switches::temperature, 4.0}));
  const std::string text = formats::linkText(sessionOf(document, {{1, 3}}), kBudget);
  const Session session = formats::sessionFromLink(text, kBudget);
  const auto made = formats::editsOn(open(), *session.models.at(0)->kept, input());
  EXPECT_EQ(made.document->edited.at(0)->config.switches->temperature, 4.0);
  EXPECT_EQ(made.off, (std::vector<HeadOfLayer>{{1, 3}}));
}

TEST_F(KeptModelEdits, ThatAreDamagedAreNamed) {
  formats::saveSession(path(), sessionOf(edits(open()), {{1, 3}}));
  const json good = json::parse(readAll(path()));
  const std::vector<std::pair<std::string, json>> damages{
      {"/models/0/layers/0/own_weights", "xyz"},
      {"/models/0/layers/0/layer", -1},
      {"/models/0/layers/1/layer", 0},
      {"/models/0/layers/0/edited/weights/W_Q/cells/0/0", 1 << 20},
      {"/models/0/layers/0/edited/weights/W_Q/cells/0", json::array({1})},
      {"/models/0/layers/0/edited/config/temperature", 0},
      {"/models/0/layers/0/edited/pins/0/cell", "weights[0, 9, 0, 0]"},
      {"/models/0/shown/0/document", "scene 4"},
      {"/models/0/shown/0/layer", -2}};
  for (const auto& [field, value] : damages) {
    json j = good;
    ASSERT_TRUE(j.contains(json::json_pointer(field))) << field;
    j[json::json_pointer(field)] = value;
    files_.file("lecture.headscope.json", j.dump());
    SCOPED_TRACE(field);
    expectUserError([&] { formats::loadSession(path(), kBudget); },
                    "lecture.headscope.json: models");
  }
  json unknown = good;
  unknown["models"][0]["layers"][0]["edited"]["soft_cap"] = 0.1;
  files_.file("lecture.headscope.json", unknown.dump());
  expectUserError([&] { formats::loadSession(path(), kBudget); },
                  "models[0].layers[0].edited.soft_cap is 0.1");
}

}  // namespace
}  // namespace headscope::test
