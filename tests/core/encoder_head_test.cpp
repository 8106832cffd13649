// A head of the encoder whose output is replaced: it acts through the memory alone.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/attention/config.h"
#include "core/document/trace.h"
#include "core/model/generation.h"
#include "core/model/head_output.h"
#include "core/model/patching.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

ModelTracePtr passOfFamily(const std::string& family) {
  const ModelPtr model = opened(ModelFolder("families/" + family));
  return runModel(documentOf(model, {5, 17, 40, 8}, {7, 3, 40, 12, 5, 9}), nullptr, {},
                  kBudgetBytes);
}

TEST(EncoderHead, ReplacedItChangesTheLogitAsItsPatchDoes) {
  for (const char* family : {"t5", "bart", "marian"}) {
    const ModelTracePtr trace = passOfFamily(family);
    const HeadOfLayer head{1, 2};
    const Tensor mean = meanOfRows(headOutput(passOf(*trace, Stack::encoder), head));
    const HeadReplaced found =
        replaceHead(trace, head, mean, 3, 9, std::nullopt, {}, Stack::encoder).value();
    Patch patch{Site::heads, head.layer, head.head, Patch::kEveryPlace, mean, Stack::encoder};
    PatchedRuns runs(trace, {patch}, {3, 9, std::nullopt}, {});
    while (!runs.runUnit()) continue;
    EXPECT_NEAR(found.logitBefore, runs.base().metric, 1e-5) << family;
    EXPECT_NEAR(found.logitAfter, runs.effects().front().metric, 1e-4) << family;
    EXPECT_GT(std::abs(found.total()), 1e-4) << family;
    EXPECT_FALSE(found.direct) << family;
  }
}

/// The decoder that writes keeps the row of the cross-attention that gave its logits.
TEST(EncoderHead, ADecoderKnowsWhereItsNewestRowLooks) {
  for (const char* family : {"t5", "bart", "marian"}) {
    const ModelTracePtr begun = passOfFamily(family);
    Decoder decoder(begun, 3);
    const std::vector<Index> added{11, 30};
    for (std::size_t fed = 0; fed <= added.size(); ++fed) {
      std::vector<Index> ids{5, 17, 40, 8};
      ids.insert(ids.end(), added.begin(), added.begin() + static_cast<std::ptrdiff_t>(fed));
      const ModelTracePtr whole =
          runModel(withInput(begun->document(), {ids, {}, {}}), nullptr, {}, kBudgetBytes);
      const ModelConfig& c = whole->config();
      ASSERT_EQ(std::ssize(decoder.memoryWeights()), c.depth()) << family;
      for (Index layer = 1; layer < c.layers; layer += 2) {
        const Tensor& row = decoder.memoryWeights()[static_cast<std::size_t>(c.depthOf(layer))];
        const Tensor all = whole->layer(layer)->materialise(TensorId::weights);
        for (Index head = 0; head < c.heads; ++head) {
          for (Index key = 0; key < 6; ++key) {
            EXPECT_NEAR(row.at({head, key}), all.at({0, head, std::ssize(ids) - 1, key}), 1e-5)
                << family << " layer " << layer;
          }
        }
      }
      if (fed < added.size()) {
        ASSERT_TRUE(decoder.feed(added[fed], {}));
      }
    }
  }
}

}  // namespace
}  // namespace headscope::test::models
