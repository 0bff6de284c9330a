# A layer is a static library that links only layers below it. reprise_layer() enforces that for linking, scripts/check layers for #include
# lines.
set(REPRISE_LAYERS core statistics records weights training metrics datasets models baselines reports experiments reproduce tools cli examples)

# Files of one folder are compiled a few at a time, as one translation unit: most of a file's time goes into headers that all of them
# include. More at a time would make a fresh build faster still, and the build after one changed file slower.
# So what the files of a folder keep to themselves, in unnamed namespaces, must have different names. 1: each file by itself,
# as clang-tidy wants them (scripts/lint).
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
# All .cpp files in the folder NAME, but main.cpp and those below cuda/ (cmake/cuda.cmake), become the library NAME.
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

# reprise_tests(NAME LAYER...): tests/LAYER/*.cpp of the layers, the highest one first, -> test_NAME.
# ctest has an entry for its fast tests and one, with the label slow, for those with "Slow" in their name: over 2 s each on a quiet machine.
# Of test_reproduce, which has most of the tests, each is four entries, which run side by side. One entry per test would load LibTorch
# 2,000 times: 0.3 s each. A test that waits for something that never comes ends after 20 minutes: the longest entry takes four on a slow machine.
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
  # Not optimised: that was more than half of their compile time, and what they call lies in the layers' libraries.
  # An EXPECT_* is an if of its own: g++ calls one behind another if ambiguous, clang knows the macro.
  target_compile_options(test_${name} PRIVATE -O0 $<$<CXX_COMPILER_ID:GNU>:-Wno-dangling-else>)
  # Of an inline function that both have, the layers' optimised copy is taken: the linker keeps the first.
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
