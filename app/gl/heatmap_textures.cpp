#include "app/gl/heatmap_textures.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <set>

#include "app/gl/error.h"

namespace headscope::gl {
namespace {

constexpr std::uint64_t kKeepFrames = 120;     // unused layers stay for a while: views alternate,
constexpr std::uint64_t kBudget = 256U << 20;  // unless more than this is held
constexpr std::uint64_t kArrayBytes = 64U << 20;  // a texture array is not made larger than this

std::uint64_t layerBytes(int rows, int cols) {
  return sizeof(float) * static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
}

/// Cells of a layer, first to last; none where rows is 0.
struct Part {
  int row = 0, col = 0, rows = 0, cols = 0;
};

/// The smallest rectangle with all cells that differ, bit by bit, so that NaN is like itself.
Part changedPart(const std::vector<float>& before, const std::vector<float>& after, int rows,
                 int cols) {
  int top = rows, bottom = -1, left = cols, right = -1;
  const auto differs = [](float a, float b) {
    return std::bit_cast<std::uint32_t>(a) != std::bit_cast<std::uint32_t>(b);
  };
  for (int r = 0; r < rows; ++r) {
    const auto at = static_cast<std::size_t>(r) * static_cast<std::size_t>(cols);
    const float* then = before.data() + at;
    const float* now = after.data() + at;
    if (std::memcmp(then, now, layerBytes(1, cols)) == 0) continue;
    top = std::min(top, r);
    bottom = r;
    int first = 0;
    while (!differs(then[first], now[first])) ++first;
    int last = cols - 1;
    while (!differs(then[last], now[last])) --last;
    left = std::min(left, first);
    right = std::max(right, last);
  }
  if (bottom < 0) return {};
  return {top, left, bottom + 1 - top, right + 1 - left};
}

}  // namespace

HeatmapTextures::HeatmapTextures(double patience) : patience_(patience) {
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &maxSize_);
  glGetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &maxLayers_);
}

void HeatmapTextures::beginFrame() {
  ++frame_;
  firstFill_.reset();
  putOff_ = 0;
  keepFrames_ = bytesHeld() > kBudget ? 1 : kKeepFrames;
  for (auto& [size, sizeClass] : classes_) {
    const auto before = sizeClass.arrays.size();
    std::erase_if(sizeClass.arrays, [&](const Array& array) {
      return std::ranges::all_of(array.slots, [&](const Slot& s) { return free(s); });
    });
    if (sizeClass.arrays.size() == before) continue;
    sizeClass.byKey.clear();
    for (std::size_t a = 0; a < sizeClass.arrays.size(); ++a) {
      const auto& slots = sizeClass.arrays[a].slots;
      for (std::size_t s = 0; s < slots.size(); ++s) {
        if (slots[s].filled) sizeClass.byKey[slots[s].key] = {a, s};
      }
    }
  }
  std::erase_if(classes_, [](const auto& entry) { return entry.second.arrays.empty(); });
}

std::vector<HeatmapTextures::Place> HeatmapTextures::locate(
    const std::vector<HeatmapSource>& sources) {
  reserve(sources);
  std::vector<Place> places(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    // begins elsewhere every frame: where values change all the time, each is filled in its turn
    const std::size_t at = (i + frame_) % sources.size();
    const HeatmapSource& source = sources[at];
    const Size size{source.rows, source.cols};
    SizeClass& sizeClass = classes_[size];
    const auto found = sizeClass.byKey.find(source.key);
    if (found == sizeClass.byKey.end() && !mayFill()) continue;
    const SlotRef ref =
        found != sizeClass.byKey.end() ? found->second : claim(sizeClass, size, source.key);
    Array& array = sizeClass.arrays[ref.array];
    Slot& slot = array.slots[ref.slot];
    if (!slot.filled || (slot.revision != source.revision && mayFill())) {
      fill(source, array.texture.id(), ref.slot, slot);
      slot.revision = source.revision;
      slot.filled = true;
    }
    slot.lastUsed = frame_;
    places[at] = {array.texture.id(), static_cast<int>(ref.slot)};
  }
  return places;
}

bool HeatmapTextures::free(const Slot& slot) const {
  return !slot.filled || slot.lastUsed + keepFrames_ < frame_;
}

std::uint64_t HeatmapTextures::bytesHeld() const {
  std::uint64_t bytes = 0;
  for (const auto& [size, sizeClass] : classes_) {
    for (const auto& array : sizeClass.arrays) {
      bytes += layerBytes(size.first, size.second) * array.slots.size();
    }
  }
  return bytes;
}

