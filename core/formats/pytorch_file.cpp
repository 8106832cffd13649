#include "core/formats/pytorch_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/downloaded_file.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/memory_budget.h"
#include "core/formats/pickle.h"
#include "core/tensor/finite.h"
#include "core/tensor/read_floats.h"

#ifdef HEADSCOPE_ZIP
#include <zip.h>
#endif

namespace headscope::formats {

#ifdef HEADSCOPE_ZIP

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostPickleBytes = std::uint64_t{256} << 20;
constexpr std::string_view kSaveAsSafetensors =
    "download it again, or save the model with save_pretrained(…, safe_serialization=True)";

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw UserError(fmt::format("{} is not a usable file of weights: {}; {}", path.string(), what,
                              kSaveAsSafetensors));
}

/// An open archive. Entries are read from any thread, one at a time.
class Archive {
 public:
  struct Entry {
    std::uint64_t index = 0, bytes = 0;
    bool stored = false;  // not compressed, so that parts of it can be read
  };

  explicit Archive(const fs::path& path) : path_(path), file_(path) {
    std::array<char, kTellingBytes> first{};
    const auto count = std::min<std::uint64_t>(first.size(), file_.bytes());
    file_.read(0, std::span(first).first(static_cast<std::size_t>(count)));
    const std::string_view beginning(first.data(), static_cast<std::size_t>(count));
    if (!beginning.starts_with("PK")) refuseOther(beginning);
    int error = 0;
    zip_ = zip_open(path.string().c_str(), ZIP_RDONLY, &error);  // UTF-8 on every system
    if (zip_ == nullptr) fail(path, "its archive is damaged or cut short");
    list();
  }
  ~Archive() {
    if (zip_ != nullptr) zip_discard(zip_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  const fs::path& path() const { return path_; }
  bool changed() const { return file_.changed(); }
  const Entry* find(const std::string& name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// Fills `to` with the bytes of an entry from `offset` on.
  void read(const Entry& entry, std::uint64_t offset, std::span<char> to) const {
    if (file_.changed()) {
      throw UserError(
          fmt::format("{} has changed since it was opened: open it again", path_.string()));
    }
    const std::lock_guard lock(mutex_);
    zip_file_t* file = zip_fopen_index(zip_, entry.index, 0);
    bool whole = file != nullptr &&
                 (offset == 0 || zip_fseek(file, static_cast<zip_int64_t>(offset), SEEK_SET) == 0);
    while (whole && !to.empty()) {
      const zip_int64_t count = zip_fread(file, to.data(), to.size());
      whole = count > 0;
      if (whole) to = to.subspan(static_cast<std::size_t>(count));
    }
    if (file != nullptr) zip_fclose(file);
    if (!whole) fail(path_, "its archive is damaged or cut short");
  }

 private:
  [[noreturn]] void refuseOther(std::string_view beginning) const {
    const bool pickle = beginning.starts_with('\x80');
    if (const auto instead = whatItIsInsteadOfBinary(beginning); instead && !pickle) {
      throw UserError(fmt::format("{} {}", path_.string(), *instead));
    }
    fail(
        path_,
        "PyTorch before version 1.6 wrote it, and newer versions write zip archives; convert it by "
        "torch.save(torch.load(FILE), FILE)");
  }

  /// Lists the entries by their names without the folder that all of them are in.
  void list() {
    constexpr zip_int64_t kMostEntries = 1'000'000;
    const zip_int64_t count = std::min(zip_get_num_entries(zip_, 0), kMostEntries);
    for (zip_int64_t i = 0; i < count; ++i) {
      zip_stat_t stat;
      if (zip_stat_index(zip_, static_cast<zip_uint64_t>(i), 0, &stat) != 0) continue;
      const std::string_view name(stat.name);
      const std::size_t folder = name.find('/');
      if (folder == std::string_view::npos) continue;
      entries_[std::string(name.substr(folder + 1))] = {static_cast<std::uint64_t>(i), stat.size,
                                                        stat.comp_method == ZIP_CM_STORE};
    }
  }

  fs::path path_;
  UnchangedFile file_;
  zip_t* zip_ = nullptr;
  mutable std::mutex mutex_;  // of zip_
  std::map<std::string, Entry> entries_;
};

class PyTorchFile final : public WeightFile {
 public:
  explicit PyTorchFile(const fs::path& path) : archive_(path) {
    const Archive::Entry* pickle = archive_.find("data.pkl");
    if (pickle == nullptr) fail(path, "its archive has no data.pkl");
    if (pickle->bytes > kMostPickleBytes) fail(path, "its data.pkl is too large");
    if (const Archive::Entry* order = archive_.find("byteorder")) {
      std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(order->bytes, 16)), '\0');
      archive_.read(*order, 0, text);
      if (text == "big") fail(path, "its numbers have the byte order of another machine");
    }
    std::string bytes(static_cast<std::size_t>(pickle->bytes), '\0');
    archive_.read(*pickle, 0, bytes);
    tensors_ = tensorsOfPickle(bytes, path.string());
    for (const auto& [name, tensor] : tensors_) check(name, tensor);
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, tensor] : tensors_) names.push_back(name);
    return names;
  }
  bool has(const std::string& name) const override { return tensors_.contains(name); }
  const Shape& shape(const std::string& name) const override { return tensor(name).shape; }
  const std::string& dtype(const std::string& name) const override { return tensor(name).dtype; }
  const fs::path& path() const override { return archive_.path(); }
  bool changed() const override { return archive_.changed(); }

  Tensor read(const std::string& name) const override {
    const PickledTensor& from = tensor(name);
    requireMemoryFor(name, from.shape, path(), defaultMemoryBudget());
    Tensor result = isContiguous(from) ? values(from, from.shape) : gathered(from);
    requireFinite(result, name, path().string());
    return result;
  }

 private:
  const PickledTensor& tensor(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      throw UserError(
          fmt::format("{} has no tensor \"{}\"; check the names in it", path().string(), name));
    }
    return found->second;
  }

  static std::string entryOf(const PickledTensor& tensor) { return "data/" + tensor.storage; }

  /// Throws where the tensor's storage is missing, compressed or smaller than it claims.
  void check(const std::string& name, const PickledTensor& tensor) const {
    const Archive::Entry* entry = archive_.find(entryOf(tensor));
    if (entry == nullptr) fail(path(), fmt::format("the storage of \"{}\" is missing", name));
    if (!entry->stored) fail(path(), fmt::format("the storage of \"{}\" is compressed", name));
    const std::uint64_t each = bytesOfType(tensor.dtype);
    if (static_cast<std::uint64_t>(tensor.storageCount) > entry->bytes / each) {
      fail(path(), fmt::format("the storage of \"{}\" is cut short", name));
    }
  }

  static bool isContiguous(const PickledTensor& tensor) {
    Index step = 1;
    for (std::size_t axis = tensor.shape.size(); axis > 0; --axis) {
      const Index length = tensor.shape[axis - 1];
      if (length != 1 && tensor.strides[axis - 1] != step) return false;
      step *= length;
    }
    return true;
  }

  /// The elements from the tensor's offset on, as a tensor of this shape.
  Tensor values(const PickledTensor& from, const Shape& shape) const {
    Tensor result = Tensor::uninitialised(shape);
    const Archive::Entry* entry = archive_.find(entryOf(from));
    readFloats(from.dtype,
               [&](std::uint64_t offset, std::span<char> to) { archive_.read(*entry, offset, to); },
               static_cast<std::uint64_t>(from.offset) * bytesOfType(from.dtype),
               {result.mutableData(), static_cast<std::size_t>(result.size())});
    return result;
  }

  /// Reads the part of the storage that the strides reach, and takes the elements from it.
  Tensor gathered(const PickledTensor& from) const {
    Index last = 0;
    for (std::size_t axis = 0; axis < from.shape.size(); ++axis) {
      if (from.shape[axis] == 0) return Tensor::zeros(from.shape);
      last += (from.shape[axis] - 1) * from.strides[axis];
    }
    const Tensor reached = values(from, {last + 1});
    Tensor result = Tensor::uninitialised(from.shape);
    float* to = result.mutableData();
    Shape at(from.shape.size());
    Index place = 0;
    for (Index i = 0; i < result.size(); ++i) {
      to[i] = reached.data()[place];
      for (std::size_t axis = from.shape.size(); axis > 0; --axis) {
        const std::size_t a = axis - 1;
        place += from.strides[a];
        if (++at[a] < from.shape[a]) break;
        place -= at[a] * from.strides[a];
        at[a] = 0;
      }
    }
    return result;
  }

  Archive archive_;
  std::map<std::string, PickledTensor> tensors_;
};

}  // namespace

bool readsPyTorchFiles() { return true; }

WeightFilePtr openPyTorchFile(const fs::path& path) {
  return std::make_unique<const PyTorchFile>(path);
}

#else

bool readsPyTorchFiles() { return false; }

WeightFilePtr openPyTorchFile(const std::filesystem::path& path) {
  throw UserError(fmt::format(
      "{} is read by libzip, without which this program was built; save the model again with "
      "save_pretrained(…, safe_serialization=True)",
      path.string()));
}

#endif

}  // namespace headscope::formats
