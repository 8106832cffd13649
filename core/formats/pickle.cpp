#include "core/formats/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/base/utf8.h"

namespace headscope::formats {
namespace {

constexpr std::size_t kMostValues = 4'000'000;  // bounds the memory that a small file can ask for
constexpr std::size_t kMostKeyBytes = 64;       // of a storage's name, which is a number

struct Storage {
  std::string dtype, key;
  Index count = 0;
};
/// A class or function that is known by name only.
struct Name {
  std::string_view text;  // "collections.OrderedDict"
};
struct Mark {};

/// A list, a tuple, or a dictionary as its keys and values in turn. Lives in the reader, so that
/// values nested however deeply are freed without recursion.
struct Container;
/// Texts are parts of the pickle; what is larger lives in the reader.
struct ListOf {
  Container* items = nullptr;
};
struct DictOf {
  Container* items = nullptr;
};

struct StorageOf {
  const Storage* storage = nullptr;
};
struct TensorOf {
  const PickledTensor* tensor = nullptr;
};

using Value = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string_view, Name, Mark,
                           ListOf, DictOf, StorageOf, TensorOf>;

struct Container {
  std::vector<Value> values;
};

/// PyTorch's storage classes, and the types as safetensors name them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kStorages{
    {{"torch.FloatStorage", "F32"},
     {"torch.HalfStorage", "F16"},
     {"torch.BFloat16Storage", "BF16"},
     {"torch.DoubleStorage", "F64"},
     {"torch.LongStorage", "I64"},
     {"torch.IntStorage", "I32"},
     {"torch.ShortStorage", "I16"},
     {"torch.CharStorage", "I8"},
     {"torch.ByteStorage", "U8"},
     {"torch.BoolStorage", "BOOL"}}};

constexpr std::array<std::string_view, 5> kFunctions{
    "collections.OrderedDict", "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state", "torch.Size"};

std::optional<std::string_view> typeOfStorage(std::string_view name) {
  for (const auto& [storage, type] : kStorages) {
    if (storage == name) return type;
  }
  return std::nullopt;
}

/// The known class or function of this name, or none.
std::optional<Name> known(std::string_view name) {
  for (const auto& [storage, type] : kStorages) {
    if (storage == name) return Name{storage};
  }
  const auto* function = std::ranges::find(kFunctions, name);
  if (function == kFunctions.end()) return std::nullopt;
  return Name{*function};
}

/// Runs the opcodes of one pickle.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Value read() {
    while (true) {
      const auto code = static_cast<unsigned char>(take(1).front());
      if (code == '.') return pop();
      run(code);
      if (++values_ > kMostValues) fail("it holds too many values");
    }
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format(
        "{} is not a usable file of weights: {}; download it again, or save the model with "
        "save_pretrained(…, safe_serialization=True)",
        file_, what));
  }

 private:
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) fail(fmt::format("it ends early, at byte {}", bytes_.size()));
    const std::string_view part = bytes_.substr(at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return part;
  }
  template <typename Whole>
  Whole whole() {
    static_assert(std::endian::native == std::endian::little, "pickles are little-endian");
    Whole value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) fail("it ends early");
    const std::string_view text = take(end - at_);
    take(1);
    return text;
  }

  void push(Value value) { stack_.push_back(std::move(value)); }
  Value pop() {
    if (stack_.empty()) fail("its values do not fit together");
    Value value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }
  template <typename Kind>
  Kind popA(const char* what) {
    Value value = pop();
    Kind* kind = std::get_if<Kind>(&value);
    if (kind == nullptr) fail(fmt::format("it has no {} where one is needed", what));
    return std::move(*kind);
  }
  /// Takes the values above the last mark, and the mark.
  std::vector<Value> popToMark() {
    std::size_t from = stack_.size();
    while (from > 0 && !std::holds_alternative<Mark>(stack_[from - 1])) --from;
    if (from == 0) fail("its values do not fit together");
    std::vector<Value> values(std::make_move_iterator(stack_.begin() + std::ptrdiff_t(from)),
                              std::make_move_iterator(stack_.end()));
    stack_.resize(from - 1);
    return values;
  }
  Container* made(std::vector<Value> values = {}) {
    containers_.push_back(std::make_unique<Container>(Container{std::move(values)}));
    return containers_.back().get();
  }
  void pushTuple(std::size_t count) {
    std::vector<Value> values(count);
    for (std::size_t i = count; i > 0; --i) values[i - 1] = pop();
    push(ListOf{made(std::move(values))});
  }

  void append(std::vector<Value> values, bool toDict) {
    if (stack_.empty()) fail("its values do not fit together");
    Container* items = nullptr;
    if (const auto* list = std::get_if<ListOf>(&stack_.back()); list != nullptr && !toDict) {
      items = list->items;
    } else if (const auto* dict = std::get_if<DictOf>(&stack_.back()); dict != nullptr && toDict) {
      items = dict->items;
    }
    if (items == nullptr || (toDict && values.size() % 2 != 0))
      fail("its values do not fit together");
    for (Value& value : values) items->values.push_back(std::move(value));
  }

  void remember(std::uint32_t place) {
    if (stack_.empty()) fail("its values do not fit together");
    memo_[place] = stack_.back();
  }
  void recall(std::uint32_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail("it refers to a value that it does not hold");
    push(found->second);
  }

  void pushName(const std::string& text) {
    const auto name = known(text);
    if (!name) {
      throw UserError(fmt::format(
          "{} holds an object of the class {}, which is not read: only tensors, dictionaries, "
          "lists, numbers and texts are; save the state dict alone, with "
          "torch.save(model.state_dict(), …) "
          "or save_pretrained(…, safe_serialization=True)",
          file_, excerpt(text, 100)));
    }
    push(*name);
  }

  void pushLong(std::uint64_t bytes) {
    const std::string_view digits = take(bytes);
    if (digits.size() > 8) fail("it has a number that is too large");
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      value |= std::uint64_t{static_cast<unsigned char>(digits[i])} << (8 * i);
    }
    const bool negative =
        !digits.empty() && (static_cast<unsigned char>(digits.back()) & 0x80) != 0;
    if (negative && digits.size() < 8) value |= ~std::uint64_t{0} << (8 * digits.size());
    push(static_cast<std::int64_t>(value));
  }

  double bigEndianDouble() {
    std::array<char, 8> bytes{};
    const std::string_view given = take(bytes.size());
    std::reverse_copy(given.begin(), given.end(), bytes.begin());
    return std::bit_cast<double>(bytes);
  }

  Index count(const Value& value, const char* what) const {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < 0)
      fail(fmt::format("a tensor's {} is no number from 0", what));
    return *number;
  }
  Shape lengths(const Value& value, const char* what) const {
    const auto* list = std::get_if<ListOf>(&value);
    if (list == nullptr || list->items->values.size() > Shape::kMostAxes) {
      fail(fmt::format("a tensor's {} has not 0 to {} numbers", what, Shape::kMostAxes));
    }
    Shape shape;
    for (const Value& length : list->items->values) shape.append(count(length, what));
    return shape;
  }

  /// ('storage', torch.FloatStorage, '0', 'cpu', 12): where a tensor's values are.
  void pushStorage() {
    const auto id = popA<ListOf>("storage");
    const std::vector<Value>& parts = id.items->values;
    const auto* type = parts.size() == 5 ? std::get_if<Name>(&parts[1]) : nullptr;
    const auto* key = parts.size() == 5 ? std::get_if<std::string_view>(&parts[2]) : nullptr;
    const auto dtype = type != nullptr ? typeOfStorage(type->text) : std::nullopt;
    if (!dtype || key == nullptr || key->size() > kMostKeyBytes)
      fail("it names a storage in a way that is not known");
    storages_.push_back({std::string(*dtype), std::string(*key), count(parts[4], "storage")});
    push(StorageOf{&storages_.back()});
  }

  PickledTensor tensorOf(const std::vector<Value>& arguments) const {
    const auto* given = arguments.size() >= 4 ? std::get_if<StorageOf>(&arguments[0]) : nullptr;
    if (given == nullptr) fail("a tensor has no storage");
    const Storage* storage = given->storage;
    PickledTensor tensor{storage->dtype,
                         storage->key,
                         storage->count,
                         count(arguments[1], "offset"),
                         lengths(arguments[2], "shape"),
                         lengths(arguments[3], "strides")};
    if (tensor.shape.size() != tensor.strides.size())
      fail("a tensor's strides do not fit its shape");
    checkRange(tensor);
    return tensor;
  }

  /// Throws where an element of the tensor lies outside its storage.
  void checkRange(const PickledTensor& tensor) const {
    Index last = tensor.offset, elements = 1;
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const Index length = tensor.shape[axis];
      // strides of 0 repeat elements, so the count is bounded by itself
      if (length > 0 && elements > std::numeric_limits<Index>::max() / length) {
        fail("a tensor's shape is too large to count");
      }
      elements *= length;
      const Index steps = std::max<Index>(length - 1, 0);
      if (steps > 0 && tensor.strides[axis] > tensor.storageCount / steps) {
        fail("a tensor lies outside its storage");
      }
      last += steps * tensor.strides[axis];
      if (last > tensor.storageCount) fail("a tensor lies outside its storage");
    }
    if (elements > 0 && last >= tensor.storageCount) fail("a tensor lies outside its storage");
  }

  /// Calls a known function on a tuple of arguments.
  void reduce() {
    const auto arguments = popA<ListOf>("tuple");
    const auto function = popA<Name>("function");
    const std::vector<Value>& given = arguments.items->values;
    if (function.text == "torch._utils._rebuild_tensor_v2") {
      tensors_.push_back(tensorOf(given));
      push(TensorOf{&tensors_.back()});
    } else if (function.text.starts_with("torch._utils._rebuild_parameter")) {
      if (given.empty() || !std::holds_alternative<TensorOf>(given[0])) {
        fail("a parameter has no tensor");
      }
      push(given[0]);
    } else if (function.text == "torch.Size") {
      push(given.empty() ? Value(ListOf{made()}) : given[0]);
    } else if (function.text == "collections.OrderedDict") {
      push(orderedDict(given));
    } else {
      fail(fmt::format("it calls {}, which is no function", function.text));
    }
  }

  /// OrderedDict(), or OrderedDict([(key, value), …]).
  Value orderedDict(const std::vector<Value>& arguments) {
    Container* items = made();
    if (arguments.empty()) return DictOf{items};
    const auto* list = std::get_if<ListOf>(&arguments[0]);
    if (list == nullptr) fail("its values do not fit together");
    for (const Value& pair : list->items->values) {
      const auto* two = std::get_if<ListOf>(&pair);
      if (two == nullptr || two->items->values.size() != 2) fail("its values do not fit together");
      for (const Value& value : two->items->values) items->values.push_back(value);
    }
    return DictOf{items};
  }

  void run(unsigned char code) {
    switch (code) {
      case 0x80:  // PROTO
        if (const int protocol = whole<std::uint8_t>(); protocol > 5) {
          fail(fmt::format("its pickle protocol {} is newer than 5", protocol));
        }
        return;
      case 0x95:  // FRAME
        take(8);
        return;
      case '(':
        return push(Mark{});
      case '0':
        pop();
        return;
      case '1':
        popToMark();
        return;
      case '2':
        if (stack_.empty()) fail("its values do not fit together");
        return push(stack_.back());
      case 'N':
        return push(nullptr);
      case 0x88:
        return push(true);
      case 0x89:
        return push(false);
      case 'J':
        return push(std::int64_t{whole<std::int32_t>()});
      case 'K':
        return push(std::int64_t{whole<std::uint8_t>()});
      case 'M':
        return push(std::int64_t{whole<std::uint16_t>()});
      case 0x8a:  // LONG1
        return pushLong(whole<std::uint8_t>());
      case 0x8b:  // LONG4
        return pushLong(whole<std::uint32_t>());
      case 'G':
        return push(bigEndianDouble());
      case 'X':  // BINUNICODE
      case 'T':  // BINSTRING
      case 'B':  // BINBYTES
        return push(take(whole<std::uint32_t>()));
      case 'U':   // SHORT_BINSTRING
      case 'C':   // SHORT_BINBYTES
      case 0x8c:  // SHORT_BINUNICODE
        return push(take(whole<std::uint8_t>()));
      case 0x8d:  // BINUNICODE8
      case 0x8e:  // BINBYTES8
        return push(take(whole<std::uint64_t>()));
      case ']':
        return push(ListOf{made()});
      case '}':
        return push(DictOf{made()});
      case ')':
        return pushTuple(0);
      case 0x85:
        return pushTuple(1);
      case 0x86:
        return pushTuple(2);
      case 0x87:
        return pushTuple(3);
      case 't':
      case 'l':
        return push(ListOf{made(popToMark())});
      case 'd': {
        std::vector<Value> values = popToMark();
        push(DictOf{made()});
        return append(std::move(values), true);
      }
      case 'a': {
        std::vector<Value> one;
        one.push_back(pop());
        return append(std::move(one), false);
      }
      case 'e':
        return append(popToMark(), false);
      case 's': {
        std::vector<Value> two(2);
        two[1] = pop();
        two[0] = pop();
        return append(std::move(two), true);
      }
      case 'u':
        return append(popToMark(), true);
      case 'q':
        return remember(whole<std::uint8_t>());
      case 'r':
        return remember(whole<std::uint32_t>());
      case 0x94:  // MEMOIZE
        return remember(static_cast<std::uint32_t>(memo_.size()));
      case 'h':
        return recall(whole<std::uint8_t>());
      case 'j':
        return recall(whole<std::uint32_t>());
      case 'c': {
        std::string name(line());
        name += ".";
        name += line();
        return pushName(name);
      }
      case 0x93: {  // STACK_GLOBAL
        const auto name = popA<std::string_view>("name");
        return pushName(fmt::format("{}.{}", popA<std::string_view>("module"), name));
      }
      case 'Q':  // BINPERSID
        return pushStorage();
      case 'R':
        return reduce();
      case 'b':  // BUILD: the attributes of a dictionary, as "_metadata", hold no tensors
        pop();
        if (stack_.empty() || !std::holds_alternative<DictOf>(stack_.back())) {
          fail("it sets attributes of something that is no dictionary");
        }
        return;
      default:
        fail(fmt::format("it has the opcode 0x{:02x}, which is not known", code));
    }
  }

  std::string_view bytes_;
  const std::string& file_;
  std::size_t at_ = 0, values_ = 0;
  std::vector<Value> stack_;
  std::map<std::uint32_t, Value> memo_;
  std::vector<std::unique_ptr<Container>> containers_;
  std::deque<Storage> storages_;
  std::deque<PickledTensor> tensors_;
};

