// Cell edits: the edits that change cells of operands and pins, and nothing about the sizes.
#pragma once

#include "core/edit.h"

namespace headscope {

/// Each gives the changed document; throws UserError, and then nothing has changed.
Document edited(const Document& before, const SetCell& edit);
Document edited(const Document& before, const FillRegion& edit);
Document edited(const Document& before, const CopyHead& edit);
Document edited(const Document& before, const TieKeysToQueries& edit);
Document edited(const Document& before, const SetPin& edit);
Document edited(const Document& before, const RemovePin& edit);
Document edited(const Document& before, const RemoveAllPins& edit);

}  // namespace headscope
