// The name of a model, derived from its folder.
#include "core/formats/model_name.h"

#include <gtest/gtest.h>

namespace headscope::formats {
namespace {

TEST(ModelName, IsTheFolders) {
  EXPECT_EQ(modelName("/models/gpt2"), "gpt2");
  EXPECT_EQ(modelName("/models/gpt2/"), "gpt2");
  EXPECT_EQ(modelName("/models/gpt2/."), "gpt2");
  EXPECT_EQ(modelName("/snapshots/gpt2"), "gpt2");
  EXPECT_EQ(modelName("/models--gpt2/other/x"), "x");
}

TEST(ModelName, OfACachedModelIsThatOfTheSite) {
  const std::string hash = "607a30d783dfa663caf39e06633721c8d4cfcd7e";
  EXPECT_EQ(modelName("/c/models--openai-community--gpt2/snapshots/" + hash),
            "openai-community/gpt2");
  EXPECT_EQ(modelName("/c/models--openai-community--gpt2/snapshots/" + hash + "/"),
            "openai-community/gpt2");
  EXPECT_EQ(modelName("/c/models--gpt2/snapshots/" + hash), "gpt2");
}

}  // namespace
}  // namespace headscope::formats
