// TensorBoard's event files: a cell's metrics and curves as scalars over steps.
//
// A file is a list of TFRecord frames, little-endian:
//     {length u64, crc, bytes, crc}     crc: masked CRC-32C of the field before it
// The bytes of a frame are a protobuf Event:
//     {1: wall_time f64, 2: step varint, 3: file_version, 5: Summary}
//     Summary {1: Value {1: tag, 2: simple_value f32}}
// The first event holds only the file version, "brain.Event:2".
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "records/record.h"

namespace reprise::records {

/// Name of the file; TensorBoard looks for "tfevents" in it.
inline constexpr auto event_file_name = "events.out.tfevents.0.reprise";

/// Writes metrics as "metrics/NAME" at step 0, and curves as "curves/NAME" from step 0 on. Values
/// that are not finite are left out. Wall times are 0, so the same record gives the same bytes.
std::string event_file(const std::vector<Metric>& metrics, const Curves& curves);

/// CRC-32C (Castagnoli, reflected 0x82F63B78).
std::uint32_t crc32c(std::string_view bytes);

}  // namespace reprise::records
