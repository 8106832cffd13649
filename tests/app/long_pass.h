// Long pass: a document whose pass takes seconds, for what happens in the meantime.
#pragma once

#include <string>
#include <utility>

#include "app_driver.h"

namespace headscope::ui {

/// 1,536 tokens, 16 heads, d_model 2,048.
inline DocumentPtr longDocument() {
  std::string text;
  for (int i = 0; i < 1536; ++i) text += i % 2 == 0 ? "tick " : "tock ";
  return textDocument(text, 2048, 16);
}

/// The options of a window that opens on a document.
inline AppOptions optionsFor(DocumentPtr document) {
  AppOptions options;
  options.document = std::move(document);
  options.memoryBudget = kTestBudget;
  options.threads = 2;
  return options;
}

}  // namespace headscope::ui
