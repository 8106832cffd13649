// Sites of a model: what flows through it at named places, for every family.
#include "core/model/sites.h"

#include <gtest/gtest.h>

#include "core/document/trace.h"
#include "core/formats/shipped_model.h"
#include "core/model/norms.h"
#include "core/tensor/sums.h"
#include "tests/core/support/circuits.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;

class SitesOfAModel : public testing::TestWithParam<std::string> {
 protected:
  ModelTracePtr trace_ = runModel(
      documentOf(formats::openModel(modelFolder(GetParam()), kBudgetBytes), {5, 17, 40, 8}),
      nullptr, {}, kBudgetBytes);

  Tensor layerOf(Site site, Index layer) const {
    return valuesOf(site, *trace_, {}).slice(0, layer, layer + 1);
  }
};
INSTANTIATE_TEST_SUITE_P(Models, SitesOfAModel, testing::ValuesIn(everyModel()), modelTestName);

TEST_P(SitesOfAModel, AreThoseOfThePass) {
  const ModelConfig& c = trace_->config();
  if (c.crossAttention) {
    expectUserError([&] { valuesOf(Site::k, *trace_, {}); }, "source text", "one by one");
    return;
  }
  for (const Site site : kSites) {
    ASSERT_EQ(siteFromName(nameOf(site)), site);
    if (!whyWithout(site, *trace_->document().model).empty()) {
      expectUserError([&] { valuesOf(site, *trace_, {}); }, "leave out the site");
      continue;
    }
    ASSERT_EQ(valuesOf(site, *trace_, {}).shape(), shapeOf(site, *trace_)) << nameOf(site);
  }
  for (Index layer = 0; layer < c.layers; ++layer) {
    const TracePtr attention = trace_->layer(layer);
    for (const auto& [site, id] : {std::pair(Site::q, TensorId::q),
                                   {Site::k, TensorId::k},
                                   {Site::v, TensorId::v},
                                   {Site::heads, TensorId::heads}}) {
      EXPECT_EQ(layerOf(site, layer).values(), attention->tensor(id).values());
    }
    EXPECT_EQ(layerOf(Site::residual, layer).values(), trace_->hidden(2 * layer).values());
    EXPECT_EQ(layerOf(Site::residualMid, layer).values(), trace_->hidden(2 * layer + 1).values());
    const Tensor whole = sum(trace_->hidden(2 * layer + 1), layerOf(Site::network, layer), 1.0, {});
    const NormWeights norm =
        c.preNorm ? NormWeights{} : trace_->document().model->layer(layer)->feedForwardNorm;
    EXPECT_EQ(normalized(whole, norm, c, {}).values(), trace_->hidden(2 * layer + 2).values());
  }
}

TEST(Sites, AnUnknownNameIsRefused) {
  expectUserError([] { siteFromName("keys"); }, "there is no site 'keys'", "q, k, v, heads");
}

TEST(Sites, AModelOfAttentionAloneHasNoNetworks) {
  const auto trace =
      runModel(makeModelDocument(formats::openModel(formats::kInductionModel, kBudgetBytes),
                                 {{1, 2, 3}, {}, {}}),
               nullptr, {}, kBudgetBytes);
  ASSERT_TRUE(trace->config().attentionOnly);
  expectUserError([&] { valuesOf(Site::network, *trace, {}); }, "without networks");
  EXPECT_EQ(valuesOf(Site::residual, *trace, {}).dim(0), trace->layers());
}

}  // namespace
}  // namespace headscope::test::models
