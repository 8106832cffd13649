# How every file of ours is compiled; third-party code gets none of it.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

add_library(headscope_warnings INTERFACE)
# Not under the sanitizers: their checks lead GCC's analysis to false alarms, and the other builds
# compile the same files.
if(NOT HEADSCOPE_SANITIZE AND NOT HEADSCOPE_FUZZ)
  target_compile_options(headscope_warnings INTERFACE -Wall -Wextra -Wpedantic
                         $<$<BOOL:${HEADSCOPE_WERROR}>:-Werror>)
  if(EMSCRIPTEN)  # #embed, and the arguments $0, $1 … of EM_ASM, which only its compiler meets
    target_compile_options(headscope_warnings INTERFACE
                           -Wno-c23-extensions -Wno-dollar-in-identifier-extension)
  endif()
  # False alarms of GCC: its own AVX-512 intrinsics as uninitialised (bug 105593), joining
  # std::strings as overlapping (bug 105651), assigning {x} to a vector as out of bounds; from 13
  # on, a span of what stays as a reference into the argument it was made for (bug 108165).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(headscope_warnings INTERFACE
      -Wno-uninitialized -Wno-maybe-uninitialized -Wno-restrict
      -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow
      $<$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>:-Wno-dangling-reference>)
  endif()
endif()

# One set of architecture flags for all targets: Eigen's types differ in alignment between sets.
add_library(headscope_options INTERFACE)
target_include_directories(headscope_options INTERFACE ${PROJECT_SOURCE_DIR})
if(WIN32)
  target_include_directories(headscope_options INTERFACE
                             ${PROJECT_SOURCE_DIR}/third_party/windows/include)
endif()
# A tile computed on demand has the bits of a stored pass only if both round after each operation.
target_compile_options(headscope_options INTERFACE -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC collects garbage from 128 MB on, which takes a sixth of its time. Without, files that are
  # compiled as one need 2.3 GB at most, an eighth more.
  target_compile_options(headscope_options INTERFACE
                         --param=ggc-min-heapsize=1000000 --param=ggc-min-expand=100)
endif()
if(HEADSCOPE_NATIVE)
  check_cxx_compiler_flag(-march=native HEADSCOPE_HAS_MARCH_NATIVE)
  if(HEADSCOPE_HAS_MARCH_NATIVE)
    target_compile_options(headscope_options INTERFACE -march=native)
  endif()
endif()
# Options that turn a fault which no test found into a crash rather than a way in.
# tests/lint/hardening.py looks at the built program.
set(sanitized "$<BOOL:$<TARGET_PROPERTY:SANITIZED>>")
set(hardened "$<AND:$<CONFIG:Release>,$<NOT:$<BOOL:${EMSCRIPTEN}>>,$<NOT:${sanitized}>>")
target_compile_options(headscope_options INTERFACE
  "$<${hardened}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-fstack-protector-strong>")
if(CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
  target_link_options(headscope_options INTERFACE
    "$<${hardened}:LINKER:-z,relro,-z,now,-z,noexecstack>")
endif()
# Without the checks before every use of a pointer, of which AddressSanitizer makes most once more:
# two fifths less to compile. What reads files is tried with them too (HEADSCOPE_FUZZ).
set(sanitizers -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr
               -fno-sanitize-recover=all -fno-omit-frame-pointer)
if(HEADSCOPE_SANITIZE)
  if(HEADSCOPE_SANITIZE STREQUAL "thread")
    set(sanitizers -fsanitize=thread -fno-omit-frame-pointer)
  endif()
  target_compile_options(headscope_options INTERFACE ${sanitizers}
    $<$<BOOL:$<TARGET_PROPERTY:MEMORY_ALONE>>:-fno-sanitize=undefined>)
  target_compile_definitions(headscope_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(headscope_options INTERFACE ${sanitizers})
else()
  # A target with the property SANITIZED, in a build without. The others warn of the same files.
  # What Eigen allocates there is freed by files that are compiled without: both in one way.
  target_compile_options(headscope_options INTERFACE
    "$<${sanitized}:${sanitizers};-g1;-w;-UNDEBUG>"
    "$<${sanitized}:-D_GLIBCXX_ASSERTIONS;-DEIGEN_MALLOC_ALREADY_ALIGNED=1>")
  target_link_options(headscope_options INTERFACE "$<${sanitized}:${sanitizers}>")
endif()
if(HEADSCOPE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "HEADSCOPE_FUZZ needs Clang's libFuzzer: cmake --preset fuzz")
  endif()
  set(sanitizers -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow
                 -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(headscope_options INTERFACE ${sanitizers})
  target_compile_definitions(headscope_options INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(headscope_options INTERFACE ${sanitizers})
endif()

# Precompiles, where wanted, what most files of a target include.
function(precompile_headers target)
  if(HEADSCOPE_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <cstddef> <cstdint> <filesystem> <functional> <map> <memory>
      <optional> <span> <string> <string_view> <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()

# Compiles so many files of a target as one. What a file keeps to itself must have a name of its own
# within them.
function(compile_together target files)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEADSCOPE_UNITY}
                        UNITY_BUILD_BATCH_SIZE ${files})
endfunction()

# For a target that computes nothing that takes long: half the time to compile, and for a browser
# less to load. Under the sanitizers not optimised at all: it compiles in two thirds of the time, and
# its tests take half of what is won.
function(compile_quickly target)
  if(EMSCRIPTEN)
    target_compile_options(${target} PRIVATE -Oz)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>
                           $<$<BOOL:${HEADSCOPE_SANITIZE}>:-O0>)
  endif()
endfunction()
