#include "core/tensor/thin_qr.h"

#include <Eigen/QR>

namespace headscope {
namespace {

Tensor tensorOf(const Eigen::MatrixXf& matrix) {
  Tensor tensor = Tensor::uninitialised({matrix.rows(), matrix.cols()});
  const MatrixView to = tensor.mutableMatrix();
  for (Index row = 0; row < to.rows; ++row) {
    for (Index col = 0; col < to.cols; ++col) to(row, col) = matrix(row, col);
  }
  return tensor;
}

}  // namespace

ThinQr thinQr(ConstMatrixView matrix) {
  Eigen::MatrixXf columns(matrix.rows, matrix.cols);
  for (Index col = 0; col < matrix.cols; ++col) {
    for (Index row = 0; row < matrix.rows; ++row) columns(row, col) = matrix(row, col);
  }
  const Eigen::HouseholderQR<Eigen::MatrixXf> qr(columns);
  return {tensorOf(qr.householderQ() * Eigen::MatrixXf::Identity(matrix.rows, matrix.cols)),
          tensorOf(qr.matrixQR().topRows(matrix.cols).triangularView<Eigen::Upper>())};
}

}  // namespace headscope
