// exportPyTorch: the folder of a PyTorch script, replaced as a whole.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/assets.h"
#include "core/dropout.h"
#include "core/error.h"
#include "core/formats/atomic_file.h"
#include "core/formats/export_tensor.h"
#include "core/formats/npy.h"
#include "core/formats/pytorch_script.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTensorFolder = "tensors";
constexpr const char* kPainted = "painted";
constexpr const char* kKeep = "keep";

[[noreturn]] void failToWrite(const fs::path& path, const std::error_code& code) {
  throw UserError(fmt::format("cannot write {}: {}; choose a place that can be written to",
                              path.string(), code.message()));
}

/// True for a script that an export wrote: it begins as the template does.
bool isOurs(const fs::path& script) {
  const std::string_view text = asset("pytorch/check_attention.py");
  const std::string_view start = text.substr(0, text.find("\n\n"));
  if (!fs::is_regular_file(script)) return false;
  std::ifstream in(script, std::ios::binary);
  std::string found(start.size(), '\0');
  return in.read(found.data(), static_cast<std::streamsize>(found.size())) && found == start;
}

std::set<std::string> namesOfTensorFiles() {
  std::set<std::string> names{fmt::format("{}.npy", kPainted), fmt::format("{}.npy", kKeep)};
  for (std::size_t i = 0; i < kTensorCount; ++i) {
    names.insert(fmt::format("{}.npy", info(static_cast<TensorId>(i)).name));
  }
  return names;
}

/// Only an export may be replaced: never a file that someone else put there.
void requireOwn(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_directory(folder, code)) {
    throw UserError(fmt::format("{} is a file; name a folder, new or empty", folder.string()));
  }
  const fs::path script = folder / kScriptName;
  const fs::path tensors = folder / kTensorFolder;
  const auto refuse = [](const fs::path& path) {
    throw UserError(fmt::format("{} is there already and not of an export; choose another folder",
                                path.string()));
  };
  if (fs::exists(script, code) && !isOurs(script)) refuse(script);
  if (!fs::exists(tensors, code)) return;
  if (!fs::is_directory(tensors, code)) refuse(tensors);
  // the script may be missing: it takes its place last
  const std::set<std::string> own = namesOfTensorFiles();
  for (const auto& entry : fs::directory_iterator(tensors, code)) {
    if (!own.contains(entry.path().filename().string())) refuse(entry.path());
  }
  if (code) failToWrite(tensors, code);
}

/// A folder to be filled, gone again unless it took its place.
class Staging {
 public:
  explicit Staging(fs::path folder)
      : target_(std::move(folder)), path_(fmt::format("{}.tmp-{}", target_.string(), ::getpid())) {
    std::error_code code;
    fs::create_directory(path_, code);
    if (code) failToWrite(path_, code);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

  /// Changes places with what was there, which goes with this.
  void takePlace() {
    const fs::path before = path_.string() + ".old";
    std::error_code code;
    const bool replaces = fs::exists(target_, code);
    if (replaces) fs::rename(target_, before, code);
    if (!code) fs::rename(path_, target_, code);
    if (code) failToWrite(target_, code);
    if (replaces) fs::rename(before, path_, code);
  }

 private:
  fs::path target_;
  fs::path path_;
};

/// A new folder, removed again unless it is kept.
class NewFolder {
 public:
  explicit NewFolder(fs::path folder) : path_(std::move(folder)) {
    std::error_code code;
    made_ = fs::create_directories(path_, code);
    if (code) failToWrite(path_, code);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code ignored;
    if (made_) fs::remove(path_, ignored);
  }
  void keep() { made_ = false; }

 private:
  fs::path path_;
  bool made_ = false;
};

/// The painted mask as 0 and 1, (T, M).
Tensor paintedTensor(const PaintedMask& mask) {
  const std::vector<float> values(mask.allowed.begin(), mask.allowed.end());
  return Tensor::fromValues({mask.queries, mask.keys}, values);
}

/// Which weights dropout keeps, as 0 and 1, (B, H, T, M).
Tensor keptTensor(const AttentionConfig& c) {
  const DroppedCells dropped(c);
  Tensor kept = Tensor::uninitialised(shapeOf(TensorId::weights, c));
  for (Index item = 0; item < c.batch; ++item) {
    for (Index head = 0; head < c.numHeads; ++head) {
      const MatrixView cells = kept.mutableMatrix({item, head});
      for (Index row = 0; row < cells.rows; ++row) {
        for (Index col = 0; col < cells.cols; ++col) {
          cells(row, col) = dropped(item, head, row, col) ? 0.0F : 1.0F;
        }
      }
    }
  }
  return kept;
}

}  // namespace

void exportPyTorch(const fs::path& folder, const Trace& trace) {
  requireOwn(folder);
  NewFolder whole(folder);
  Staging tensors(folder / kTensorFolder);
  const auto write = [&](std::string_view name, const Tensor& tensor) {
    writeNpy(tensors.path() / fmt::format("{}.npy", name), tensor);
  };
  const AttentionConfig& c = trace.config();
  for (const TensorId id : tensorsOf(c)) write(info(id).name, trace.materialise(id));
  if (c.mask.painted != nullptr) write(kPainted, paintedTensor(*c.mask.painted));
  if (c.dropout.on()) write(kKeep, keptTensor(c));
  const std::string script = pytorchScript(trace);
  writeAtomically(folder / kScriptName, [&](std::ostream& out) {
    out << script << std::flush;
    if (out) tensors.takePlace();  // once the script is sure to have room beside them
  });
  whole.keep();
}

}  // namespace headscope::formats
