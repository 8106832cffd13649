// Links: what is on the screen goes into an address and comes back; a damaged one says so.
#include "app/link.h"

#include <gtest/gtest.h>

#include "app_driver.h"
#include "core/error.h"
#include "tests/core/support/same_document.h"

namespace headscope::ui {
namespace {

TEST(Link, IsCopiedAndOpensWhatItWasMadeOf) {
  AppDriver before;
  before.typeSentence("Keep these words");
  before.app().apply(SetCell{{TensorId::wQ, -1, -1, 1, 2}, 0.25F});
  before.view().head = 5;
  before.settle();
  const DocumentPtr document = before.app().document();
  before.click("session ▾");
  before.click("Copy link");
  const std::string link = ImGui::GetClipboardText();
  EXPECT_TRUE(link.starts_with("#s1."));
  EXPECT_LT(link.size(), 4'000U);

  before.typeSentence("Something else altogether");
  before.view().head = 0;
  before.app().openLink("https://example.org/headscope/" + link);
  before.settle();
  test::expectSame(*document, before.document());
  EXPECT_EQ(before.view().head, 5);
  before.press(Key{'Z'}, true);
  EXPECT_EQ(before.document().input->tokens[0][0], "Something");
}

/// Whether it is refused; else it must be the document: what was compressed may say the same in
/// several ways.
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
