# Finds every dependency: the system's package first, a pinned source (fetch.cmake) else. Which
# packages, and why each is there: packages.txt. Included by the root, so that the targets are
# seen everywhere.
find_package(PkgConfig)
include(${CMAKE_CURRENT_LIST_DIR}/fetch.cmake)

# A pkg-config module as target <target>.
function(find_module target module)
  string(MAKE_C_IDENTIFIER ${module} id)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${id} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(${id}_FOUND)
      add_library(${target} ALIAS PkgConfig::${id})
    endif()
  endif()
endfunction()

# A header and a library that come without any description of themselves.
function(find_plain target header library)
  string(MAKE_C_IDENTIFIER ${target} id)
  find_path(${id}_INCLUDE_DIR ${header} PATH_SUFFIXES stb)
  find_library(${id}_LIBRARY ${library})
  mark_as_advanced(${id}_INCLUDE_DIR ${id}_LIBRARY)
  if(${id}_INCLUDE_DIR AND ${id}_LIBRARY)
    add_library(${target} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${id}_LIBRARY}
                          INTERFACE_INCLUDE_DIRECTORIES ${${id}_INCLUDE_DIR})
  endif()
endfunction()

# Debian's library holds the backends and the FreeType rasteriser, but names neither's libraries.
function(find_imgui)
  find_module(imgui::imgui imgui)
  if(TARGET imgui::imgui)
    target_link_libraries(PkgConfig::imgui INTERFACE glfw Freetype::Freetype ${CMAKE_DL_LIBS})
  endif()
endfunction()

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Freetype REQUIRED)

if(NOT HEADSCOPE_FETCH)
  find_package(Eigen3 3.4 NO_MODULE QUIET)
  find_package(fmt QUIET)
  find_package(nlohmann_json QUIET)
  find_package(CLI11 QUIET)
  find_package(glfw3 3.3 QUIET)
  find_module(epoxy::epoxy epoxy)
  find_module(utf8proc::utf8proc libutf8proc)
  find_module(pcre2::pcre2 libpcre2-8)
  find_imgui()
  # Optional: without them such texts stand in the order of their letters, as code points.
  find_module(fribidi::fribidi fribidi)
  find_module(fontconfig::fontconfig fontconfig)
  # Optional: without it, files that torch.save wrote are refused.
  find_module(libzip::zip libzip)
  # Optional: without one of them, pictures of its kind are refused.
  find_module(png::png libpng)
  find_module(turbojpeg::turbojpeg libturbojpeg)
  find_module(webp::webp libwebp)
  # Optional: without one of them, films of its kind are refused.
  find_module(webpmux::webpmux libwebpmux)
  find_package(GIF QUIET)
  # Optional: without it, SentencePiece's own files (tokenizer.model, spiece.model) are refused.
  # Not by pkg-config: Debian 13's description of it wants a package that the library does not need.
  find_plain(sentencepiece::sentencepiece sentencepiece_processor.h sentencepiece)
  # Optional: without it, pictures are PNG files alone.
  find_module(cairo::cairo cairo-ft)
  # Optional: core/gemm is right, if slower, without it. Its CMake file would ask for OpenCL.
  find_plain(DNNL::dnnl dnnl.h dnnl)
  find_plain(csv::csv csv.h csv)
  find_plain(stb::stb stb_image_write.h stb)
  if(HEADSCOPE_TESTS)
    find_package(GTest QUIET)
  endif()
  if(HEADSCOPE_BENCH)
    find_package(benchmark QUIET)
  endif()
endif()
fetch_missing()

if(TARGET DNNL::dnnl)
  message(STATUS "oneDNN found: matrix products use it")
else()
  message(STATUS "oneDNN not found: matrix products use Eigen (slower)")
endif()
