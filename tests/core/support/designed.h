// Designed: documents with designed heads, and the sentences that ask for them.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "core/editing/make_document.h"
#include "core/heads/designed_heads.h"
#include "core/presets/presets.h"
#include "tests/core/support/documents.h"

namespace headscope::test {

inline const std::string kCat = "The cat sat on the mat";
inline const std::string kFluffy = "The cat, which was very fluffy, sat on the mat.";
inline const std::string kBank = "The bank that the river flows by is closed.";

inline DocumentPtr designed(InputSource source, AttentionConfig config,
                            Positions positions = Positions::named) {
  return makeDocument("", std::move(config), std::move(source), positions,
                      {WeightInit::designed, 1, {}}, kBudget);
}

inline DocumentPtr designedText(const std::string& text, Index dModel = 1024, Index heads = 16) {
  return designed(TextSource{{text}, {}}, sized(dModel, heads, 1));
}

inline SeriesSource window(const char* example = "sensor") {
  return std::get<SeriesSource>(exampleByName(example).source);
}

}  // namespace headscope::test
