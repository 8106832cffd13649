// What the window opens on: designed heads, unless a flag says where weights come from.
#include "app/cli/pass_options.h"
#include "tests/cli/cli_test.h"

namespace headscope::cli {
namespace {

TEST(WindowDocument, OpensOnDesignedHeads) {
  EXPECT_EQ(documentForWindow({})->weightSource.init, WeightInit::designed);
  PassOptions options;
  options.texts = {"Birds sing."};
  EXPECT_EQ(documentForWindow(options)->weightSource.init, WeightInit::designed);
  EXPECT_EQ(documentFrom(options)->weightSource.init, WeightInit::xavier);
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
