// A head's circuits against the whole matrices, which are small enough here.
#include "core/model/circuits.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "core/formats/shipped_model.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/model_folders.h"

namespace headscope::test::models {
namespace {

using namespace headscope::model;
using Eigen::MatrixXd;

MatrixXd matrixOf(const Tensor& tensor) {
  MatrixXd matrix(tensor.dim(0), tensor.dim(1));
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      matrix(i, j) = static_cast<double>(tensor.at({i, j}));
    }
  }
  return matrix;
}

/// Columns are multiplied by the gain, and rows lose their mean, as LayerNorm reads them.
MatrixXd foldedInto(MatrixXd rows, const Tensor& gain, bool centred) {
  for (Index j = 0; j < rows.cols(); ++j) rows.col(j) *= static_cast<double>(gain.data()[j]);
  for (Index i = 0; centred && i < rows.rows(); ++i) {
    rows.row(i).array() -= rows.row(i).mean();
  }
  return rows;
}

/// The whole matrices of one head of a GPT-2 or Llama.
struct WholeMatrices {
  WholeMatrices(const Model& model, HeadOfLayer head) {
    const ModelConfig& c = model.config();
    const LayerWeightsPtr layer = model.layer(head.layer);
    const Index dK = c.headDim, group = head.head / (c.heads / c.kvHeads);
    const bool centred = !c.rmsNorm;
    const auto reading = [&](const Tensor& w, Index own) {
      return foldedInto(matrixOf(w).middleRows(own * dK, dK), layer->attentionNorm.gain, centred);
    };
    const MatrixXd q = reading(layer->attention.wQ, head.head);
    const MatrixXd k = reading(layer->attention.wK, group);
    const MatrixXd v = reading(layer->attention.wV, group);
    const MatrixXd o = matrixOf(layer->attention.wO).middleCols(head.head * dK, dK);
    qk = q.transpose() * k;
    ov = o * v;
    embedding = matrixOf(model.embedding()->tokens.widened());
    unembedding = foldedInto(matrixOf(model.readout()->decoder.widened()),
                             model.readout()->norm.gain, centred);
  }
  MatrixXd qk, ov, embedding, unembedding;
};

class Circuits : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Models, Circuits, testing::Values("tiny-gpt2", "tiny-llama"),
                         modelTestName);

TEST_P(Circuits, SingularValuesAreThoseOfTheWholeMatrices) {
  const ModelPtr model = formats::openModel(modelFolder(GetParam()), kBudgetBytes);
  const auto all = headCircuits(*model, {}).value();
  ASSERT_EQ(std::ssize(all), model->config().layers * model->config().heads);
  for (const HeadCircuits& found : all) {
    const WholeMatrices whole(*model, found.head);
    const auto expect = [&](const std::vector<double>& values, const MatrixXd& matrix) {
      const Eigen::VectorXd expected = Eigen::JacobiSVD<MatrixXd>(matrix).singularValues();
      ASSERT_EQ(std::ssize(values), model->config().headDim);
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_NEAR(values[i], expected[static_cast<Index>(i)], 1e-5 * expected[0]) << i;
      }
    };
    expect(found.qk, whole.qk);
    expect(found.ov, whole.ov);
  }
}

/// The eigenvalues of W_U W_OV W_E, V × V, most of which are 0.
TEST_P(Circuits, CopyingIsThatOfTheWholeMatrix) {
  const ModelPtr model = formats::openModel(modelFolder(GetParam()), kBudgetBytes);
  const HeadOfLayer head{1, 2};
  const WholeMatrices whole(*model, head);
  const MatrixXd tokens = whole.unembedding * whole.ov * whole.embedding.transpose();
  const Eigen::VectorXcd values = Eigen::EigenSolver<MatrixXd>(tokens, false).eigenvalues();
  const double score = values.real().sum() / values.cwiseAbs().sum();
  const auto all = headCircuits(*model, {}).value();
  const HeadCircuits& found =
      all[static_cast<std::size_t>(head.layer * model->config().heads + head.head)];
  EXPECT_EQ(found.head, head);
  EXPECT_NEAR(found.copying.value(), score, 1e-3);
}

/// u · W_QK · v is the singular value, for the tokens' rows as for the directions.
TEST_P(Circuits, DirectionsAreThoseOfTheTokens) {
  const ModelPtr model = formats::openModel(modelFolder(GetParam()), kBudgetBytes);
  const HeadOfLayer head{1, 1};
  const WholeMatrices whole(*model, head);
  const HeadDirections found = headDirections(*model, head, 2, 5, {});
  ASSERT_EQ(found.qk.size(), 4U) << "two ends of two values";
  const Eigen::JacobiSVD<MatrixXd> svd(whole.qk, Eigen::ComputeThinU | Eigen::ComputeThinV);
  for (std::size_t i = 0; i < found.qk.size(); ++i) {
    const TokenDirection& end = found.qk[i];
    const auto rank = static_cast<Index>(i / 2);
    EXPECT_NEAR(end.singularValue, svd.singularValues()[rank], 1e-5 * svd.singularValues()[0]);
    ASSERT_EQ(end.from.size(), 5U);
    const double sign =
        whole.embedding.row(end.from[0].id).dot(svd.matrixU().col(rank)) > 0.0 ? 1.0 : -1.0;
    for (const DirectionToken& token : end.from) {
      EXPECT_NEAR(token.value, sign * whole.embedding.row(token.id).dot(svd.matrixU().col(rank)),
                  1e-4);
    }
    for (const DirectionToken& token : end.to) {
      EXPECT_NEAR(token.value, sign * whole.embedding.row(token.id).dot(svd.matrixV().col(rank)),
                  1e-4);
    }
    EXPECT_GE(end.from[0].value, end.from[4].value);
    EXPECT_EQ(end.from[0].value, static_cast<double>(static_cast<float>(end.from[0].value)));
    const double most = (sign * (whole.embedding * svd.matrixU().col(rank))).maxCoeff();
    EXPECT_NEAR(end.from[0].value, most, 1e-4) << "no token has more";
  }
}

/// Induction copies: the second layer's heads of the shipped model raise what they read.
TEST(Copying, TellsInductionHeadsFromTheHeadThatLooksBack) {
  const ModelPtr model = formats::openModel(formats::kInductionModel, kBudgetBytes);
  const auto heads = headCircuits(*model, {}).value();
  for (const HeadCircuits& head : heads) {
    if (head.head.layer == 1) {
      EXPECT_GT(head.copying.value(), 0.95);
    } else {
      EXPECT_LT(std::abs(head.copying.value()), 0.5);
    }
  }
}

TEST(Copying, IsRefusedWhereHeadsDoNotReadTheStream) {
  const ModelPtr latent = formats::openModel(modelFolder("deepseek_v3"), kBudgetBytes);
  expectUserError([&] { headCircuits(*latent, {}); }, "latent attention");
  const ModelPtr model = formats::openModel(modelFolder("tiny-gpt2"), kBudgetBytes);
  expectUserError([&] { headDirections(*model, {0, 4}, 1, 1, {}); }, "head 4");
}

}  // namespace
}  // namespace headscope::test::models
