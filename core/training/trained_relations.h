// Trained relations: what learned heads were trained for on an input: where the answers stand to
// the questions that each of them was asked (learned_layer.h).
#pragma once

#include <string>
#include <vector>

#include "core/training/learned_layer.h"
#include "core/weights/declared_relations.h"

namespace headscope::training {

/// "Verb → its subject", of two "Previous word + Verb → its subject", of more their short names.
std::string titleOf(const std::vector<AskedQuestion>& questions);
/// Of those that a head of the document was asked.
std::string titleOfHead(Index head, const Document& document);

/// One per head; empty where the document's weights are not learned. A text that is not of the
/// grammar has answers for the previous word alone; a series has all, unless it is repeated or very
/// long.
DeclaredRelations trainedRelations(const Document& document);

}  // namespace headscope::training
