# A layer is a static library that links only layers below it. reprise_layer() enforces that for
# linking, scripts/check layers for #include lines.
set(REPRISE_LAYERS core statistics records weights training metrics datasets models baselines reports experiments reproduce tools cli examples)

# Files of one folder are compiled in groups, each as one translation unit. Most of the time goes
# into headers that all of them include. Larger groups make a fresh build faster and the build after
# one changed file slower. Names in unnamed namespaces must therefore be unique within a folder.
# 1: each file by itself, for clang-tidy (scripts/lint).
set(REPRISE_FILES_AT_A_TIME 5 CACHE STRING "Source files of a folder that are compiled as one translation unit")
function(reprise_together target at_a_time)
  if(REPRISE_FILES_AT_A_TIME EQUAL 1)
    return()
  endif()
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    if(folder STREQUAL "datasets/scene")
      continue()  # together, functions of one file are inlined into another with constants, and last bits of heads change
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    math(EXPR group "${count_${folder}}+0")
    math(EXPR count_${folder} "${group}+1")
    math(EXPR group "${group}/${at_a_time}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# reprise_layer(NAME [TORCH] [USES layer...] [LIBRARIES library...])
# Makes the library NAME of all .cpp files in the folder NAME, except main.cpp and those below cuda/
# (cmake/cuda.cmake).
function(reprise_layer name)
  cmake_parse_arguments(layer "TORCH" "" "USES;LIBRARIES" ${ARGN})
  list(FIND REPRISE_LAYERS ${name} height)
  foreach(used ${layer_USES})
    list(FIND REPRISE_LAYERS ${used} used_height)
    if(used_height EQUAL -1 OR NOT used_height LESS height)
      message(FATAL_ERROR "layer ${name} may not use ${used}: a layer uses only layers below it (${REPRISE_LAYERS})")
    endif()
  endforeach()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${name}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$|/cuda/")
  add_library(${name} STATIC ${sources})
  set(layers ${name})  # with all those that it uses, and those that they use
  foreach(used ${layer_USES})
    get_target_property(beneath ${used} REPRISE_USES)
    list(APPEND layers ${beneath})
  endforeach()
  list(REMOVE_DUPLICATES layers)
  set_target_properties(${name} PROPERTIES REPRISE_USES "${layers}")
  reprise_together(${name} ${REPRISE_FILES_AT_A_TIME} ${sources})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PUBLIC ${layer_USES} ${layer_LIBRARIES} PRIVATE reprise_warnings)
  if(layer_TORCH)
    target_link_libraries(${name} PUBLIC torch::cpu)
    target_precompile_headers(${name} REUSE_FROM torch_header)
  endif()
endfunction()

# reprise_tests(NAME LAYER...)
# Makes test_NAME of tests/LAYER/*.cpp, the highest layer first. ctest has two entries for it: one
# with the fast tests, and one with the label slow for those with "Slow" in their name (over 2 s
# each on a quiet machine). test_reproduce has most of the tests, so each of its entries is four,
# which run in parallel. An entry per test would load LibTorch 2,000 times, 0.3 s each. An entry
# that hangs ends after 20 minutes; the longest takes four on a slow machine.
function(reprise_tests name top)
  set(sources)
  foreach(layer ${top} ${ARGN})
    file(GLOB_RECURSE more CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${layer}/*.cpp")
    list(APPEND sources ${more})
  endforeach()
  list(FILTER sources EXCLUDE REGEX "/other_maker\\.cpp$")
  add_executable(test_${name} ${sources})
  reprise_together(test_${name} 8 ${sources})  # a test is changed less often than what it tests
  target_link_libraries(test_${name} PRIVATE ${top} reprise_warnings GTest::gmock GTest::gtest_main)
  # Not optimised: that was more than half of their compile time, and the code under test is in the
  # layers' libraries. g++ warns of EXPECT_* after an if without braces; clang knows the macro.
  target_compile_options(test_${name} PRIVATE -O0 $<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-else>)
  # The layers come first, because the linker keeps the first copy of an inline function: the
  # optimised one.
  get_target_property(layers ${top} REPRISE_USES)
  foreach(layer ${layers})
    target_link_options(test_${name} PRIVATE $<TARGET_FILE:${layer}>)
  endforeach()
  target_compile_definitions(test_${name} PRIVATE REPRISE_FIXTURES="${PROJECT_SOURCE_DIR}/tests/fixtures")
  get_target_property(linked ${top} LINK_LIBRARIES)
  if("torch::cpu" IN_LIST linked)
    target_sources(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/own_draws.cpp")
    target_precompile_headers(test_${name} REUSE_FROM test_header)
  endif()
  set(shards 1)
  if(name STREQUAL "reproduce")
    set(shards 4)
  endif()
  foreach(shard RANGE 1 ${shards})
    math(EXPR index "${shard} - 1")
    foreach(speed fast slow)
      set(entry ${name}_${speed}_${shard})
      add_test(NAME ${entry} COMMAND test_${name} --gtest_brief=1)
      set_tests_properties(${entry} PROPERTIES TIMEOUT 1200 ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${index}")
    endforeach()
    set_property(TEST ${name}_fast_${shard} APPEND PROPERTY ENVIRONMENT "GTEST_FILTER=-*Slow*")
    set_property(TEST ${name}_slow_${shard} APPEND PROPERTY ENVIRONMENT "GTEST_FILTER=*Slow*")
    set_tests_properties(${name}_slow_${shard} PROPERTIES LABELS slow COST 100)  # begun first
  endforeach()
endfunction()
