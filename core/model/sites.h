// Sites: what flows through a model at named places, of all layers together: queries, keys, values,
// heads, the residual stream, the networks' inputs and neurons, and what is added to the stream.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/model/model_trace.h"

namespace headscope::model {

enum class Site {
  q,             // (L, H, T, d_k): before any norm or rotation of queries and keys
  k,             // (L, H_kv, T, d_k)
  v,             // likewise
  heads,         // (L, H, T, d_k): each head's output, which W_O reads
  residual,      // (L, T, D): the residual stream that enters each layer
  attention,     // (L, T, D): what each layer's attention adds to it
  network,       // likewise, its network
  residualMid,   // (L, T, D): the residual stream after each layer's attention
  networkInput,  // (L, T, D): what each layer's network reads, behind a norm
  neurons,       // (L, T, F): the activations that its last matrix reads; not of a mixture
};
inline constexpr std::array kSites{
    Site::q,         Site::k,       Site::v,           Site::heads,        Site::residual,
    Site::attention, Site::network, Site::residualMid, Site::networkInput, Site::neurons};

/// "residual"
std::string_view nameOf(Site site);
/// Throws UserError that lists the names.
Site siteFromName(std::string_view name);

/// Returns whether a site is a network's, which a layer may lack.
inline bool isOfNetwork(Site site) {
  return site == Site::network || site == Site::networkInput || site == Site::neurons;
}
/// Why a model does not have a site, in words; empty where it has.
std::string whyWithout(Site site, const Model& model);

/// Returns whether a site is that of queries, keys or values.
inline bool isSide(Site site) { return site == Site::q || site == Site::k || site == Site::v; }
/// The tensor of a layer's attention that holds queries, keys or values.
TensorId tensorOf(Site side);
/// Returns whether each head has values of its own there.
inline bool isOfHeads(Site site) { return isSide(site) || site == Site::heads; }

Shape shapeOf(Site site, const ModelTrace& trace);
/// A site's values in one layer: (1, H, T, d_k) or (1, T, D). Where norms follow the sums, an
/// addition is taken before the norm. Not of a site that the model does not have.
Tensor valuesInLayer(Site site, const ModelTrace& trace, Index layer,
                     const ExecutionContext& execution = {});
/// The values of a layer's attention or network, (T, D), or of one of its heads, (T, d_k).
Tensor valuesOfPart(const ModelTrace& trace, Site site, Index layer, Index head);
/// Computes a site's values, layer by layer; a layer's attention that is not held is computed
/// again. The result is incomplete where `execution` is cancelled. Throws UserError for a site that
/// the model does not have.
Tensor valuesOf(Site site, const ModelTrace& trace, const ExecutionContext& execution);

}  // namespace headscope::model
