// CSV: a series, as a file and as input of a pass; pasted cells; a number as typed.
#include "core/attention/config.h"
#include "core/input/tables.h"
#include "core/tensor/finite.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

constexpr Index kMostCells = 1 << 10;

void readSeries(std::string_view text) {
  const auto series = parseSeries(text, "series.csv");
  const auto columns = static_cast<Index>(series->channels.size());
  fuzz::require(series->values.dim(1) == columns && series->values.dim(0) > 0);
  if (series->values.size() > kMostCells) return;
  const InputSource source = SeriesSource{{series, series}};
  AttentionConfig config;
  for (config.dModel = 1; config.dModel <= 128; config.dModel *= 4) {
    const Input input = makeInput(source, Positions::sinusoidal, fitTo(source, config));
    requireFinite(input.x, "x", "series");
  }
}

void readCells(std::string_view text) {
  const Tensor cells = parseCellTable(text);
  const Tensor again = parseCellTable(printCellTable(cells.matrix()));
  fuzz::require(again.shape() == cells.shape() && again.values() == cells.values());
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view text = fuzz::textOf(data, size);
  fuzz::accepted([&] { readSeries(text); });
  fuzz::accepted([&] { readCells(text); });
  fuzz::accepted([&] { parseNumber(text, "cell"); });
  return 0;
}
