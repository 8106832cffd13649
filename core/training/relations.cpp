#include "core/training/relations.h"

#include "core/document/document.h"
#include "core/training/trained_relations.h"

namespace headscope {

DeclaredRelations declaredRelations(const Document& document) {
  if (!document.weightSource.drawn()) return {};
  switch (document.weightSource.init) {
    case WeightInit::designed:
      return designedRelations(document);
    case WeightInit::learned:
      return training::trainedRelations(document);
    default:
      return {};
  }
}

}  // namespace headscope
