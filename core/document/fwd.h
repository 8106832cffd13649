// Forward declarations of Document and Trace, with the pointers that share them. A header that only
// passes them on includes this one, so that a change of a document does not rebuild its readers.
#pragma once

#include <memory>

namespace headscope {

struct Document;  // document.h
class Trace;      // trace.h

using DocumentPtr = std::shared_ptr<const Document>;
using TracePtr = std::shared_ptr<const Trace>;

}  // namespace headscope
