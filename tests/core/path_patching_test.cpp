// Queries, keys and values that are patched alone, against heads computed in float64, and paths
// from head to head against passes in which everything else is pinned.
#include "core/model/path_patching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/document/document.h"
#include "core/model/head_output.h"
#include "core/model/sweep.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

const std::vector<Index> kPathIds{5, 17, 3, 40, 5, 17, 9}, kOtherPathIds{11, 2, 30, 8, 44, 1, 23};
const AskedWord kPathAsked{6, 21, 12};

ModelTracePtr pathPass(const ModelPtr& model, const std::vector<Index>& ids) {
  return runModel(makeModelDocument(model, {ids, {}, {}}), nullptr, {}, kBudgetBytes);
}

double metricAfter(const ModelTrace& trace) {
  const Tensor logits = trace.logits(kPathAsked.row, 1);
  return static_cast<double>(logits.data()[kPathAsked.word]) -
         static_cast<double>(logits.data()[*kPathAsked.other]);
}

double metricOf(const ModelTracePtr& base, const Patch& patch) {
  PatchedRuns runs(base, {patch}, kPathAsked, {});
  while (!runs.runUnit()) continue;
  return runs.effects().front().metric;
}

/// Outputs or weights of a head to be pinned.
struct Pinned {
  TensorId tensor;
  Index head;
  Tensor rows;
};

ModelDocumentPtr withPins(const ModelTrace& trace, const ModelDocument& document, Index layer,
                          const std::vector<Pinned>& values) {
  Document edited = *trace.layer(layer)->documentPtr();
  std::vector<Pin> pins;
  for (const Pinned& each : values) {
    for (Index i = 0; i < each.rows.dim(0); ++i) {
      for (Index j = 0; j < each.rows.dim(1); ++j) {
        pins.push_back({{each.tensor, 0, each.head, i, j}, each.rows.at({i, j})});
      }
    }
  }
  edited.pins = Pins::from(std::move(pins));
  return withLayer(document, layer, edited);
}

Tensor rowsIn(const ModelTrace& trace, TensorId id, Index layer, Index head) {
  const Tensor& all = trace.layer(layer)->tensor(id);
  return all.slice(1, head, head + 1).clone().reshaped({all.dim(2), all.dim(3)});
}

/// Σ weight · value, in float64.
Tensor weighted(const std::vector<std::vector<double>>& weights, const Tensor& values) {
  Tensor rows = Tensor::zeros(values.shape());
  for (Index i = 0; i < values.dim(0); ++i) {
    for (Index j = 0; j < values.dim(1); ++j) {
      double sum = 0.0;
      for (Index key = 0; key < values.dim(0); ++key) {
        sum += weights[static_cast<std::size_t>(i)][static_cast<std::size_t>(key)] *
               static_cast<double>(values.at({key, j}));
      }
      rows.mutableMatrix().row(i)[static_cast<std::size_t>(j)] = static_cast<float>(sum);
    }
  }
  return rows;
}

class PatchedSides : public testing::TestWithParam<std::string> {
 protected:
  const ModelPtr model_ = formats::openModel(modelFolder(GetParam()), kBudgetBytes);
  const ModelTracePtr base_ = pathPass(model_, kPathIds), other_ = pathPass(model_, kOtherPathIds);
};
INSTANTIATE_TEST_SUITE_P(Models, PatchedSides,
                         testing::Values("cohere", "falcon", "gemma3_text", "gptj", "granite",
                                         "mpt", "olmo2", "opt", "phi3", "tiny-bert", "tiny-gpt2",
                                         "tiny-llama"),
                         modelTestName);

/// A value is patched: every head that reads it gives weight × new value.
TEST_P(PatchedSides, AValueGoesToEveryHeadThatReadsIt) {
  const auto patches = patchesOver(SweepOver::values, *base_, valuesFrom(other_));
  const ModelConfig& c = model_->config();
  ASSERT_EQ(std::ssize(patches), c.layers * c.kvHeads);
  for (const Patch& patch : patches) {
    const AttentionConfig& own = base_->layer(patch.layer)->config();
    std::vector<Pinned> heads;
    for (Index head = 0; head < c.heads; ++head) {
      if (own.kvHead(head) != patch.head) continue;
      const Tensor present = rowsIn(*base_, TensorId::weights, patch.layer, head);
      std::vector<std::vector<double>> weights;
      for (Index i = 0; i < present.dim(0); ++i) {
        const auto row = present.matrix().row(i);
        weights.emplace_back(row.begin(), row.end());
      }
      heads.push_back({TensorId::heads, head,
                       weighted(weights, rowsIn(*other_, TensorId::v, patch.layer, patch.head))});
    }
    ASSERT_EQ(std::ssize(heads), c.heads / c.kvHeads);
    const ModelTracePtr after = runModel(withPins(*base_, base_->document(), patch.layer, heads),
                                         nullptr, {}, kBudgetBytes);
    EXPECT_NEAR(metricOf(base_, patch), metricAfter(*after), 2e-5)
        << patch.layer << "." << patch.head;
  }
}

