// Functions that give the same bits on every compiler and machine: only +, -, *, / and integers are used.
#pragma once

namespace harness {

/// Returns the natural logarithm of x > 0, finite and normal, within 2 ulp; unlike std::log it gives the same
/// bits with every libm.
double portable_log(double x);
/// Returns e^x for |x| <= 700 (clamped there) with a relative error below 1e-14; the same bits with every
/// libm.
double portable_exp(double x);

}  // namespace harness
