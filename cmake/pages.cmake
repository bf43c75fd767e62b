# Lets the program make its man pages and completions, below FOLDER:
#   cmake -DPROGRAM=... -DFOLDER=... -DLIVE=ON|OFF -P pages.cmake
function(make file)
  execute_process(COMMAND ${PROGRAM} help ${ARGN} OUTPUT_FILE ${FOLDER}/${file}
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND ${PROGRAM} help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*\nVerbs:|\n\n.*" "" lines "${help}")
string(REGEX MATCHALL "\n  [a-z]+" verbs "${lines}")
list(TRANSFORM verbs STRIP)
if(NOT LIVE)
  list(REMOVE_ITEM verbs live)
endif()

file(REMOVE_RECURSE ${FOLDER}/man ${FOLDER}/completions)
file(MAKE_DIRECTORY ${FOLDER}/man ${FOLDER}/completions)
foreach(verb ${verbs})
  make(man/skinmask-${verb}.1 ${verb} --as man)
endforeach()
make(completions/skinmask --as bash)
make(completions/_skinmask --as zsh)
make(completions/skinmask.fish --as fish)
make(man/skinmask.1 --as man)
