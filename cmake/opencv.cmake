# The six OpenCV modules that are used, one target each (opencv_core, ...). Debian ships
# OpenCVConfig.cmake only with libopencv-dev, which installs every module and 250 other packages.
# TV-L1 flow is a module of libopencv-contrib-dev. If that is installed (REPRISE_TVL1), a setting
# can select it. It is never a default, so that an installed package changes no number.
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
