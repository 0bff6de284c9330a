# The OpenCV modules that are used, one target each (opencv_core, ...). Debian's OpenCVConfig.cmake comes with libopencv-dev
# alone, which brings every module and some 250 packages more; the headers and libraries of six are enough. TV-L1 flow is
# one of the many modules of libopencv-contrib-dev: where that is installed (REPRISE_TVL1), a setting can ask for it. It is
# never a default, so that a package that happens to be there changes no number.
find_path(OPENCV_INCLUDE opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
foreach(module core imgproc imgcodecs objdetect video videoio)
  find_library(OPENCV_${module} opencv_${module} REQUIRED)
  add_library(opencv_${module} INTERFACE)
  target_include_directories(opencv_${module} SYSTEM INTERFACE "${OPENCV_INCLUDE}")
  target_link_libraries(opencv_${module} INTERFACE "${OPENCV_${module}}")
endforeach()
find_library(OPENCV_optflow opencv_optflow)
find_path(OPENCV_OPTFLOW_INCLUDE opencv2/optflow.hpp PATH_SUFFIXES opencv4)
if(OPENCV_optflow AND OPENCV_OPTFLOW_INCLUDE)
  target_link_libraries(opencv_video INTERFACE "${OPENCV_optflow}")
  target_compile_definitions(opencv_video INTERFACE REPRISE_TVL1)
endif()
