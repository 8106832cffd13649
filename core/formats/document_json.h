// A document as JSON and tensors: its whole contents, which read back bit for bit; and its
// configuration and tokens in the form of `info`, `run` and trace files.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "core/attention/pins.h"
#include "core/attention/weight_tensors.h"
#include "core/attention/weights.h"
#include "core/base/json.h"
#include "core/document/fwd.h"
#include "core/editing/make_document.h"
#include "core/formats/tensor_table.h"

namespace headscope {
struct AttentionConfig;
}  // namespace headscope

namespace headscope::formats {

/// {"d_model","num_heads","num_kv_heads","d_k","seq_len","memory_len","batch","bias"}; also
/// "head_dim" where d_k was set by itself, and "mistakes", a text of ids, where mistakes are on.
Json configJson(const AttentionConfig& config);
/// Also all settings under the names of wholeConfigJson, and the "positions" of the input.
Json configJson(const Document& document);

/// Parses lists of tokens, one per batch item, or one plain list; empty where the text is neither.
std::vector<std::vector<std::string>> parseTokens(const std::string& json);

/// The metadata of a pass in files of tensors: its configuration, tokens and mistakes.
std::map<std::string, std::string> passMetadata(const Trace& trace);

/// [{"id","formula","outputs"}], in order.
Json stepsJson(const AttentionConfig& config);

/// A configuration with all of its fields. Reading validates it and checks its sizes against the
/// budget.
Json wholeConfigJson(const AttentionConfig& config);
AttentionConfig wholeConfigFrom(const JsonField& field, Index memoryBudget);

/// [{"cell","value"}]
Json pinsJson(const Pins& pins);
/// Throws UserError for a cell that the configuration does not have.
Pins pinsFrom(const JsonField& field, const AttentionConfig& config);

/// `name` is the prefix of its tensors' names: "scene 3" gives "scene 3.W_Q".
Json documentJson(const Document& document, const std::string& name, TensorsToSave& tensors);

/// The document's weights, X and memory under the names that `documentJson` gives them.
std::vector<NamedTensor> documentTensors(const Document& document, const std::string& name);

/// The document before any cell was changed: its input is embedded again, and `make` draws its
/// weights again, from the sources that it names. Throws as documentFrom does.
DocumentPtr documentFromSeeds(const JsonField& field, TensorsToRead& tensors, Index memoryBudget,
                              const WeightMaker& make);

/// Reads a valid document within the budget. Throws UserError that names file and field.
DocumentPtr documentFrom(const JsonField& field, TensorsToRead& tensors, Index memoryBudget);

}  // namespace headscope::formats
