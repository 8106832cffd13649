// The document that the window opens with: the learned heads shipped with the program where they
// fit, else designed heads, unless a flag names the source of the weights.
#include "app/cli/pass_options.h"
#include "core/attention/config.h"
#include "core/document/document.h"
#include "tests/cli/cli_test.h"

namespace headscope::cli {
namespace {

TEST(WindowDocument, OpensOnLearnedHeads) {
  EXPECT_EQ(documentForWindow({})->weightSource.init, WeightInit::learned);
  PassOptions options;
  options.texts = {"Birds sing."};
  EXPECT_EQ(documentForWindow(options)->weightSource.init, WeightInit::learned);
  EXPECT_EQ(documentFrom(options)->weightSource.init, WeightInit::xavier);
}

/// The window opens without waiting for heads to be learned; a picture waits.
TEST(WindowDocument, OpensOnDesignedHeadsOfOtherSizesAndOfSeries) {
  PassOptions bert;
  bert.config.preset = "bert-base";
  EXPECT_EQ(documentForWindow(bert)->weightSource.init, WeightInit::designed);
  EXPECT_TRUE(windowLearns(bert));
  EXPECT_FALSE(windowLearns({}));  // they are there
  PassOptions small;
  small.config.dModel = 64;
  small.config.heads = 2;
  EXPECT_EQ(documentForWindow(small, true)->weightSource.init, WeightInit::learned);
  PassOptions huge;
  huge.config.dModel = 8192;
  EXPECT_FALSE(windowLearns(huge));  // that would take minutes
  PassOptions series;
  series.config.preset = "rul";
  EXPECT_EQ(documentForWindow(series)->weightSource.init, WeightInit::designed);
  EXPECT_TRUE(windowLearns(series));
  series.config.dModel = 32;
  EXPECT_EQ(documentForWindow(series, true)->weightSource.init, WeightInit::learned);
}

TEST(WindowDocument, WhatTheFlagsSayHolds) {
  PassOptions options;
  options.seed = 3;
  EXPECT_EQ(documentForWindow(options)->weightSource, (WeightSource{WeightInit::xavier, 3, {}}));
  options.init = "normal";
  EXPECT_EQ(documentForWindow(options)->weightSource.init, WeightInit::normal);
  PassOptions byHand;
  byHand.config.preset = "by-hand";
  EXPECT_FALSE(documentForWindow(byHand)->weightSource.drawn());
  PassOptions tensors;
  tensors.input = dataFile("cat_d64_h8_t6.safetensors");
  tensors.config.heads = 8;
  EXPECT_EQ(documentForWindow(tensors)->weightSource.init, WeightInit::xavier);
}

}  // namespace
}  // namespace headscope::cli
