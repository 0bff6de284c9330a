# Writes the man page from the help texts of the built program: the overview, then the full help of
# every command. Run as a script:
#   cmake -DPROGRAM=reprise -DOUTPUT=reprise.1 -DVERSION=0.1.0 -P man_page.cmake

# read_help(VARIABLE WORD...): sets VARIABLE to what `PROGRAM WORD...` prints.
function(read_help variable)
  execute_process(COMMAND "${PROGRAM}" ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# list_commands(VARIABLE TITLE HELP): sets VARIABLE to the names below the line TITLE, up to an
# empty line.
function(list_commands variable title help)
  set(names)
  string(FIND "${help}" "\n${title}\n" begin)
  if(NOT begin EQUAL -1)
    string(SUBSTRING "${help}" ${begin} -1 below)
    # From the second character on: the text begins with a line break.
    string(SUBSTRING "${below}" 1 -1 after)
    string(FIND "${after}" "\n\n" end)
    if(NOT end EQUAL -1)
      string(SUBSTRING "${after}" 0 ${end} after)
    endif()
    string(REGEX MATCHALL "\n  [a-z]+  " names "${after}")
    string(REGEX REPLACE "[\n ]" "" names "${names}")
  endif()
  set(${variable} "${names}" PARENT_SCOPE)
endfunction()

# append(TEXT): adds a help text to the page. troff must neither fill nor interpret its lines.
function(append text)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "\n([.'])" "\n\\\\&\\1" text "${text}")
  set(page "${page}.nf\n${text}.fi\n" PARENT_SCOPE)
endfunction()

read_help(overview --help)
list_commands(commands "Commands" "${overview}")
list(LENGTH commands count)
if(count LESS 10)
  message(FATAL_ERROR "${PROGRAM} --help lists ${count} commands: its format has changed, and this script reads it")
endif()

set(page ".TH REPRISE 1 \"\" \"reprise ${VERSION}\" \"User Commands\"
.SH NAME
reprise \\- reproduce research documents, compare methods, guard accuracy
.SH DESCRIPTION
")
append("${overview}")
string(APPEND page ".SH COMMANDS\n")
foreach(command IN LISTS commands)
  read_help(help ${command} --help-all)
  string(APPEND page ".SS reprise ${command}\n")
  append("${help}")
  list_commands(below "Commands:" "${help}")
  foreach(name IN LISTS below)
    read_help(help ${command} ${name} --help-all)
    string(APPEND page ".SS reprise ${command} ${name}\n")
    append("${help}")
  endforeach()
endforeach()
file(WRITE "${OUTPUT}" "${page}")
