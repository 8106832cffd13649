// Pickle: the tensors that torch.save writes as a Python pickle (data.pkl), read as data. Nothing
// is run: the reader knows numbers, texts, lists, dictionaries and tensors, and refuses every other
// class by its name. Protocols 2 to 5 (https://docs.python.org/3/library/pickletools.html).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/tensor/shape.h"

namespace headscope::formats {

/// A tensor's place in one of the file's storages, in elements.
struct PickledTensor {
  std::string dtype;    // as safetensors name it: "F32"
  std::string storage;  // its key: "0"
  Index storageCount = 0;
  Index offset = 0;
  Shape shape, strides;  // of as many axes
};

/// Returns the tensors of the state dict: of the outermost dictionary, or of the one that a
/// checkpoint keeps under "state_dict", "model_state_dict", "model" or "module". Entries that are
/// no tensors are left out. `file` names the pickle in messages. Throws UserError for a damaged
/// pickle, another class, and a tensor outside its storage.
std::map<std::string, PickledTensor> tensorsOfPickle(std::string_view bytes,
                                                     const std::string& file);

}  // namespace headscope::formats
