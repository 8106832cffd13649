// Cell edits: the edits that change cells of operands and pins, but no sizes.
#pragma once

#include "core/editing/edit.h"

namespace headscope {

/// Each returns the changed document. Throws UserError and then changes nothing.
Document applyTo(const Document& before, const SetCell& edit);
Document applyTo(const Document& before, const FillRegion& edit);
Document applyTo(const Document& before, const CopyHead& edit);
Document applyTo(const Document& before, const TieKeysToQueries& edit);
Document applyTo(const Document& before, const SetPin& edit);
Document applyTo(const Document& before, const RemovePin& edit);
Document applyTo(const Document& before, const RemoveAllPins& edit);

}  // namespace headscope
