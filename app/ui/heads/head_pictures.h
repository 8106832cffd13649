// Head pictures: the heads' matrices in blocks of cells, reduced beside the frames and kept until
// their values change, so that a frame draws thousands of tokens without reading them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/ui/heads/heads_view.h"
#include "app/ui/panel.h"
#include "app/ui/parts/reduce.h"

namespace headscope::ui {

/// Along one axis: the tokens that are reduced, `step` of them to a block; the last may be smaller.
struct AxisBlocks {
  Index first = 0, count = 0, step = 1;

  Index blocks() const { return (count + step - 1) / step; }
  bool holds(Index from, Index tokens) const {
    return from >= first && from + tokens <= first + count;
  }
  bool operator==(const AxisBlocks&) const = default;
};

/// Blocks no smaller than a pixel where `shown` has `pixels`. All tokens where they are few blocks;
/// else a part around what is shown that stays the same for some way of panning.
AxisBlocks blocksFor(const TokenRange& shown, Index n, float pixels);

struct CellBlocks {
  AxisBlocks rows, cols;

  bool holds(const TokenRange& queries, const TokenRange& keys) const {
    return rows.holds(queries.first, queries.count) && cols.holds(keys.first, keys.count);
  }
  /// Several cells to one number.
  bool several() const { return rows.step * cols.step > 1; }
  bool operator==(const CellBlocks&) const = default;
};

/// Which matrix: a head's, the mean over all heads, or `head` less `other`. Beside norm-weighted
/// ones: the head's plain weights, and how its rows shift: each row of what is norm-weighted made
/// to sum to 1, less the weights.
struct HeadPicture {
  enum class Of { head, mean, difference, plain, shift };
  Of of = Of::head;
  Index head = 0, other = 0;

  bool operator==(const HeadPicture&) const = default;
};
/// "Head 3", "Mean over heads", "Head 2 − head 6"
std::string nameOf(const HeadPicture& picture);

/// What is asked for.
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
  Fingerprint revision;                   // of what all of it is made of

  /// The place of a picture in it, if it has it.
  std::optional<std::size_t> find(const HeadPicture& picture) const;
  /// Of one picture; 0 where it is not there.
  float largestOf(const HeadPicture& picture) const;
  /// Over the pictures of a kind; over those of heads and their mean.
  float largestOf(HeadPicture::Of of) const;
  float largestOfAll() const;
};

/// What pictures are made of.
struct PictureSource {
  Index item = 0;
  GridContent content = GridContent::weights;
  Pooling pooling = Pooling::mean;
  Fingerprint kind;    // that, and the shape: pictures of the same kind can stand for each other
  Fingerprint values;  // and all values: where they are the same, so are the pictures
};
PictureSource pictureSource(const Panel& panel);

/// What is read once per pass.
struct PassParts {
  std::vector<std::vector<float>> norms;  // ‖v_j W_O,h‖ per head, for norm-weighted content
  Tensor mean;                            // over heads, where it is asked for
  PictureSet overview;                    // every head whole, small
};

/// Reads rows of pictures.
class PictureReader {
 public:
  PictureReader(const Trace& trace, Index item, GridContent content, const PassParts& parts)
      : trace_(trace), item_(item), content_(content), parts_(parts) {}

  /// The cells of a row from column `col0` on; masked ones as gl::kMaskedCell.
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

/// What has been drawn.
struct HeadPictures {
  PictureSource source;
  std::shared_ptr<const PassParts> parts;
  std::shared_ptr<const PictureSet> grid, compared;
};

/// Both sets of the pass shown: at once where it is little work, else beside. What still holds of
/// `before` is taken over.
Computed<HeadPictures> headPictures(const Panel& panel, const PictureSpec& grid,
                                    const PictureSpec& compared,
                                    const std::optional<HeadPictures>& before);

}  // namespace headscope::ui
