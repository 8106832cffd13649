// Links: a session as the text of an address.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/attention/switches.h"
#include "core/formats/link.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/every_setting.h"
#include "tests/core/support/same_document.h"

namespace headscope::test {
namespace {

using formats::Session;
using nlohmann::json;

TEST(SessionLink, BringsEverythingBackBitForBit) {
  const DocumentPtr scene = fromTexts({"Another one"});
  const Session session{
      everything(), R"({"page":"heads"})", {{3, {"third", "Look.", "Wait."}, scene, "{}"}}, {}};
  const Session back = formats::sessionFromLink(formats::linkText(session, kBudget), kBudget);
  expectSame(*session.document, *back.document);
  EXPECT_EQ(back.view, session.view);
  ASSERT_EQ(back.scenes.size(), 1U);
  expectSame(*scene, *back.scenes.front().document);
  EXPECT_EQ(back.scenes.front().words.speaker, "Wait.");
}

TEST(SessionLink, HoldsWhatWasChangedAndNotTheRest) {
  DocumentPtr d = fromTexts({"The cat sat on the mat"});
  EXPECT_LT(formats::linkText({d, "{}", {}, {}}, kBudget).size(), 2'000U);
  d = edited(d, SetCell{{TensorId::wK, -1, -1, 2, 3}, 0.5F});
  EXPECT_LT(formats::linkText({d, "{}", {}, {}}, kBudget).size(), 2'100U);
}

TEST(SessionLink, RefusesMoreNumbersThanAnAddressHolds) {
  DocumentPtr d = edited(fromTexts({"The cat sat on the mat"}), SetDimensions{256, 8, 8});
  Weights other = d->weights;
  other.wQ = other.wV;
  d = edited(d, SetWeights{"mine.safetensors", other, d->config.switches->bias, d->config.numHeads,
                           d->config.numKvHeads});
  expectUserError(
      [&] {
        formats::linkText({d, "{}", {}, {}}, kBudget);
      },
      "save the session as a file", "20,000");
}

TEST(SessionLink, NamesWhatIsWrongInIt) {
  const std::string text = formats::linkText({everything(), "{}", {}, {}}, kBudget);
  const auto refused = [&](const char* path, const json& value, const char* what) {
    json changed = json::parse(text);
    changed[json::json_pointer(path)] = value;
    expectUserError([&] { formats::sessionFromLink(changed.dump(), kBudget); }, "the link", what);
  };
  refused("/own", 3, "own must be an object");
  refused("/own/document.W_K/cells/0/0", -1, "is no place of the tensor");
  refused("/own/document.W_K/cells/0", json::array({1}), "must be a place and a value");
  refused("/own/document.W_K/cells/0/1", -1e39, "cells[0][1] is -1e+39, beyond float32's range");
  refused("/version", 99, "version 99");
  refused("/document/config/d_model", 50, "document.config cannot be used");
  expectUserError([&] { formats::sessionFromLink(text.substr(0, text.size() / 2), kBudget); },
                  "the link", "damaged");
}

}  // namespace
}  // namespace headscope::test
