# find_fonts(<dir> <files>): copies the typefaces found on this machine to one folder of the build
# tree, as `regular`, `semibold`, `mono` and `symbols`. One that is missing is left out, and said:
# the interface then uses ImGui's own.
function(find_fonts dir_variable files_variable)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/fonts)
  set(files "")
  if(EMSCRIPTEN)
    set(subset_font ${PROJECT_SOURCE_DIR}/third_party/web/subset_font.py)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS  # what decides on characters
                 ${subset_font} ${PROJECT_SOURCE_DIR}/app/ui/fonts.cpp)
  endif()
  # By preference. Static instances come first: of a variable one only the default is drawn.
  set(regular Inter-Regular InterVariable)
  set(semibold Inter-SemiBold Inter-Bold)
  set(mono JetBrainsMono-Regular)
  set(symbols DejaVuSans)
  file(GLOB_RECURSE installed
       /usr/share/fonts/*.otf /usr/share/fonts/*.ttf
       /usr/local/share/fonts/*.otf /usr/local/share/fonts/*.ttf
       $ENV{HOME}/.local/share/fonts/*.otf $ENV{HOME}/.local/share/fonts/*.ttf
       $ENV{HOME}/Library/Fonts/*.otf $ENV{HOME}/Library/Fonts/*.ttf)
  foreach(face regular semibold mono symbols)
    set(found "")
    foreach(name IN LISTS ${face})
      foreach(file IN LISTS installed)
        if(NOT found AND file MATCHES "/${name}\\.[ot]tf$")
          set(found ${file})
        endif()
      endforeach()
    endforeach()
    if(found)
      message(STATUS "Typeface ${face}: ${found}")
      if(EMSCRIPTEN)  # without what only shaping and hinting use: half as much to load
        file(MAKE_DIRECTORY ${dir})
        set(others "")  # the symbols leave out what all of these have
        if("${face}" STREQUAL "symbols")
          set(others ${files})
        endif()
        execute_process(COMMAND python3 ${subset_font} ${found} ${dir}/${face} ${others}
                        ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
      else()
        configure_file(${found} ${dir}/${face} COPYONLY)
      endif()
      list(APPEND files ${dir}/${face})
    else()
      list(JOIN ${face} ", " names)
      message(WARNING "Typeface ${face} not found (${names}): the interface will use a plainer "
                      "one. Packages fonts-inter, fonts-jetbrains-mono and fonts-dejavu-core "
                      "have them.")
    endif()
  endforeach()
  set(${dir_variable} ${dir} PARENT_SCOPE)
  set(${files_variable} ${files} PARENT_SCOPE)
endfunction()
