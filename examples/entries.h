// Entries of the registries for the examples. In the program each would be one entry of the list
// that its comment names.
#pragma once
#include "experiments/dataset_list.h"
#include "experiments/metric_list.h"

namespace reprise::reproduce {

/// Returns an entry of metric_list() (experiments/metric_list.cpp). It makes the metric known to
/// `./reprise metric` and to the setting `metrics`.
NamedMetric balanced_accuracy_entry();

/// Returns an entry of dataset_list() (experiments/dataset_list.cpp). It makes the data set known
/// to `./reprise data` and to settings such as `actions.datasets`.
NamedDataset gratings_entry();

}  // namespace reprise::reproduce
