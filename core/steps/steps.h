// The nine steps; each is defined in the file of its name and listed in order by allSteps().
#pragma once

#include "core/steps/step.h"

namespace headscope {

const Step& projectStep();
const Step& splitStep();
const Step& scoreStep();
const Step& scaleStep();
const Step& maskStep();
const Step& softmaxStep();
const Step& weighStep();
const Step& concatStep();
const Step& outputStep();

}  // namespace headscope
