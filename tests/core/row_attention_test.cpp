// AlphaFold's row attention: the gate and the bias of pairs as settings of one layer, against
// PyTorch, and the edits, files and readings that have them.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/attention/ledger.h"
#include "core/attention/state_dict.h"
#include "core/attention/switches.h"
#include "core/base/json.h"
#include "core/document/trace_gradients.h"
#include "core/formats/document_json.h"
#include "core/formats/model_directory.h"
#include "core/formats/numpy_files.h"
#include "core/formats/pass_files.h"
#include "core/model/edited_layer.h"
#include "core/model/model_trace.h"
#include "core/presets/presets.h"
#include "core/words/cell_sentence.h"
#include "core/words/cells.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

const std::string kGolden = "row_attention/row_attention";

AttentionConfig gatedAndBiased() {
  AttentionConfig c = sized(40, 4, 9);
  c.batch = 2;
  c.switches->gate = true;
  return c;
}

DocumentPtr goldenPass(const SafetensorsFile& file) {
  AttentionConfig c = gatedAndBiased();
  c.pairBias = formats::loadPairBias(file.path(), c);
  const formats::LoadedWeights loaded = formats::loadWeights(file);
  EXPECT_TRUE(loaded.bias);
  return documentOf(c, formats::loadInput(file).x, {}, loaded.weights);
}

TEST(RowAttention, AgreesWithPyTorch) {
  const SafetensorsFile file(golden(kGolden));
  const TracePtr trace = runAttention(goldenPass(file));
  int compared = 0;
  for (const TensorId id : resultsOf(trace->config())) {
    const std::string name = "expected." + std::string(info(id).name);
    if (!file.has(name)) continue;
    ++compared;
    EXPECT_EQ(file.shape(name), shapeOf(id, trace->config())) << name;
    expectClose(trace->materialise(id), file.read(name).values(), name);
  }
  EXPECT_EQ(compared, 12);
}

TEST(RowAttention, ItsGradientsAgreeWithPyTorch) {
  const SafetensorsFile file(golden(kGolden));
  const TracePtr trace = runAttention(goldenPass(file));
  const GradientsPtr gradients = gradientsOf(trace, file.read("grad_output"));
  int compared = 0;
  for (std::size_t i = 0; i < kEveryTensorCount; ++i) {
    const auto id = static_cast<TensorId>(i);
    const std::string name = "expected.grad." + std::string(info(id).name);
    if (!file.has(name)) continue;
    ++compared;
    if (id == TensorId::bK) {  // 0 but for rounding
      EXPECT_LE(largest(gradients->tensor(id).values()),
                1e-5 * largest(gradients->tensor(TensorId::bQ).values()));
      continue;
    }
    expectClose(gradients->tensor(id), file.read(name).values(), name);
  }
  EXPECT_EQ(compared, 15);
}

TEST(RowAttention, OnlyWhatAChangeConcernsRunsAgain) {
  AttentionConfig c = gatedAndBiased();
  c.pairBias = PairBias::drawn(4, 9, 9, 1);
  const DocumentPtr before = randomDocument(c);
  const auto ran = [&](const Edit& edit) {
    return stepsThatRan(*runAttention(edited(before, edit), runAttention(before)));
  };
  using Steps = std::vector<std::string>;
  const Steps fromMask{"mask", "softmax", "weigh", "gate", "concat", "output"};
  EXPECT_EQ(ran(SetCell{{TensorId::pairBias, -1, 1, 2, 3}, 4.0F}), fromMask);
  EXPECT_EQ(ran(SetCell{{TensorId::wG, -1, -1, 2, 3}, 4.0F}), (Steps{"gate", "concat", "output"}));
  EXPECT_EQ(ran(SetPin{{{TensorId::gate, 1, 1, 2, 3}, 0.0F}}), (Steps{"gate", "concat", "output"}));
  EXPECT_EQ(ran(SetSwitch{&Switches::gate, false}), (Steps{"concat", "output"}));
}

