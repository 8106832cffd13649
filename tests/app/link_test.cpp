// Links: an address encodes the screen's state and restores it; a damaged address is reported.
#include "app/link.h"

#include <gtest/gtest.h>

#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/base/error.h"
#include "core/editing/make_document.h"
#include "tests/core/support/same_document.h"

namespace headscope::ui {
namespace {

TEST(Link, IsCopiedAndOpensWhatItWasMadeOf) {
  AppDriver before;
  before.typeSentence("Keep these words");
  before.app().apply(SetCell{{TensorId::wQ, -1, -1, 1, 2}, 0.25F});
  before.view().selection.head = 5;
  before.settle();
  const DocumentPtr document = before.app().document();
  before.click("session ▾");
  before.click("Copy link");
  const std::string link = ImGui::GetClipboardText();
  EXPECT_TRUE(link.starts_with("#s1."));
  EXPECT_LT(link.size(), 4'000U);

  before.typeSentence("Something else altogether");
  before.view().selection.head = 0;
  before.app().openLink("https://example.org/headscope/" + link);
  before.settle();
  test::expectSame(*document, before.document());
  EXPECT_EQ(before.view().selection.head, 5);
  before.press(Key{'Z'}, true);
  EXPECT_EQ(before.document().input->tokens[0][0], "Something");
}

/// A document with learned weights, of a size for which the program ships none.
DocumentPtr learnedDocument(Index dModel, const WeightMaker& make = drawWeightsFor) {
  const DocumentPtr like = textDocument("Keep these words", dModel, 2);
  return makeDocument("", like->config, *like->source, like->positions,
                      {WeightInit::learned, 3, {}}, kTestBudget, true, make);
}

/// Makes xavier weights in place of learned ones.
Weights xavier(const Document& d, WeightInit, std::uint64_t seed) {
  return drawWeights(d.config, WeightInit::xavier, seed);
}

TEST(Link, IsMadeAndOpenedWithWeightsThatAreLearnedForIt) {
  const DocumentPtr document = learnedDocument(16);
  AppDriver driver(document);
  driver.app().copyLink();
  driver.settle();
  const std::string link = ImGui::GetClipboardText();
  EXPECT_LT(link.size(), 4'000U) << "it does not hold the weights";
  driver.restart(presetDocument("by-hand"));
  driver.app().openLink(link);
  driver.settle();
  EXPECT_EQ(driver.app().message(), "opened a link");
  test::expectSame(*document, driver.document());
}

/// A document that says that its weights were learned; learning them takes far longer than the few
/// frames that are drawn here.
class LongLink : public testing::Test {
 protected:
  static constexpr const char* kProgress = "Learning the heads of the link: step ";

  /// Draws frames and edits while the weights are learned, then stops the learning.
  void expectFramesAndStop() {
    constexpr int kMany = 100'000;
    for (int i = 0; i < kMany && !driver_.shows(kProgress); ++i) driver_.frame();
    EXPECT_TRUE(driver_.shows(kProgress)) << driver_.screen().all();
    driver_.app().apply(SetSwitch{&Switches::temperature, 2.0});
    driver_.frame();
    EXPECT_EQ(driver_.config().switches->temperature, 2.0);
    driver_.host().click(driver_.app(), driver_.at("Stop"));
    driver_.settle();
    EXPECT_EQ(driver_.app().message(), "stopped: no link was copied or opened");
    EXPECT_FALSE(driver_.shows(kProgress));
  }

  DocumentPtr document_ = learnedDocument(2048, xavier);
  AppDriver driver_{document_};
};

TEST_F(LongLink, IsMadeInTheBackgroundAndCanBeStopped) {
  ImGui::SetClipboardText("before");
  driver_.app().copyLink();
  expectFramesAndStop();
  EXPECT_STREQ(ImGui::GetClipboardText(), "before");
}

TEST_F(LongLink, IsOpenedInTheBackgroundAndCanBeStopped) {
  const std::string link = linkOf({document_, "{}", {}, {}}, kTestBudget, xavier);
  driver_.restart(presetDocument("by-hand"));
  driver_.app().openLink(link);
  expectFramesAndStop();
  EXPECT_EQ(driver_.document().preset, "by-hand");
}

/// Returns whether the link is refused. A link that is accepted must give the document: several
/// compressed forms can hold one text.
bool refusedOrTheSame(const std::string& link, const Document& document) {
  try {
    test::expectSame(document, *sessionOfLink(link, kTestBudget).document);
    return false;
  } catch (const UserError&) {
    return true;
  }
}

TEST(Link, DamagedAnywhereItSaysSoAndTheProgramStaysAsItIs) {
  AppDriver driver;
  const DocumentPtr document = driver.app().document();
  const std::string link = linkOf({document, "{}", {}, {}}, kTestBudget);
  int refused = 0;
  int tried = 0;
  for (std::size_t i = 0; i < link.size(); i += 1 + link.size() / 40) {
    std::string damaged = link;
    damaged[i] = damaged[i] == 'x' ? 'y' : 'x';
    refused += refusedOrTheSame(damaged, *document) ? 1 : 0;
    refused += refusedOrTheSame(link.substr(0, i), *document) ? 1 : 0;
    tried += 2;
  }
  EXPECT_GT(refused, tried * 9 / 10);
  driver.app().openLink(link.substr(0, link.size() / 2));
  driver.settle();
  EXPECT_EQ(driver.app().document(), document);
  EXPECT_NE(driver.app().message().find("the link is damaged"), std::string::npos);
  EXPECT_THROW(sessionOfLink("s2.abc", kTestBudget), UserError);
}

}  // namespace
}  // namespace headscope::ui