std::map<std::string, PickledTensor> tensorsIn(const Container& dict) {
  std::map<std::string, PickledTensor> tensors;
  for (std::size_t i = 0; i + 1 < dict.values.size(); i += 2) {
    const auto* name = std::get_if<std::string_view>(&dict.values[i]);
    const auto* tensor = std::get_if<TensorOf>(&dict.values[i + 1]);
    if (name != nullptr && tensor != nullptr) tensors[std::string(*name)] = *tensor->tensor;
  }
  return tensors;
}

/// The dictionary of an entry of another; null where there is none.
const Container* dictIn(const Container& dict, std::string_view entry) {
  for (std::size_t i = 0; i + 1 < dict.values.size(); i += 2) {
    const auto* name = std::get_if<std::string_view>(&dict.values[i]);
    const auto* inner = std::get_if<DictOf>(&dict.values[i + 1]);
    if (name != nullptr && inner != nullptr && *name == entry) return inner->items;
  }
  return nullptr;
}

}  // namespace

std::map<std::string, PickledTensor> tensorsOfPickle(std::string_view bytes,
                                                     const std::string& file) {
  Reader reader(bytes, file);
  const Value whole = reader.read();
  const auto* dict = std::get_if<DictOf>(&whole);
  if (dict == nullptr) reader.fail("it holds no dictionary of tensors");
  auto tensors = tensorsIn(*dict->items);
  for (const char* entry : {"state_dict", "model_state_dict", "model", "module"}) {
    if (!tensors.empty()) break;
    if (const Container* inner = dictIn(*dict->items, entry)) tensors = tensorsIn(*inner);
  }
  if (tensors.empty()) reader.fail("it holds no dictionary of tensors");
  return tensors;
}

}  // namespace headscope::formats
