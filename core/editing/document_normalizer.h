// DocumentNormalizer: makes a changed draft of a document consistent.
#pragma once

#include <string>

#include "core/document/document.h"
#include "core/editing/edit.h"

namespace headscope {

/// Fits masks, gains and pins to the new sizes, embeds the input and draws the weights where they
/// no longer fit, and records each change as a sentence. Throws UserError where the draft cannot be
/// used.
class DocumentNormalizer {
 public:
  DocumentNormalizer(const Document& before, Document draft, Index memoryBudgetBytes,
                     const WeightMaker& make)
      : before_(before), next_(std::move(draft)), budget_(memoryBudgetBytes), make_(make) {}

  EditResult finish();
  void note(const std::string& sentence);

 private:
  const AttentionConfig& config() const { return next_.config; }
  void followInput();
  void embed();
  void drawWhereNeeded();
  void fitPins();

  const Document& before_;
  Document next_;
  Index budget_;
  const WeightMaker& make_;
  bool lengthsFollow_ = false;
  std::string note_;
};

}  // namespace headscope