TEST_P(PatchedSides, OwnValuesChangeNothing) {
  for (const SweepOver over : {SweepOver::queries, SweepOver::keys, SweepOver::values}) {
    PatchedRuns runs(base_, patchesOver(over, *base_, valuesFrom(base_)), kPathAsked, {});
    while (!runs.runUnit()) continue;
    for (const PatchEffect& effect : runs.effects()) {
      EXPECT_NEAR(effect.metric, runs.base().metric, 2e-5);
      EXPECT_NEAR(effect.direct.value_or(0.0), 0.0, 1e-6);
    }
  }
}

/// From one layer to the next nothing lies between: the receiver reads what it reads where the
/// sender is patched.
TEST_P(PatchedSides, ThroughTheNextLayerIsThePatchedPass) {
  const Patch sender{Site::heads, 0, 1, Patch::kEveryPlace, headOutput(*other_, {0, 1})};
  const ModelTracePtr after =
      runModel(withHeadOutput(*base_, {0, 1}, sender.rows), nullptr, {}, kBudgetBytes);
  for (const auto& [site, id] : {std::pair(Site::q, TensorId::q), std::pair(Site::k, TensorId::k),
                                 std::pair(Site::v, TensorId::v)}) {
    const Tensor found = valuesThrough(*base_, sender, {site, 1, 0}, {});
    const Tensor expected = rowsIn(*after, id, 1, 0), own = rowsIn(*base_, id, 1, 0);
    double change = 0.0;
    for (Index i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found.data()[i], expected.data()[i], 2e-5F);
      change = std::max(change, std::abs(static_cast<double>(found.data()[i] - own.data()[i])));
    }
    EXPECT_GT(change, 1e-5) << "the sender is read";
  }
}

/// A layer further on, the heads between are pinned at what they gave.
TEST(PathPatching, HeadsBetweenAreHeld) {
  ModelFolder folder("tiny-gpt2");
  const std::map<std::string, Tensor> two = folder.tensors;
  for (const auto& [name, tensor] : two) {
    const std::size_t at = name.find("h.1.");
    if (at == std::string::npos) continue;
    std::string third = name;
    folder.tensors[third.replace(at, 4, "h.2.")] = tensor;
  }
  folder.config["n_layer"] = 3;
  const ModelPtr model = opened(folder);
  const ModelTracePtr base = pathPass(model, kPathIds), other = pathPass(model, kOtherPathIds);
  const Patch sender{Site::heads, 0, 1, Patch::kEveryPlace, headOutput(*other, {0, 1})};
  std::vector<Pinned> between;
  for (Index head = 0; head < model->config().heads; ++head) {
    between.push_back({TensorId::heads, head, headOutput(*base, {1, head})});
  }
  const ModelDocumentPtr patched = withHeadOutput(*base, {0, 1}, sender.rows);
  const ModelTracePtr after =
      runModel(withPins(*base, *patched, 1, between), nullptr, {}, kBudgetBytes);
  const ModelTracePtr free = runModel(patched, nullptr, {}, kBudgetBytes);
  const Tensor found = valuesThrough(*base, sender, {Site::q, 2, 1}, {});
  const Tensor held = rowsIn(*after, TensorId::q, 2, 1), run = rowsIn(*free, TensorId::q, 2, 1);
  double differs = 0.0;
  for (Index i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found.data()[i], held.data()[i], 2e-5F);
    differs = std::max(differs, std::abs(static_cast<double>(found.data()[i] - run.data()[i])));
  }
  EXPECT_GT(differs, 1e-5) << "the heads between would have changed it";
}