TEST(Gate, SwitchedOnDrawsItsWeightsAndOffTakesThemAway) {
  const DocumentPtr plain = fromTexts({"M Q I F V K"});
  const EditResult on = applied(plain, SetSwitch{&Switches::gate, true});
  EXPECT_EQ(on.note, "W_G and b_G were drawn (seed 1)");
  const Weights& w = on.document->weights;
  EXPECT_EQ(w.wG.shape(), (Shape{48, 48}));
  EXPECT_EQ(w.bG.values(), std::vector<float>(48, 1.0F));
  EXPECT_TRUE(w.wQ.sameAs(plain->weights.wQ));
  expectConsistent(*on.document);
  const Ledger more = ledger(on.document->config), less = ledger(plain->config);
  EXPECT_EQ(more.parameters.total, less.parameters.total + 48 * 48 + 48);

  const DocumentPtr off = edited(on.document, SetSwitch{&Switches::gate, false});
  EXPECT_TRUE(off->weights.wG.empty() && off->weights.bG.empty());
  EXPECT_EQ(off->config, plain->config);
  EXPECT_TRUE(sameWeights(*off, *plain));
}

TEST(Gate, IsEditedByHeadsAndPinned) {
  const DocumentPtr before = edited(fromTexts({"M Q I F"}), SetSwitch{&Switches::gate, true});
  EXPECT_EQ(headRegion(TensorId::wG, 2, before->config), (Region{TensorId::wG, -1, 24, 12, 0, 48}));
  EXPECT_EQ(headRegion(TensorId::bG, 2, before->config), (Region{TensorId::bG, -1, 0, 1, 24, 12}));
  const DocumentPtr same = edited(before, CopyHead{TensorId::wG, 0, 3});
  const TracePtr trace = runAttention(same);
  EXPECT_EQ(trace->value({TensorId::gate, 0, 0, 1, 5}), trace->value({TensorId::gate, 0, 3, 1, 5}));

  const DocumentPtr closed = edited(before, SetPin{{{TensorId::gate, 0, 1, 2, 3}, 0.0F}});
  EXPECT_EQ(runAttention(closed)->value({TensorId::concat, 0, -1, 2, 12 + 3}), 0.0F);
  const DocumentPtr off = edited(closed, SetSwitch{&Switches::gate, false});
  EXPECT_TRUE(off->pins.empty());
  expectRefused(off, SetCell{{TensorId::wG, -1, -1, 0, 0}, 1.0F}, "", "W_G", "gate");
  expectRefused(off, CopyHead{TensorId::wG, 0, 1}, "", "W_G", "gate");
  const FillDrawn learned{WeightInit::learned, 1};  // learned weights have no gate
  const DocumentPtr drawn =
      edited(before, FillRegion{wholeRegion(TensorId::wG, -1, before->config), learned});
  EXPECT_EQ(drawn->weights.wG.shape(), before->weights.wG.shape());
}

TEST(Gate, StaysWithLoadedWeightsAndComesWithTheirs) {
  const TempFolder folder;
  const DocumentPtr gated = edited(fromTexts({"M Q I F"}), SetSwitch{&Switches::gate, true});
  formats::saveWeights(folder / "gate.safetensors", gated->weights, true);
  const auto loaded = formats::loadWeights(SafetensorsFile(folder / "gate.safetensors"));
  EXPECT_TRUE(sameBits(loaded.weights.wG, gated->weights.wG));
  EXPECT_TRUE(sameBits(loaded.weights.bG, gated->weights.bG));
  const DocumentPtr plain = fromTexts({"M Q I F"});
  const DocumentPtr with = edited(plain, SetWeights{"gate", loaded.weights, true, 4, 4});
  EXPECT_TRUE(with->config.switches->gate);

  formats::saveWeights(folder / "none.safetensors", plain->weights, true);
  const auto none = formats::loadWeights(SafetensorsFile(folder / "none.safetensors"));
  EXPECT_TRUE(none.weights.wG.empty());
  const EditResult drawn = applied(gated, SetWeights{"none", none.weights, true, 4, 4});
  EXPECT_EQ(drawn.note, "the file has no gate, so W_G and b_G were drawn (xavier, seed 1)");
  expectConsistent(*drawn.document);

  Weights wrong = loaded.weights;
  wrong.wG = Tensor::zeros({48, 47});
  expectRefused(plain, SetWeights{"wrong", wrong, true, 4, 4}, "", "W_G", "(48, 47)");
}

