// CLIP's tokenizer, from its older files and from tokenizer.json: the mark of a word's end, "</w>",
// is no part of a token's name, nor of a text.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/formats/tokenizer_files.h"
#include "tests/core/support/documents.h"

namespace headscope::test {
namespace {

constexpr const char* kVocabulary = R"({"a": 0, "c": 1, "t": 2, "s": 3, ",": 4, "a</w>": 5,
    "c</w>": 6, "t</w>": 7, "s</w>": 8, ",</w>": 9, "ca": 10, "cat</w>": 11,
    "<|startoftext|>": 12, "<|endoftext|>": 13})";

constexpr const char* kTokenizer = R"json({"version": "1.0", "truncation": null, "padding": null,
  "added_tokens": [
    {"id": 12, "special": true, "content": "<|startoftext|>", "single_word": false, "lstrip": false,
     "rstrip": false, "normalized": true},
    {"id": 13, "special": true, "content": "<|endoftext|>", "single_word": false, "lstrip": false,
     "rstrip": false, "normalized": false}],
  "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"},
    {"type": "Replace", "pattern": {"Regex": "\\s+"}, "content": " "}, {"type": "Lowercase"}]},
  "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex":
      "'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+"},
     "behavior": "Removed", "invert": true},
    {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true}]},
  "post_processor": {"type": "RobertaProcessing", "sep": ["<|endoftext|>", 13],
    "cls": ["<|startoftext|>", 12], "trim_offsets": false, "add_prefix_space": false},
  "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},
  "model": {"type": "BPE", "dropout": null, "unk_token": "<|endoftext|>",
    "continuing_subword_prefix": "", "end_of_word_suffix": "</w>", "fuse_unk": false,
    "merges": ["c a", "ca t</w>"], "vocab": )json";

void expectReads(const tokenizer::Tokenizer& clip) {
  std::vector<tokenizer::TokenId> ids;
  std::vector<std::string> names;
  for (const tokenizer::Token& token : clip.encode("A  cat,\ncats")) {
    ids.push_back(token.id);
    names.push_back(clip.inWords(token.id));
    EXPECT_EQ(clip.name(token.id), names.back());
  }
  EXPECT_EQ(ids, (std::vector<tokenizer::TokenId>{12, 5, 11, 9, 10, 2, 8, 13}));
  EXPECT_EQ(names, (Tokens{"<|startoftext|>", "a", "cat", ",", "ca", "t", "s", "<|endoftext|>"}));
  EXPECT_EQ(clip.decode(ids), "a cat , cats");
}

TEST(ClipTokenizer, IsReadFromEitherOfItsFiles) {
  const TempFolder older, newer;
  older.file("vocab.json", kVocabulary);
  older.file("merges.txt", "#version: 0.2\nc a\nca t</w>\n");
  older.file("config.json", R"({"model_type": "clip"})");
  expectReads(*formats::openTokenizer(older.path()));
  newer.file("tokenizer.json", std::string(kTokenizer) + kVocabulary + "}}");
  expectReads(*formats::openTokenizer(newer.path()));
}

}  // namespace
}  // namespace headscope::test
