// The token row: a sentence is typed, refused, undone; its tokens are dragged; the memory's too.
#include <algorithm>
#include <cmath>
#include <functional>

#include "app_driver.h"
#include "core/attention/switches.h"
#include "core/document/trace.h"

namespace headscope::ui {
namespace {

using Words = std::vector<std::string>;

const Words& tokensOf(const Document& document, std::size_t item = 0) {
  return document.input->tokens[item];
}

/// Rows of the output, as values.
std::vector<float> outputRow(const Trace& trace, Index row) {
  std::vector<float> values(static_cast<std::size_t>(trace.config().dModel));
  trace.tile(TensorId::output, 0, -1, row, 1, 0, trace.config().dModel, values.data());
  return values;
}

TEST(Text, ATypedSentenceIsWhatIsComputed) {
  AppDriver ui;
  const TracePtr before = ui.app().trace();
  ui.typeSentence("The dog barked");
  EXPECT_EQ(tokensOf(ui.document()), (Words{"The", "dog", "barked"}));
  EXPECT_EQ(ui.trace().documentPtr(), ui.app().document());
  EXPECT_EQ(ui.trace().tensor(TensorId::weights).shape(), (Shape{1, 8, 3, 3}));
  EXPECT_TRUE(ui.screen().find("barked", "stage"));
  EXPECT_FALSE(ui.screen().find("cat", "stage"));
  EXPECT_FALSE(ui.shows("done", "tokens"));  // Enter left the field
  EXPECT_EQ(ui.undoAll(), 1);
  EXPECT_TRUE(sameValues(ui.trace(), *before, TensorId::output));
}

TEST(Text, EveryKeystrokeIsFollowed) {
  AppDriver ui;
  ui.typeSentence("a", false);
  EXPECT_EQ(ui.trace().config().seqLen, 1);
  ui.type(" b");
  EXPECT_EQ(ui.trace().config().seqLen, 2);
  ui.type("c d");
  EXPECT_EQ(tokensOf(ui.trace().document()), (Words{"a", "bc", "d"}));
  ui.press(Key::backspace);
  EXPECT_EQ(ui.trace().config().seqLen, 2);
}

TEST(Text, TwoTimesOfTypingAreTwoEntries) {
  AppDriver ui;
  ui.typeSentence("one two");
  ui.typeSentence("one two three");
  ui.press(Key{'Z'}, true);
  EXPECT_EQ(tokensOf(ui.document()), (Words{"one", "two"}));
  ui.press(Key{'Z'}, true);
  EXPECT_EQ(tokensOf(ui.document()), (Words{"The", "cat", "sat", "on", "the", "mat"}));
  ui.press(Key{'Z'}, true, true);
  ui.press(Key{'Y'}, true);
  EXPECT_EQ(tokensOf(ui.document()), (Words{"one", "two", "three"}));
}

TEST(Text, EditTextOpensTheSentenceAndDoneLeavesIt) {
  AppDriver ui;
  ui.click("edit text", "tokens");
  EXPECT_TRUE(ui.screen().find("The cat sat on the mat", "tokens"));
  ui.press(Key::end);
  ui.type(" again");
  EXPECT_EQ(tokensOf(ui.document()).back(), "again");
  ui.click("done", "tokens");
  EXPECT_FALSE(ui.shows("done", "tokens"));
  EXPECT_EQ(tokensOf(ui.document()).size(), 7U);
}

TEST(Text, AnEmptyOneKeepsTheLastPictureAndSaysWhy) {
  AppDriver ui;
  const TracePtr before = ui.app().trace();
  ui.press(Key{'E'}, true);
  ui.press(Key{'A'}, true);
  ui.press(Key::backspace);
  EXPECT_EQ(ui.app().trace(), before);
  EXPECT_TRUE(ui.shows("text is empty; give it at least one word"));
  EXPECT_TRUE(ui.screen().find("cat", "stage"));
  ui.type("   ");
  EXPECT_EQ(ui.app().trace(), before);
  ui.type("Dogs");
  EXPECT_EQ(ui.trace().config().seqLen, 1);
  EXPECT_FALSE(ui.shows("text is empty"));
}

TEST(Text, TenMegabytesPastedAreRefusedInWords) {
  AppDriver ui;
  const TracePtr before = ui.app().trace();
  std::string text;
  while (text.size() < (std::size_t{10} << 20)) text += "word ";
  ImGui::SetClipboardText(text.c_str());
  ui.press(Key{'E'}, true);
  ui.press(Key{'A'}, true);
  ui.press(Key{'V'}, true);
  EXPECT_EQ(ui.app().trace(), before);
  EXPECT_TRUE(ui.shows("text has 10.0 MB; the limit is 1 MB, so shorten it"));
}

/// Dear ImGui may hold only characters of 16 bits; the document still gets the typed text.
TEST(Text, EmojiTypedAndPastedArriveWhole) {
  AppDriver ui;
  ui.typeSentence("a 😀 b😁c", false);
  EXPECT_EQ(tokensOf(ui.document()), (Words{"a", "😀", "b", "😁", "c"}));
  ImGui::SetClipboardText(" 𝄞 🦊");
  ui.press(Key{'V'}, true);
  EXPECT_EQ(tokensOf(ui.document()), (Words{"a", "😀", "b", "😁", "c", "𝄞", "🦊"}));
  ui.press(Key::backspace);
  EXPECT_EQ(tokensOf(ui.document()).back(), "𝄞");
  ui.press(Key{'Z'}, true);  // the field's own undo
  EXPECT_EQ(tokensOf(ui.document()).back(), "🦊");
  ui.press(Key::enter);
  // different words, so different rows of X
  const Tensor& x = ui.trace().tensor(TensorId::x);
  const ConstMatrixView rows = x.matrix({0});
  EXPECT_FALSE(std::ranges::equal(rows.row(1), rows.row(3)));

  // characters stay whole when the text is edited again, copied and cut
  ui.press(Key{'E'}, true);
  ui.press(Key::end);
  ui.type("!");
  EXPECT_EQ(tokensOf(ui.document()), (Words{"a", "😀", "b", "😁", "c", "𝄞", "🦊", "!"}));
  ui.press(Key{'A'}, true);
  ui.press(Key{'C'}, true);
  EXPECT_STREQ(ImGui::GetClipboardText(), "a 😀 b😁c 𝄞 🦊!");
  ui.press(Key{'X'}, true);
  EXPECT_STREQ(ImGui::GetClipboardText(), "a 😀 b😁c 𝄞 🦊!");
  // characters for private use, which the field uses as substitutes, are kept
  ImGui::SetClipboardText("\uE000 😀 \uE001");
  ui.press(Key{'V'}, true);
  EXPECT_EQ(tokensOf(ui.document()), (Words{"\uE000", "😀", "\uE001"}));
  ui.press(Key::escape);
  EXPECT_EQ(tokensOf(ui.document()).front(), "a");  // as before this edit
}

TEST(Text, EmojiOfTheDocumentSurviveAnEditNextToThem) {
  AppDriver ui(textDocument("🐈 and 🐕"));
  ui.press(Key{'E'}, true);
  ui.press(Key::end);
  ui.type(" ran");
  ui.press(Key::enter);
  EXPECT_EQ(tokensOf(ui.document()), (Words{"🐈", "and", "🐕", "ran"}));
  EXPECT_EQ(std::get<TextSource>(*ui.document().source).texts.at(0), "🐈 and 🐕 ran");
}

TEST(Text, ATokenIsDraggedToAnotherPlace) {
  AppDriver ui;
  ui.host().drag(ui.app(), ui.at("cat", "chips"), ui.at("the", "chips"));
  ui.settle();
  EXPECT_EQ(tokensOf(ui.document()), (Words{"The", "sat", "on", "cat", "the", "mat"}));
  EXPECT_EQ(ui.undoAll(), 1);
  EXPECT_EQ(tokensOf(ui.document()), (Words{"The", "cat", "sat", "on", "the", "mat"}));
}

TEST(Text, WithoutPositionsTheOutputsRowsFollowTheirTokens) {
  AppDriver ui;
  ui.click("More ▾", "top bar");
  ui.click("own coordinates");
  ui.click("off");
  ASSERT_EQ(ui.document().positions, Positions::none);
  ui.press(Key::escape);
  const TracePtr before = ui.app().trace();
  ImVec2 to = ui.at("mat", "chips");
  to.x += 60;
  ui.host().drag(ui.app(), ui.at("cat", "chips"), to);
  ui.settle();
  ASSERT_EQ(tokensOf(ui.document()), (Words{"The", "sat", "on", "the", "mat", "cat"}));
  constexpr Index kFrom[] = {0, 2, 3, 4, 5, 1};
  for (Index row = 0; row < 6; ++row) {
    const auto now = outputRow(ui.trace(), row);
    const auto then = outputRow(*before, kFrom[row]);
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_NEAR(now[i], then[i], 1e-6F) << row;
  }
}

TEST(Text, AClickOnATokenChoosesItsRow) {
  AppDriver ui;
  ui.click("on", "chips");
  ASSERT_TRUE(ui.view().selection.cell);
  EXPECT_EQ(ui.view().selection.cell->row, 3);
  EXPECT_TRUE(ui.shows("query 'on'", "inspector"));
}

TEST(Text, ExamplesAreOpenedAsWholeStates) {
  AppDriver ui(presetDocument("by-hand"));
  ui.view().preferences.learnHeads = false;  // at sizes that take a while to learn
  for (const Example& example : examples()) {
    ui.click("examples ▾", "tokens");
    ui.click(example.title, "Popup");
    EXPECT_EQ(*ui.document().source, example.source) << example.name;
    EXPECT_EQ(ui.trace().documentPtr(), ui.app().document()) << ui.app().message();
    EXPECT_EQ(ui.config(), fitTo(example.source, AttentionConfig{})) << example.name;
    EXPECT_EQ(ui.view().selection.head, 0);
    EXPECT_FALSE(ui.view().selection.cell);
    Mask causal;  // a fresh mask for each
    causal.causal = true;
    ui.app().apply(SetMask{causal, {}}, "");
    ui.app().apply(SetSwitch{&Switches::scale, false}, "");
    ui.view().selection.head = 3;
    ui.view().selection.cell = CellRef{TensorId::weights, 0, 3, 1, 1};
    ui.settle();
  }
}

TEST(Memory, HasARowOfItsOwnThatIsEditedAndRemoved) {
  AppDriver ui;
  EXPECT_FALSE(ui.shows("edit memory", "tokens"));
  ui.click("examples ▾", "tokens");
  ui.click("English and German", "Popup");
  EXPECT_TRUE(ui.config().crossAttention());
  EXPECT_TRUE(ui.screen().find("Katze", "memory chips"));
  EXPECT_TRUE(ui.screen().find("schläft", "stage"));  // the keys are German
  const Index queries = ui.config().seqLen;

  ui.click("edit memory", "tokens");
  ui.press(Key{'A'}, true);
  ui.type("Guten Tag");
  EXPECT_EQ(ui.document().input->memoryTokens[0], (Words{"Guten", "Tag"}));
  EXPECT_EQ(ui.trace().config().keys(), 2);
  EXPECT_EQ(ui.config().seqLen, queries);
  ui.press(Key::enter);

  ui.host().drag(ui.app(), ui.at("Tag", "memory chips"), ui.at("Guten", "memory chips"));
  ui.host().drag(ui.app(), ui.at("Tag", "memory chips"),
                 {ui.window("memory chips")->x0 + 2, ui.at("Tag", "memory chips").y});
  ui.settle();
  EXPECT_EQ(ui.document().input->memoryTokens[0], (Words{"Tag", "Guten"}));

  ui.click("remove", "tokens");
  EXPECT_FALSE(ui.config().crossAttention());
  EXPECT_EQ(ui.trace().config().keys(), queries);
  EXPECT_FALSE(ui.shows("edit memory", "tokens"));
}

TEST(Memory, IsAddedByTypingOne) {
  AppDriver ui(presetDocument("original-transformer"), 1280, 800);
  for (const char* button : {"edit text", "add memory", "open file"}) {
    const auto spot = ui.screen().find(button, "tokens");
    ASSERT_TRUE(spot) << button;
    EXPECT_LT(spot->max.x, 1280.0F) << button;
  }
  ui.click("add memory", "tokens");
  EXPECT_TRUE(ui.shows("queries", "tokens"));
  EXPECT_TRUE(ui.shows("empty: self-attention", "tokens"));
  EXPECT_FALSE(ui.shows("add memory", "tokens"));
  EXPECT_FALSE(ui.config().crossAttention());
  ui.type("Guten");
  ui.type(" Tag");
  EXPECT_EQ(ui.document().input->memoryTokens[0], (Words{"Guten", "Tag"}));
  EXPECT_EQ(ui.trace().config().keys(), 2);
  ui.press(Key{'A'}, true);
  ui.press(Key::backspace);
  EXPECT_EQ(ui.trace().config().keys(), 1 + 1);
  EXPECT_TRUE(ui.shows("memory text is empty: type a word, or press remove"));
  ui.type("Hallo");
  ui.press(Key::enter);
  EXPECT_TRUE(ui.screen().find("Hallo", "memory chips"));
  EXPECT_EQ(ui.undoAll(), 1);
  EXPECT_FALSE(ui.config().crossAttention());
  EXPECT_TRUE(ui.shows("add memory", "tokens"));
}

TEST(Memory, LeftEmptyItStaysSelfAttention) {
  AppDriver ui;
  const DocumentPtr before = ui.app().document();
  for (const auto& leave : std::vector<std::function<void()>>{[&] { ui.press(Key::enter); },
                                                              [&] { ui.press(Key::escape); },
                                                              [&] { ui.click("done", "tokens"); },
                                                              [&] {
                                                                ui.clickAt({640, 600});
                                                              }}) {
    ui.click("add memory", "tokens");
    ASSERT_TRUE(ui.shows("empty: self-attention", "tokens"));
    leave();
    EXPECT_TRUE(ui.shows("add memory", "tokens"));
    EXPECT_EQ(ui.app().document(), before);
  }
}

TEST(Memory, AddedAtALaterItemIsEveryItems) {
  AppDriver ui(exampleDocument("two-sentences"));
  ui.view().selection.item = 1;
  ui.settle();
  ui.click("add memory", "tokens");
  ui.type("Guten");
  ui.type(" Tag");
  EXPECT_EQ(ui.document().input->memoryTokens,
            (std::vector<Words>{{"Guten", "Tag"}, {"Guten", "Tag"}}));
}

TEST(Memory, IsOfferedForTextsOnly) {
  AppDriver ui(presetDocument("rul"));
  EXPECT_EQ(ui.shows("add memory", "tokens"),
            std::holds_alternative<TextSource>(*ui.document().source));
  for (const Example& example : examples()) {
    if (std::holds_alternative<TextSource>(example.source)) continue;
    ui.restart(exampleDocument(example.name));
    EXPECT_FALSE(ui.shows("add memory", "tokens")) << example.name;
  }
}

TEST(Batch, AnItemIsChosenAndItsTextEdited) {
  AppDriver ui;
  ui.click("examples ▾", "tokens");
  ui.click("Two sentences", "Popup");
  ASSERT_EQ(ui.config().batch, 2);
  EXPECT_TRUE(ui.shows("item 1 of 2", "tokens"));
  EXPECT_TRUE(ui.screen().find("teacher", "chips"));
  ui.click("▶", "tokens");
  EXPECT_EQ(ui.view().selection.item, 1);
  EXPECT_TRUE(ui.screen().find("bird", "chips"));
  EXPECT_TRUE(ui.screen().find("bird", "stage"));
  EXPECT_FALSE(ui.screen().find("teacher", "stage"));

  ui.typeSentence("Many small birds sing");
  EXPECT_EQ(tokensOf(ui.document(), 1)[1], "small");
  EXPECT_EQ(tokensOf(ui.document(), 0)[1], "teacher");
  EXPECT_EQ(ui.document().config.mask.lengths, (std::vector<Index>{10, 4}));
  EXPECT_TRUE(ui.screen().find("[pad]", "chips"));
  ui.click("◀", "tokens");
  EXPECT_EQ(ui.view().selection.item, 0);
}

}  // namespace
}  // namespace headscope::ui