TEST(RowAttention, ALayerWithinAModelGetsNoNewParameters) {
  const auto opened =
      formats::openModel(std::filesystem::path(HEADSCOPE_TEST_DATA) / "tiny-gpt2", kBudget);
  const auto document = model::makeModelDocument(opened, {{1, 2, 3}, {}, {}});
  const auto trace = model::runModel(document, nullptr, {}, kBudget);
  const DocumentPtr own = trace->documentOfLayer(0, kBudget);
  const DocumentPtr gated = edited(own, SetSwitch{&Switches::gate, true});
  expectUserError([&] { model::withLayer(*document, 0, *gated); }, "layer 1", "gate", "by itself");
  const Index heads = own->config.numHeads;
  const DocumentPtr biased = edited(own, SetPairBias{PairBias::drawn(heads, 3, 3, 1)});
  expectUserError([&] { model::withLayer(*document, 0, *biased); }, "layer 1", "bias of pairs");
}

TEST(PairBiasOfPairs, IsDrawnAndEditedLikeAnOperand) {
  const DocumentPtr plain = fromTexts({"M Q I F"});
  const DocumentPtr before = edited(plain, SetPairBias{PairBias::drawn(4, 4, 4, 3)});
  EXPECT_EQ(PairBias::drawn(4, 4, 4, 3), before->config.pairBias);
  EXPECT_NE(PairBias::drawn(4, 4, 4, 4), before->config.pairBias);
  const CellRef cell{TensorId::pairBias, -1, 2, 1, 3};
  EXPECT_EQ(toString(cell), "pair_bias[2, 1, 3]");
  EXPECT_EQ(cellFromString("pair_bias[2, 1, 3]"), cell);

  const DocumentPtr after = edited(before, SetCell{cell, 7.0F});
  const TracePtr trace = runAttention(after);
  EXPECT_EQ(trace->value(cell), 7.0F);
  EXPECT_FALSE(after->config.pairBias.settings().seed);
  const CellRef masked{TensorId::maskedScores, 0, 2, 1, 3};
  const Explanation e = explainCell(*trace, masked);
  ASSERT_EQ(e.terms.size(), 2U);
  EXPECT_EQ(e.terms[1].cells, std::vector<CellRef>{cell});
  EXPECT_EQ(e.terms[1].product, 7.0);
  EXPECT_TRUE(isBiased(e));
  EXPECT_EQ(biasText(e), " + 7");
  EXPECT_EQ(cellInWords(*trace, cell), "bias of ‘Q’ for ‘F’: 7");

  Region row{TensorId::pairBias, -1, 1, 1, 0, 4, 2};
  EXPECT_EQ(nameOf(row, after->config), "pair_bias of head 3, row 1");
  const DocumentPtr zero = edited(after, FillRegion{row, FillZero{}});
  EXPECT_EQ(runAttention(zero)->value(cell), 0.0F);
  EXPECT_EQ(runAttention(zero)->value({TensorId::pairBias, -1, 2, 2, 3}),
            trace->value({TensorId::pairBias, -1, 2, 2, 3}));
  const DocumentPtr again = edited(zero, FillRegion{row, FillDrawn{WeightInit::normal, 3}});
  EXPECT_EQ(again->config.pairBias.settings().values, before->config.pairBias.settings().values);
  row.head = 4;
  expectRefused(after, FillRegion{row, FillZero{}}, "", "pair_bias");
  expectRefused(plain, SetCell{cell, 1.0F}, "", "no pair_bias", "switch");
}

TEST(PairBiasOfPairs, FollowsATextWhereItIsDrawnAndIsLeftOutWhereItIsGiven) {
  const DocumentPtr drawn =
      edited(fromTexts({"M Q I F"}), SetPairBias{PairBias::drawn(4, 4, 4, 3)});
  const EditResult longer = applied(drawn, SetText{0, false, "M Q I F V"});
  EXPECT_EQ(longer.document->config.pairBias, PairBias::drawn(4, 5, 5, 3));
  EXPECT_TRUE(longer.note.starts_with("the pair bias was drawn again for other heads or pairs"));
  EXPECT_EQ(edited(drawn, SetBatch{2})->config.pairBias, drawn->config.pairBias);

  const DocumentPtr given = edited(drawn, SetCell{{TensorId::pairBias, -1, 0, 0, 0}, 1.0F});
  const EditResult shorter = applied(given, SetText{0, false, "M Q"});
  EXPECT_FALSE(shorter.document->config.pairBias.on());
  EXPECT_NE(shorter.note.find("left out"), std::string::npos);
  expectRefused(drawn, SetPairBias{PairBias::drawn(4, 3, 4, 1)}, "pair_bias", "4 heads");
}

