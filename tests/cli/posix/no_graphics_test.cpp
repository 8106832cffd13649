// Drawing where the driver is too old or missing: a sentence that names the way out.
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "tests/cli/cli_test.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

class NoGraphics : public InFolder {
 protected:
  void expectRefused(const std::string& environment, const std::string& words) {
    const std::string command = environment + " '" HEADSCOPE_PROGRAM "' render --out '" +
                                path("p.png") + "' 2> '" + path("error") + "'";
    const int status = std::system(command.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << status;
    EXPECT_EQ(WEXITSTATUS(status), 2);
    const std::string error = readAll(path("error"));
    EXPECT_NE(error.find("headscope: " + words), std::string::npos) << error;
    EXPECT_FALSE(std::filesystem::exists(path("p.png")));
  }
};

TEST_F(NoGraphics, OpenGlBelow33) {
  expectRefused("MESA_GL_VERSION_OVERRIDE=2.1",
                "drawing offscreen needs OpenGL 3.3, which EGL's driver does not offer here");
}

TEST_F(NoGraphics, NoDriver) {
  expectRefused("__EGL_VENDOR_LIBRARY_DIRS=/nonexistent",
                "drawing offscreen needs EGL, which does not start here");
}

}  // namespace
}  // namespace headscope