/// Where the last layer's patterns are held, the paths through its values and the stream past it
/// are all there is: together they are the whole effect of a head.
TEST(PathPatching, AllPathsTogetherAreTheWholeEffect) {
  const ModelPtr model = formats::openModel("headscope:induction", kBudgetBytes);
  const ModelTracePtr base = pathPass(model, {1, 5, 9, 3, 1, 5, 9}),
                      other = pathPass(model, {2, 4, 8, 6, 2, 4, 8});
  const ModelConfig& c = model->config();
  ASSERT_TRUE(c.attentionOnly);
  ASSERT_EQ(c.layers, 2);
  std::vector<Pinned> patterns;
  for (Index head = 0; head < c.heads; ++head) {
    patterns.push_back({TensorId::weights, head, rowsIn(*base, TensorId::weights, 1, head)});
  }
  for (Index head = 0; head < c.heads; ++head) {
    const Patch sender{Site::heads, 0, head, Patch::kEveryPlace, headOutput(*other, {0, head})};
    std::vector<Patch> patches{sender};
    for (Index to = 0; to < c.kvHeads; ++to) {
      patches.push_back(patchesThrough(*base, {sender}, {Site::v, 1, to}, {}).front());
    }
    PatchedRuns runs(base, patches, kPathAsked, {});
    while (!runs.runUnit()) continue;
    double sum = runs.base().metric + runs.effects().front().direct.value();
    for (std::size_t i = 1; i < patches.size(); ++i) {
      sum += runs.effects()[i].metric - runs.base().metric;
    }
    const ModelDocumentPtr patched = withHeadOutput(*base, {0, head}, sender.rows);
    const ModelTracePtr held =
        runModel(withPins(*base, *patched, 1, patterns), nullptr, {}, kBudgetBytes);
    EXPECT_NEAR(sum, metricAfter(*held), 1e-4) << head;
    EXPECT_GT(std::abs(sum - runs.base().metric), 0.01);
  }
}

/// A GPT-2's head in float64, with one side of another text.
TEST(PathPatching, QueriesAndKeysAreThoseOfTheOtherText) {
  const ModelPtr model = formats::openModel(modelData("tiny-gpt2"), kBudgetBytes);
  const ModelTracePtr base = pathPass(model, kPathIds), other = pathPass(model, kOtherPathIds);
  for (const SweepOver over : {SweepOver::queries, SweepOver::keys}) {
    for (const Patch& patch : patchesOver(over, *base, valuesFrom(other))) {
      const bool ofQuery = patch.site == Site::q;
      const Tensor q = rowsIn(ofQuery ? *other : *base, TensorId::q, patch.layer, patch.head);
      const Tensor k = rowsIn(ofQuery ? *base : *other, TensorId::k, patch.layer, patch.head);
      std::vector<std::vector<double>> weights;
      for (Index i = 0; i < q.dim(0); ++i) {
        std::vector<double> row(static_cast<std::size_t>(k.dim(0)), 0.0);
        double total = 0.0;
        for (Index key = 0; key <= i; ++key) {
          double score = 0.0;
          for (Index j = 0; j < q.dim(1); ++j) {
            score += static_cast<double>(q.at({i, j})) * static_cast<double>(k.at({key, j}));
          }
          total += row[static_cast<std::size_t>(key)] =
              std::exp(score / std::sqrt(static_cast<double>(q.dim(1))));
        }
        for (double& weight : row) weight /= total;
        weights.push_back(std::move(row));
      }
      const Tensor rows = weighted(weights, rowsIn(*base, TensorId::v, patch.layer, patch.head));
      const Patch head{Site::heads, patch.layer, patch.head, Patch::kEveryPlace, rows};
      EXPECT_NEAR(metricOf(base, patch), metricOf(base, head), 2e-5);
      // one place alone
      Patch one = patch;
      one.place = 6;
      one.rows = patch.rows.slice(0, 6, 7).clone();
      if (!ofQuery) continue;
      Patch oneOfHead = head;
      oneOfHead.place = 6;
      oneOfHead.rows = rows.slice(0, 6, 7).clone();
      EXPECT_NEAR(metricOf(base, one), metricOf(base, oneOfHead), 2e-5);
    }
  }
}

TEST(PathPatching, RefusesWhatDoesNotExist) {
  const ModelPtr model = formats::openModel(modelData("tiny-llama"), kBudgetBytes);
  const ModelTracePtr base = pathPass(model, kPathIds);
  const Patch sender{Site::heads, 0, 1, Patch::kEveryPlace, headOutput(*base, {0, 1})};
  expectUserError(
      [&] {
        valuesThrough(*base, sender, {Site::k, 1, 9}, {});
      },
      "1.9:k", "key/value heads");
  expectUserError([&] { valuesThrough(*base, sender, {Site::q, 7, 0}, {}); }, "7.0:q");
  expectUserError([&] { valuesThrough(*base, sender, {Site::q, 0, 0}, {}); }, "earlier layer");
  expectUserError(
      [&] {
        PatchedRuns(base, {{Site::v, 1, 9, Patch::kEveryPlace, sender.rows}}, kPathAsked, {});
      },
      "no key/value head 9");
}

}  // namespace
}  // namespace headscope::test::models
