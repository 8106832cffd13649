// One heap: all threads allocate from the same one.
#pragma once

namespace headscope {

/// The engine's thread gives back what the threads of a pass have taken: with a heap for each, as
/// glibc has them, up to twice of what is held stays resident. Before the first thread starts.
void useOneHeap();

}  // namespace headscope
