// Section 6.2: rows of probabilities over servers, moved towards the uniform row by gradient descent of the
// KL divergence (Eq. 8-10).
#pragma once

#include <span>
#include <vector>

namespace harness {

/// Returns Eq. 8 of a row of probabilities against the uniform one; 0 log 0 = 0.
double kl_from_uniform(std::span<const double> row);

/// Writes Eq. 9 to `gradient`. It tends to minus infinity for small probabilities: below 1e-6 of the uniform
/// one it has its value there.
void kl_gradient(std::span<const double> row, std::span<double> gradient);

/// Replaces the row by the nearest row of probabilities (Euclidean distance): the step of Eq. 10 alone leaves
/// them.
void project_onto_simplex(std::span<double> row);

/// Gradient descent over rows of one length. It allocates nothing after the first call.
class Dispersion {
 public:
  /// Moves a row of probabilities until its divergence is at most `threshold` > 0, and returns the number of
  /// steps. Each step is Eq. 10, projected; the learning rate is halved if the divergence would not fall.
  int disperse(std::span<double> row, double threshold);

 private:
  std::vector<double> gradient_;
  std::vector<double> next_;
};

}  // namespace harness
