// Film palette: at most 256 colours for the pixels of a picture, as a GIF file needs. Colours stay
// exact where there are few enough. Else the most frequent ones do, so that no background changes
// its tone, and the others (edges of letters, cells of heatmaps) are grouped by median cut.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace headscope::host {

/// A colour as 0xRRGGBB.
using Rgb = std::uint32_t;

struct FilmPalette {
  std::vector<Rgb> colors;
  std::unordered_map<Rgb, std::uint8_t> indexOf;  // for each colour of the pixels
};

/// `counts`: how many pixels have which colour. `most`: the most colours of the palette, up to 256.
FilmPalette paletteOf(const std::unordered_map<Rgb, std::uint32_t>& counts, std::size_t most);

}  // namespace headscope::host
