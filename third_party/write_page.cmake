# Writes SITE/index.html, the same as SITE/embed.html, and SITE/headscope.wasm from PAGE, what Emscripten made
# (CODE, a script with its .wasm beside it) and ICON.
cmake_policy(VERSION 3.22)
get_filename_component(folder ${CODE} DIRECTORY)
get_filename_component(name ${CODE} NAME_WE)
file(MAKE_DIRECTORY ${SITE})
configure_file(${folder}/${name}.wasm ${SITE}/headscope.wasm COPYONLY)
execute_process(COMMAND base64 -w0 ${ICON} OUTPUT_VARIABLE icon OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND python3 -c "
import sys
page, code, icon, site = sys.argv[1:]
text = open(page).read().replace('@ICON@', icon).replace('@CODE@', open(code).read())
for name in 'index', 'embed':
    open(f'{site}/{name}.html', 'w').write(text)
" ${PAGE} ${CODE} "${icon}" ${SITE} COMMAND_ERROR_IS_FATAL ANY)
