// Model page: the frames that show all heads of a model.
#pragma once

#include <string_view>

namespace headscope::bench {

/// `--model=DIR,TOKENS`: opens the model of a folder without a tokeniser on so many tokens, or with
/// `--model=DIR` a model of images on the program's own picture, and prints how long its pass took,
/// the first picture of all heads after it, a frame of the page at rest, and one while the wheel
/// goes into a head. False where the argument is another.
bool measureModelPage(std::string_view argument);

}  // namespace headscope::bench
