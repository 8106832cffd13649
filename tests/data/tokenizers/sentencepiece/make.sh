#!/usr/bin/env bash
# Makes these files: models of SentencePiece 0.1.97 trained on this project's texts, as Llama's
# (BPE with byte fallback, spaces kept) and as T5's (Unigram, NFKC), and what spm_encode gives.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
cat ../../../../README.md ../../../../CONTRIBUTING.md ../../../../ARCHITECTURE.md > texts.tmp
spm_train --input=texts.tmp --model_prefix=bpe --model_type=bpe --vocab_size=480 \
  --byte_fallback=true --character_coverage=0.98 --normalization_rule_name=identity \
  --remove_extra_whitespaces=false
spm_train --input=texts.tmp --model_prefix=unigram --model_type=unigram --vocab_size=400 \
  --pad_id=0 --eos_id=1 --unk_id=2 --bos_id=-1 --character_coverage=0.98
for model in bpe unigram; do
  spm_encode --model=$model.model --output_format=id < texts.txt > $model.ids
done
rm -f texts.tmp ./*.vocab
