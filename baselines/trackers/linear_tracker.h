// A linear tracker of one angle with two states: what eq 2 and eq 3 of document dynamic_face have
// in common.
//
//     h_t = W_hh h_{t-1} + W_ih x_t,   y_t = W_ho h_t            x: the measured angle, y: the estimate (eq 2)
//     Kalman, filter form       W_hh = (I - K V) W,  W_ih = K                              y_t estimates frame t
//     Kalman, prediction form   W_hh = W - K_p V,    W_ih = K_p = W K,   eq 3 as written   y_t foresees frame t + 1
//
// with K the gain that the filter settles at. The weights of a learned linear RNN lie in a basis of
// their own, so trackers are compared in one that all have: the state (y_t, what y_{t+1} will be if
// 0 is measured then). There
//     W_hh = [[0, 1], [w_hh_21, w_hh_22]],   W_ih = (w_ih_1, w_ih_2),   W_ho = (1, 0)
// and w_ih_1, w_ih_2 are the first two values of the response to a single 1 (the impulse response),
// which determines the tracker completely.
#pragma once
#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "baselines/trackers/linear_gaussian.h"

namespace reprise::baselines {

struct LinearTracker {
  Eigen::Matrix2d w_hh;
  Eigen::Vector2d w_ih;
  Eigen::RowVector2d w_ho;
};

/// The constant-velocity filter of this noise when its gain has settled. UsageError: as
/// angle_model().
LinearTracker filter_form(const AngleNoise& noise);
LinearTracker prediction_form(const AngleNoise& noise);

/// The same tracker in the basis above. UsageError: the tracker is effectively one-dimensional (its
/// second state is unobservable).
LinearTracker in_common_basis(const LinearTracker& tracker);

/// The two-state tracker that responds most like this (Ho and Kalman 1966: the two largest singular
/// values of the response's Hankel matrix), in the basis above; exact for a response of two states,
/// none for one of a single state. UsageError: fewer than 6 values, or a value that is not finite.
std::optional<LinearTracker> tracker_of_response(std::span<const double> response);

}  // namespace reprise::baselines
