// Worksheet: a layer of small whole numbers for pencil and paper, another one for each seed, so
// that every student of a class has numbers of their own.
#pragma once

#include <cstdint>
#include <string>

#include "core/document/fwd.h"

namespace headscope {

/// The sentence that says why a worksheet cannot be made like this document, with the limits; empty
/// where it can. It can of a plain layer that reads one text and is small enough for a page.
std::string worksheetProblem(const Document& like);

/// The document of a seed, the same on every machine, with the words, dimensions and mask of
/// `like`: X of 0, 1 and 2; matrices with one or two entries of 1 or −1 in each row; no biases. The
/// scores before the division are between −8 and 8, and no share of two keys or more is above 95 %,
/// so that each can be written with two digits. Throws UserError for worksheetProblem().
DocumentPtr worksheetDocument(std::uint64_t seed, const Document& like);

/// The preset by-hand, like which worksheets are unless something else is asked for: three words,
/// two heads of width 4, √d_k = 2.
DocumentPtr byHandDocument();

}  // namespace headscope
