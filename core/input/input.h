// Input: the tokens or time steps that are attended over and their X (B, T, D), with named
// coordinates.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/input/patches.h"
#include "core/tensor/tensor.h"

namespace headscope {

struct AttentionConfig;

/// One sentence per batch item. Where there are fewer sentences than items, they repeat in turn.
struct TextSource {
  std::vector<std::string> texts;
  std::vector<std::string> memoryTexts;  // empty: self-attention

  bool operator==(const TextSource&) const = default;
};

/// Measurements over time as read from a file, before standardising: values (rows, channels).
struct Series {
  std::string name;  // the file's or example's
  std::vector<std::string> channels;
  Tensor values;
};

/// One series per batch item. Where there are fewer series than items, they repeat in turn.
struct SeriesSource {
  std::vector<std::shared_ptr<const Series>> items;

  bool operator==(const SeriesSource&) const = default;
};

/// A relation that a head learned while its model was trained on a task (core/training/task.h).
struct LearnedRelation {
  Index head = 0;
  std::string name;                          // "partner"
  std::vector<std::vector<Index>> partners;  // [token]: where the head is to look, in order

  bool operator==(const LearnedRelation&) const = default;
};

/// X itself, as loaded.
struct TensorSource {
  std::string name;                 // the file's, for messages and labels
  Tensor x;                         // (B, T, D)
  Tensor memory;                    // (B, M, D_mem) or empty
  std::vector<std::string> tokens;  // may be empty: positions are shown instead
  std::vector<std::string> memoryTokens;
  PatchGrid patches{};                       // of an image's tokens
  std::vector<LearnedRelation> relations{};  // of item 0; empty where none is known

  bool operator==(const TensorSource& other) const {
    return name == other.name && x.sameAs(other.x) && memory.sameAs(other.memory) &&
           tokens == other.tokens && memoryTokens == other.memoryTokens &&
           patches == other.patches && relations == other.relations;
  }
};

using InputSource = std::variant<TextSource, SeriesSource, TensorSource>;

/// named: slow position and cos/sin pairs in coordinates of their own. sinusoidal: instead, the
/// sinusoids of Vaswani et al. 2017 (section 3.5) added over all coordinates. none: neither.
enum class Positions { named, sinusoidal, none };

/// The measurements at each place of a series, as the file has them.
struct Readings {
  std::vector<std::string> channels;  // empty: the input is no series
  Tensor values;                      // (B, T, channels); 0 at padding
  Tensor lowest, highest;             // (B, channels)
  std::vector<Index> lengths;         // places of each item that are no padding
};

struct Input {
  Tensor x;                                      // (B, T, D)
  Tensor memory;                                 // (B, M, D_mem); empty in self-attention
  std::vector<std::vector<std::string>> tokens;  // per item, T of them; "" is padding
  std::vector<std::vector<std::string>> memoryTokens;
  std::vector<Index> lengths;            // of the keys, where sentences differ in length
  std::vector<std::string> coordinates;  // D names, one per column of X; empty: unnamed
  std::vector<std::string> notes;        // sentences about coordinates that did not fit
  Readings readings;
  PatchGrid patches;  // off: the tokens are no image's

  /// The tokens of the keys: the memory's where there is a memory.
  const std::vector<std::vector<std::string>>& keyTokens() const {
    return memory.empty() ? tokens : memoryTokens;
  }
};

/// Words and punctuation marks of a text (UTF-8). Throws UserError for invalid UTF-8, for a text
/// without tokens and for one above `kMaxTextBytes` (a source's texts together, too); `what` names
/// the flag or field.
std::vector<std::string> tokenize(const std::string& text, const std::string& what = "text");
inline constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;

/// Lower case, for comparing tokens (Unicode).
std::string lowerCased(const std::string& token);

/// Returns `config` with the dimensions that the source sets: T, M, B where it has several items,
/// and for tensors also d_model and the memory's width. The other fields are kept.
AttentionConfig fitTo(const InputSource& source, AttentionConfig config);

/// X (and the memory) for `config`: embeds text and series at width d_model, takes `seqLen` tokens
/// (cut, or repeated from the start). Throws UserError for NaN/Inf (tensor and index named) and for
/// tensors whose shape is not what `config` says.
Input makeInput(const InputSource& source, Positions positions, const AttentionConfig& config);

}  // namespace headscope
