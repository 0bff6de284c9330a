# The OpenCV modules that are used, one target each (opencv_core, ...). Debian's OpenCVConfig.cmake comes with libopencv-dev
# alone, which brings every module and some 250 packages more; the headers and libraries of four are enough.
find_path(OPENCV_INCLUDE opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
foreach(module core imgproc imgcodecs videoio)
  find_library(OPENCV_${module} opencv_${module} REQUIRED)
  add_library(opencv_${module} INTERFACE)
  target_include_directories(opencv_${module} SYSTEM INTERFACE "${OPENCV_INCLUDE}")
  target_link_libraries(opencv_${module} INTERFACE "${OPENCV_${module}}")
endforeach()
