# Pinned sources of the dependencies that this machine has no package of: release archives by their
# SHA-256, repositories without releases by their commit. Nothing is downloaded where every package
# is installed. fetch_missing() gives the same targets as the packages.
include(FetchContent)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)  # extracted files are dated now, so that a new pin is rebuilt
endif()

# The sources alone; their own build files are not run.
function(fetch_sources name)
  FetchContent_Declare(${name} ${ARGN} SOURCE_SUBDIR no-build-files)
  FetchContent_MakeAvailable(${name})
  set(${name}_SOURCE_DIR ${${name}_SOURCE_DIR} PARENT_SCOPE)
endfunction()

# A project with a CMake build of its own. Its headers count as the system's: our warnings are not
# for them.
function(fetch_project name targets)
  message(STATUS "Fetching ${name}")
  FetchContent_Declare(${name} ${ARGN})
  FetchContent_MakeAvailable(${name})
  foreach(target IN LISTS targets)
    get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
    set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${includes}")
  endforeach()
endfunction()

function(add_fetched_headers target include_dir)
  message(STATUS "Fetched headers of ${target}")
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} INTERFACE ${include_dir})
endfunction()

function(add_fetched_library target include_dirs)
  message(STATUS "Fetched sources of ${target}")
  string(REPLACE "::" "_" name ${target})
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
  target_include_directories(${name} SYSTEM PUBLIC ${include_dirs})
  add_library(${target} ALIAS ${name})
endfunction()

function(fetch_eigen)
  fetch_sources(eigen
    URL https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.gz
    URL_HASH SHA256=8586084f71f9bde545ee7fa6d00288b264a2b7ac3607b974e54d13e7162c1c72)
  add_fetched_headers(Eigen3::Eigen ${eigen_SOURCE_DIR})
endfunction()

function(fetch_fmt)
  set(FMT_INSTALL OFF)
  fetch_project(fmt fmt
    URL https://github.com/fmtlib/fmt/releases/download/10.2.1/fmt-10.2.1.zip
    URL_HASH SHA256=312151a2d13c8327f5c9c586ac6cf7cddc1658e8f53edae0ec56509c8fa516c9)
endfunction()