TEST(PairBiasOfPairs, IsReadFromFiles) {
  const TempFolder folder;
  AttentionConfig c = sized(8, 2, 3);
  c.pairBias = PairBias::drawn(2, 3, 3, 5);
  const Tensor& numbers = c.pairBias.tensor();
  formats::writeNpy(folder / "b.npy", numbers);
  writeSafetensors(folder / "b.safetensors", std::vector<NamedTensor>{{"pair_bias", numbers}}, {});
  for (const char* name : {"b.npy", "b.safetensors"}) {
    const PairBias read = formats::loadPairBias(folder / name, c);
    EXPECT_EQ(read.settings().values, c.pairBias.settings().values) << name;
  }
  c.seqLen = 4;
  expectUserError([&] { formats::loadPairBias(folder / "b.npy", c); }, "b.npy", "(2, 4, 4)", "18");
  expectUserError([&] { formats::loadPairBias(folder / "b.safetensors", c); }, "b.safetensors",
                  "(2, 4, 4)", "(2, 3, 3)");
  writeSafetensors(folder / "x.safetensors", std::vector<NamedTensor>{{"x", numbers}}, {});
  expectUserError([&] { formats::loadPairBias(folder / "x.safetensors", c); }, "no tensor", "x");
}

TEST(PairBiasOfPairs, IsSavedByItsSeedOrItsNumbers) {
  AttentionConfig c = sized(8, 2, 3);
  const std::string file = "a file";
  for (const bool edited : {false, true}) {
    c.pairBias =
        edited ? PairBias::of(PairBias::drawn(2, 3, 3, 5).tensor()) : PairBias::drawn(2, 3, 3, 5);
    const Json json = formats::wholeConfigJson(c);
    EXPECT_EQ(json.dump().find("values") != std::string::npos, edited);
    EXPECT_EQ(formats::wholeConfigFrom(JsonField(json, file), kBudget), c);
  }
  Json huge = formats::wholeConfigJson(c);
  huge["pair_bias"] = {{"seed", 1}, {"heads", 2}, {"queries", 1 << 16}, {"keys", 1 << 16}};
  expectUserError([&] { formats::wholeConfigFrom(JsonField(huge, file), kBudget); },
                  "pair_bias.queries", "must be 3");
}

TEST(AlphaFold, OfAnotherTextThePresetHasNoBias) {
  Preset preset = presetByName("alphafold2-evoformer");
  preset.source = TextSource{{"M K V"}, {}};
  const DocumentPtr document = makePreset(preset, {}, kBudget);
  EXPECT_TRUE(document->config.switches->gate);
  EXPECT_FALSE(document->config.pairBias.on());
  EXPECT_NE(std::ranges::find(document->input->notes,
                              "the pair bias was left out, since it is of other heads or pairs"),
            document->input->notes.end());
}

TEST(AlphaFold, ThePresetHasAGateAndABiasOfPairs) {
  const Preset& preset = presetByName("alphafold2-evoformer");
  EXPECT_TRUE(preset.config.switches->gate);
  const DocumentPtr document = makePreset(preset, {}, kBudget);
  const AttentionConfig& c = document->config;
  ASSERT_TRUE(c.pairBias.ofPairs());
  EXPECT_EQ(c.pairBias.at(0, 2, 14), 4.0F);   // I3 and L15 in the hairpin, head 1
  EXPECT_EQ(c.pairBias.at(1, 22, 26), 4.0F);  // one turn of the helix, head 2
  EXPECT_EQ(c.pairBias.at(7, 2, 14), 0.0F);
  std::vector<std::string> steps;
  for (const Step* step : stepsOf(c)) steps.emplace_back(step->text(c).id);
  EXPECT_EQ(steps, (std::vector<std::string>{"project", "split", "score", "scale", "mask",
                                             "softmax", "weigh", "gate", "concat", "output"}));
  const TracePtr trace = runAttention(document);
  EXPECT_EQ(trace->tensor(TensorId::gated).shape(), (Shape{1, 8, 32, 32}));
  EXPECT_EQ(document->weights.wG.shape(), (Shape{256, 256}));
}

}  // namespace
}  // namespace headscope::test