int HeatmapTextures::arrayCount() const {
  std::size_t count = 0;
  for (const auto& entry : classes_) count += entry.second.arrays.size();
  return static_cast<int>(count);
}

/// Makes room for all new sources of a size at once, so that they get into one array.
void HeatmapTextures::reserve(const std::vector<HeatmapSource>& sources) {
  std::map<Size, std::set<std::uint64_t>> missing;
  for (const auto& source : sources) {
    if (source.rows < 1 || source.cols < 1 || source.rows > maxSize_ || source.cols > maxSize_) {
      throw Error(fmt::format("a heatmap of {} × {} cells: this GPU takes 1 to {} a side",
                              source.rows, source.cols, maxSize_));
    }
    const Size size{source.rows, source.cols};
    if (!classes_[size].byKey.contains(source.key)) missing[size].insert(source.key);
  }
  for (const auto& [size, keys] : missing) {
    SizeClass& sizeClass = classes_[size];
    std::size_t available = 0;
    for (const auto& array : sizeClass.arrays) {
      for (const auto& slot : array.slots) {
        if (free(slot)) ++available;
      }
    }
    while (available < keys.size()) {
      available += addArray(sizeClass, size, keys.size() - available);
    }
  }
}

std::size_t HeatmapTextures::addArray(SizeClass& sizeClass, Size size, std::size_t layers) {
  const auto most = std::clamp<std::uint64_t>(kArrayBytes / layerBytes(size.first, size.second), 1,
                                              static_cast<std::uint64_t>(maxLayers_));
  Array& array = sizeClass.arrays.emplace_back();
  array.slots.resize(std::min<std::size_t>(layers, most));
  glBindTexture(GL_TEXTURE_2D_ARRAY, array.texture.id());
  glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_R32F, size.second, size.first,
               static_cast<GLsizei>(array.slots.size()), 0, GL_RED, GL_FLOAT, nullptr);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) {
    glTexParameteri(GL_TEXTURE_2D_ARRAY, filter, GL_NEAREST);
  }
  for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T}) {
    glTexParameteri(GL_TEXTURE_2D_ARRAY, wrap, GL_CLAMP_TO_EDGE);
  }
  return array.slots.size();
}

/// A layer for a new key: a free one, else the one unused for longest, else one of a new array.
HeatmapTextures::SlotRef HeatmapTextures::claim(SizeClass& sizeClass, Size size,
                                                std::uint64_t key) {
  SlotRef best;
  const Slot* oldest = nullptr;
  for (std::size_t a = 0; a < sizeClass.arrays.size(); ++a) {
    const auto& slots = sizeClass.arrays[a].slots;
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const Slot& slot = slots[s];
      if (!free(slot)) continue;
      if (oldest != nullptr && (!oldest->filled || slot.lastUsed >= oldest->lastUsed)) continue;
      best = {a, s};
      oldest = &slot;
    }
  }
  if (oldest == nullptr) {
    addArray(sizeClass, size, 1);
    best = {sizeClass.arrays.size() - 1, 0};
  }
  Slot& slot = sizeClass.arrays[best.array].slots[best.slot];
  if (slot.filled) sizeClass.byKey.erase(slot.key);
  slot = {};
  slot.key = key;
  sizeClass.byKey[key] = best;
  return best;
}

bool HeatmapTextures::mayFill() {
  const auto now = std::chrono::steady_clock::now();
  if (!firstFill_) firstFill_ = now;
  const bool has = std::chrono::duration<double>(now - *firstFill_).count() <= patience_;
  if (!has) ++putOff_;
  return has;
}

void HeatmapTextures::fill(const HeatmapSource& source, GLuint texture, std::size_t layer,
                           Slot& slot) {
  staging_.resize(static_cast<std::size_t>(source.rows) * static_cast<std::size_t>(source.cols));
  source.fill(staging_.data());
  const Part part = slot.filled ? changedPart(slot.values, staging_, source.rows, source.cols)
                                : Part{0, 0, source.rows, source.cols};
  slot.values.swap(staging_);
  if (part.rows == 0) return;
  glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, source.cols);
  glTexSubImage3D(GL_TEXTURE_2D_ARRAY, 0, part.col, part.row, static_cast<GLint>(layer), part.cols,
                  part.rows, 1, GL_RED, GL_FLOAT,
                  slot.values.data() + part.row * source.cols + part.col);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  ++uploads_;
  bytesUploaded_ += layerBytes(part.rows, part.cols);
}

}  // namespace headscope::gl