function(fetch_json)
  fetch_sources(json
    URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
  add_fetched_headers(nlohmann_json::nlohmann_json ${json_SOURCE_DIR}/include)
endfunction()

function(fetch_cli11)
  fetch_sources(cli11
    URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.4.2.tar.gz
    URL_HASH SHA256=f2d893a65c3b1324c50d4e682c0cdc021dd0477ae2c048544f39eed6654b699a)
  add_fetched_headers(CLI11::CLI11 ${cli11_SOURCE_DIR}/include)
endfunction()

function(fetch_utf8proc)
  fetch_sources(utf8proc
    URL https://github.com/JuliaStrings/utf8proc/archive/refs/tags/v2.9.0.tar.gz
    URL_HASH SHA256=18c1626e9fc5a2e192311e36b3010bfc698078f692888940f1fa150547abb0c1)
  add_fetched_library(utf8proc::utf8proc ${utf8proc_SOURCE_DIR} ${utf8proc_SOURCE_DIR}/utf8proc.c)
  target_compile_definitions(utf8proc_utf8proc PUBLIC UTF8PROC_STATIC)
endfunction()

function(fetch_pcre2)
  set(PCRE2_SUPPORT_JIT ON)
  set(PCRE2_BUILD_PCRE2GREP OFF)
  set(PCRE2_BUILD_TESTS OFF)
  fetch_project(pcre2 pcre2-8-static
    URL https://github.com/PCRE2Project/pcre2/releases/download/pcre2-10.42/pcre2-10.42.tar.bz2
    URL_HASH SHA256=8d36cd8cb6ea2a4c2bb358ff6411b0c788633a2a45dabbf1aeb4b701d1b5e840)
  add_library(pcre2::pcre2 ALIAS pcre2-8-static)
endfunction()

function(fetch_csv)
  fetch_sources(libcsv
    GIT_REPOSITORY https://github.com/rgamble/libcsv.git
    GIT_TAG b1d5212831842ee5869d99bc208a21837e4037d5)
  add_fetched_library(csv::csv ${libcsv_SOURCE_DIR} ${libcsv_SOURCE_DIR}/libcsv.c)
endfunction()

function(fetch_stb)
  fetch_sources(stb
    GIT_REPOSITORY https://github.com/nothings/stb.git
    GIT_TAG f4a71b13373436a2866c5d68f8f80ac6f0bc1ffe)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/fetched/stb.c CONTENT "
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image_write.h>
")
  add_fetched_library(stb::stb ${stb_SOURCE_DIR} ${CMAKE_BINARY_DIR}/fetched/stb.c)
endfunction()

function(fetch_glfw)
  set(GLFW_BUILD_DOCS OFF)
  set(GLFW_BUILD_EXAMPLES OFF)
  set(GLFW_BUILD_TESTS OFF)
  set(GLFW_BUILD_WAYLAND OFF)
  set(GLFW_INSTALL OFF)
  fetch_project(glfw glfw
    URL https://github.com/glfw/glfw/archive/refs/tags/3.4.tar.gz
    URL_HASH SHA256=c038d34200234d071fae9345bc455e4a8f2f544ab60150765d7704e08f3dac01)
endfunction()

function(fetch_imgui)
  fetch_sources(imgui
    URL https://github.com/ocornut/imgui/archive/refs/tags/v1.90.6.tar.gz
    URL_HASH SHA256=70b4b05ac0938e82b4d5b8d59480d3e2ca63ca570dfb88c55023831f387237ad)
  set(dir ${imgui_SOURCE_DIR})
  add_fetched_library(imgui::imgui "${dir};${dir}/misc/cpp;${dir}/misc/freetype"
    ${dir}/imgui.cpp ${dir}/imgui_draw.cpp ${dir}/imgui_tables.cpp ${dir}/imgui_widgets.cpp
    ${dir}/misc/cpp/imgui_stdlib.cpp ${dir}/misc/freetype/imgui_freetype.cpp
    ${dir}/backends/imgui_impl_glfw.cpp ${dir}/backends/imgui_impl_opengl3.cpp)
  target_link_libraries(imgui_imgui PUBLIC glfw Freetype::Freetype ${CMAKE_DL_LIBS}
                                           $<$<BOOL:${WIN32}>:imm32>)
endfunction()

# libepoxy is built by Meson; these few commands do the same for what is used of it: GL, and where a
# window system's functions go through it, these: EGL on Linux, WGL on Windows.
function(fetch_epoxy)
  fetch_sources(epoxy
    URL https://github.com/anholt/libepoxy/archive/refs/tags/1.5.10.tar.gz
    URL_HASH SHA256=a7ced37f4102b745ac86d6a70a9da399cc139ff168ba6b8002b4d8d43c900c15)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(egl 0)
  set(platform_headers "")
  if(WIN32)
    set(system wgl)
  elseif(NOT APPLE)
    set(system egl)
    set(egl 1)
    set(platform_headers "#define HAVE_KHRPLATFORM_H")
  endif()
  set(out ${CMAKE_BINARY_DIR}/fetched/epoxy)
  set(generated "")
  foreach(api gl ${system})
    add_custom_command(
      OUTPUT ${out}/${api}_generated_dispatch.c ${out}/include/epoxy/${api}_generated.h
      COMMAND ${CMAKE_COMMAND} -E make_directory ${out}/include/epoxy
      COMMAND Python3::Interpreter ${epoxy_SOURCE_DIR}/src/gen_dispatch.py --source --no-header
              --outputdir=${out} ${epoxy_SOURCE_DIR}/registry/${api}.xml
      COMMAND Python3::Interpreter ${epoxy_SOURCE_DIR}/src/gen_dispatch.py --header --no-source
              --outputdir=${out}/include/epoxy ${epoxy_SOURCE_DIR}/registry/${api}.xml
      VERBATIM)
    list(APPEND generated
      ${out}/${api}_generated_dispatch.c ${out}/include/epoxy/${api}_generated.h)
  endforeach()
  file(CONFIGURE OUTPUT ${out}/config.h CONTENT "
#define ENABLE_GLX 0
#define ENABLE_EGL ${egl}
#define ENABLE_X11 0
${platform_headers}
#define EPOXY_PUBLIC __attribute__((visibility(\"default\"))) extern
")
  add_fetched_library(epoxy::epoxy "${epoxy_SOURCE_DIR}/include;${out}/include"
    ${epoxy_SOURCE_DIR}/src/dispatch_common.c ${generated})
  if(system)
    target_sources(epoxy_epoxy PRIVATE ${epoxy_SOURCE_DIR}/src/dispatch_${system}.c)
  endif()
  target_include_directories(epoxy_epoxy PRIVATE ${out} ${epoxy_SOURCE_DIR}/src)
  target_link_libraries(epoxy_epoxy PUBLIC ${CMAKE_DL_LIBS})
endfunction()

function(fetch_googletest)
  set(INSTALL_GTEST OFF)
  set(BUILD_GMOCK OFF)
  fetch_project(googletest "gtest;gtest_main"
    URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
    URL_HASH SHA256=8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7)
endfunction()

function(fetch_benchmark)
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_INSTALL OFF)
  fetch_project(benchmark benchmark
    URL https://github.com/google/benchmark/archive/refs/tags/v1.8.3.tar.gz
    URL_HASH SHA256=6bc180a57d23d4d9515519f92b0c83d61b05b5bab188961f36ac7b06b0d9e9ce)
endfunction()

function(fetch_missing)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # options set above reach projects of older CMake
  set(recipes
    Eigen3::Eigen eigen fmt::fmt fmt nlohmann_json::nlohmann_json json CLI11::CLI11 cli11
    utf8proc::utf8proc utf8proc pcre2::pcre2 pcre2 csv::csv csv stb::stb stb glfw glfw
    imgui::imgui imgui
    epoxy::epoxy epoxy)
  if(HEADSCOPE_TESTS)
    list(APPEND recipes GTest::gtest_main googletest)
  endif()
  if(HEADSCOPE_BENCH)
    list(APPEND recipes benchmark::benchmark benchmark)
  endif()
  while(recipes)
    list(POP_FRONT recipes target recipe)
    if(NOT TARGET ${target})
      cmake_language(CALL fetch_${recipe})
    endif()
  endwhile()
endfunction()
