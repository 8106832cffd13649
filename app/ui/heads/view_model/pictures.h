// Pictures: the heads' matrices, reduced to blocks of cells on a background thread and kept until
// their values change, so that a frame draws thousands of tokens without reading them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/heads/heads_view.h"
#include "app/ui/parts/computed.h"
#include "app/ui/parts/reduce.h"
#include "core/document/trace.h"

namespace headscope::ui {

/// The tokens of one axis that are reduced, `step` to a block. The last block may be smaller.
struct AxisBlocks {
  Index first = 0, count = 0, step = 1;

  Index blocks() const { return (count + step - 1) / step; }
  bool holds(Index from, Index tokens) const {
    return from >= first && from + tokens <= first + count;
  }
  bool operator==(const AxisBlocks&) const = default;
};

/// Returns blocks no smaller than a pixel where `shown` takes `pixels`. They cover all tokens where
/// few blocks suffice, else a part around `shown` that stays unchanged during short pans.
AxisBlocks blocksFor(const TokenRange& shown, Index n, float pixels);

struct CellBlocks {
  AxisBlocks rows, cols;

  bool holds(const TokenRange& queries, const TokenRange& keys) const {
    return rows.holds(queries.first, queries.count) && cols.holds(keys.first, keys.count);
  }
  /// Returns whether a block covers more than one cell.
  bool several() const { return rows.step * cols.step > 1; }
  bool operator==(const CellBlocks&) const = default;
};

/// The matrix of one picture: a head's, the mean over all heads, or `head` minus `other`. `plain`
/// and `shift` accompany norm-weighted pictures: `plain` is the head's weights; `shift` is the
/// norm-weighted matrix with each row scaled to sum to 1, minus the weights.
struct HeadPicture {
  enum class Of { head, mean, difference, plain, shift };
  Of of = Of::head;
  Index head = 0, other = 0;

  /// Returns whether it belongs to a single head.
  bool ofHead() const { return of != Of::mean && of != Of::difference; }
  bool operator==(const HeadPicture&) const = default;
};
/// Returns "Head 3", "Mean over heads" or "Head 2 − head 6".
std::string nameOf(const HeadPicture& picture);

/// The pictures that a group of tiles needs.
struct PictureSpec {
  CellBlocks blocks;
  Reduction how = Reduction::mean;
  std::vector<HeadPicture> pictures;

  bool operator==(const PictureSpec&) const = default;
};

struct PictureSet {
  PictureSpec spec;
  std::vector<std::vector<float>> cells;  // per picture
  std::vector<float> largest;             // per picture: the largest magnitude in it
  Fingerprint revision;                   // of the values and the spec

  /// Returns the index of a picture, if the set has it.
  std::optional<std::size_t> find(const HeadPicture& picture) const;
  /// Returns the largest magnitude of one picture; 0 where the set lacks it.
  float largestOf(const HeadPicture& picture) const;
  /// Returns the largest magnitude over the pictures of one kind.
  float largestOf(HeadPicture::Of of) const;
  float largestOfAll() const;
};

/// The content that pictures show, with fingerprints of its kind and its values.
struct PictureSource {
  Index item = 0;
  GridContent content = GridContent::weights;
  Pooling pooling = Pooling::mean;
  Fingerprint kind;    // of content and shape; pictures of one kind can replace each other
  Fingerprint values;  // of kind and values; equal fingerprints mean equal pictures
};
PictureSource pictureSource(const Trace& trace, const HeadsView& view, Index item);

/// The data that pictures share, computed once per pass.
struct PassParts {
  std::vector<std::vector<float>> norms;  // ‖v_j W_O,h‖ per head, for norm-weighted content
  Tensor mean;                            // over heads, where a picture needs it
  PictureSet overview;                    // all tokens of every head, in few blocks
};

/// Computes rows of pictures.
class PictureReader {
 public:
  PictureReader(const Trace& trace, Index item, GridContent content, const PassParts& parts)
      : trace_(trace), item_(item), content_(content), parts_(parts) {}

  /// Writes the cells of a row from column `col0` on; masked cells are gl::kMaskedCell.
  void row(const HeadPicture& picture, Index row, Index col0, std::span<float> cells) const;
  float cell(const HeadPicture& picture, Index row, Index col) const;

 private:
  void plain(Index head, Index row, Index col0, std::span<float> cells) const;
  void head(Index head, Index row, Index col0, std::span<float> cells) const;
  void shift(Index head, Index row, Index col0, std::span<float> cells) const;
  void hide(const HeadPicture& picture, Index row, Index col0, std::span<float> cells) const;

  const Trace& trace_;
  Index item_;
  GridContent content_;
  const PassParts& parts_;
};

/// The pictures computed last, and their source.
struct HeadPictures {
  PictureSource source;
  std::shared_ptr<const PassParts> parts;
  std::shared_ptr<const PictureSet> grid, compared;
};

/// Returns both sets for the pass: at once where the work is small, else from a background thread.
/// Parts of `before` that are still valid are reused.
Computed<HeadPictures> headPictures(Computations& computations, const TracePtr& trace,
                                    const PictureSource& source, const PictureSpec& grid,
                                    const PictureSpec& compared,
                                    const std::optional<HeadPictures>& before);

}  // namespace headscope::ui
