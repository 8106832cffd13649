# Compiles for Windows, x86-64, with Debian's MinGW-w64. Libraries are those of
# build/windows/libraries (build.sh); what is in /usr is for another system.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

get_filename_component(libraries ${CMAKE_CURRENT_LIST_DIR}/../../build/windows/libraries ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${libraries})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/lib/pkgconfig)
set(PKG_CONFIG_ARGN --static)

# Windows 10 and its functions, without those that hide names of the standard library.
set(windows "-D_WIN32_WINNT=0x0A00 -DWIN32_LEAN_AND_MEAN -DNOMINMAX")
# GCC aligns Windows' stack to 16 bytes, while it takes 32 and 64 for granted where it spills a
# vector (bug 54412): the assembler writes the moves that need no alignment.
set(CMAKE_C_FLAGS_INIT "${windows} -Wa,-muse-unaligned-vector-move")
set(CMAKE_CXX_FLAGS_INIT "${windows} -Wa,-muse-unaligned-vector-move")
# The compiler's own libraries become part of the program, so that it is one file; its stack is as
# large as on other systems.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--stack,8388608")
# CMake would find OpenMP's import library of a DLL.
set(OpenMP_gomp_LIBRARY gomp CACHE STRING "OpenMP's library")
