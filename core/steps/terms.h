// Terms: building blocks of a cell's explanation, shared by the steps.
#pragma once

#include "core/steps/step.h"

namespace headscope {

/// left · right, both read from the tensors.
Term productTerm(const AttentionTensors& tensors, const CellRef& left, const CellRef& right);

/// One cell taken as it is, times 1: a bias, a reshape's source.
Term sourceTerm(const AttentionTensors& tensors, const CellRef& source);

/// One cell times a plain number ("1/√64").
Term scaledTerm(const AttentionTensors& tensors, const CellRef& source, std::string factor,
                double factorValue);

/// An explanation of `cell` with its value read from the tensors; terms to be added.
Explanation startExplanation(const AttentionTensors& tensors, const CellRef& cell,
                             std::string rule);

/// The index of the key/value head that head h reads: "h", or "⌊h/4⌋" where four share one.
std::string kvHeadIndex(const AttentionConfig& config);

/// Adds up the products in double.
void sumTerms(Explanation& explanation);

}  // namespace headscope
