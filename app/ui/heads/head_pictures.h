// Head pictures: the heads' matrices in blocks of cells, pooled on a thread of their own and kept
// until their values change, so that a frame draws thousands of tokens without reading them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/background.h"
#include "app/ui/heads/pooled.h"
#include "app/ui/panel.h"

namespace headscope::ui {

/// Which matrix: a head's, the mean over all heads, or `head` less `other`. Beside norm-weighted
/// ones: the head's plain weights, and how its rows shift: each row of what is norm-weighted made
/// to sum to 1, less the weights.
struct Picture {
  enum class Of { head, mean, difference, plain, shift };
  Of of = Of::head;
  Index head = 0, other = 0;
  bool operator==(const Picture&) const = default;
};

/// What is asked for.
struct PictureSpec {
  CellBlocks blocks;
  Pool pool = Pool::mean;
  std::vector<Picture> pictures;
  bool operator==(const PictureSpec&) const = default;
};

/// "Head 3", "Mean over heads", "Head 2 − head 6"
std::string nameOf(const Picture& picture);

struct PictureSet {
  PictureSpec spec;
  std::vector<std::vector<float>> cells;  // per picture
  std::vector<float> largest;             // per picture: the largest magnitude in it
  std::uint64_t serial = 0;               // no two sets have the same

  /// The place of a picture in it, if it has it.
  std::optional<std::size_t> find(const Picture& picture) const;
  /// Over the pictures of heads and their mean.
  float largestOfAll() const;
};

/// Of which values: where it is the same, so are they.
struct PictureKey {
  std::uint64_t weights = 0, values = 0, outputMatrix = 0;
  Index item = 0, heads = 0, queries = 0, keys = 0;
  GridContent content = GridContent::weights;
  Pooling pooling = Pooling::mean;
  bool operator==(const PictureKey&) const = default;
  /// The same but for the values: what it has is still of the right kind.
  bool resembles(const PictureKey& other) const;
};

/// What is read once per pass.
struct PassParts {
  std::vector<std::vector<float>> norms;  // ‖v_j W_O,h‖ per head, for norm-weighted content
  Tensor mean;                            // over heads, where it is asked for
  PictureSet overview;                    // every head whole, small
};

/// Reads rows of pictures, as ReadRow does.
class PictureReader {
 public:
  PictureReader(const Trace& trace, Index item, GridContent content, const PassParts& parts)
      : trace_(trace), item_(item), content_(content), parts_(parts) {}

  void row(const Picture& picture, Index row, Index col0, std::span<float> cells) const;
  /// One cell; gl::kMaskedCell where it is masked.
  float cell(const Picture& picture, Index row, Index col) const;

 private:
  void plain(Index head, Index row, Index col0, std::span<float> cells) const;
  void head(Index head, Index row, Index col0, std::span<float> cells) const;
  void shift(Index head, Index row, Index col0, std::span<float> cells) const;
  void hide(const Picture& picture, Index row, Index col0, std::span<float> cells) const;

  const Trace& trace_;
  Index item_;
  GridContent content_;
  const PassParts& parts_;
};

class HeadPictures {
 public:
  /// What has been drawn; sets may be null.
  struct Drawn {
    PictureKey key;
    std::shared_ptr<const PassParts> parts;
    std::shared_ptr<const PictureSet> grid, compared;
  };

  void setWake(std::function<void()> wake) { task_.setWake(std::move(wake)); }
  bool finish() { return task_.wait(); }

  /// Takes what has come; before anything of a frame is drawn.
  void take(const Panel& panel);
  /// Asks for what is not there: at once where it is little work, else in the background.
  void follow(const Panel& panel, const PictureSpec& grid, const PictureSpec& compared);
  /// The newest that is of what the panel shows, perhaps of the pass before; null: drawing.
  const Drawn* drawn() const { return fits_ ? &*drawn_ : nullptr; }
  const std::string& error() const { return error_; }

 private:
  struct Asked {
    PictureKey key;
    PictureSpec grid, compared;
    bool operator==(const Asked&) const = default;
  };

  BackgroundTask<Drawn> task_;
  std::optional<Asked> asked_;
  std::optional<Drawn> drawn_;
  std::uint64_t serial_ = 0;
  bool inBackground_ = false;
  bool fits_ = false;
  std::string error_;
};

}  // namespace headscope::ui
