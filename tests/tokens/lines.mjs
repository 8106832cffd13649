// Lines to compare tokenisers on: sentences in many scripts, emoji, code, white space, combining
// marks, numbers, contractions, and mixtures of all by a seeded generator. The same on every machine.
// None is newer than Unicode 14: what a newer character is depends on the version of each library.

const sentences = [
  'The quick brown fox jumps over the lazy dog.',
  "It's 12:45 already -- isn't it? WE'RE LATE, THEY'LL SAY; I'D'VE known; don'T, o'clock 'twas",
  'Zürich, naïve café, Ærøskøbing, smörgåsbord, İstanbul, ıI, ŒUVRE, ﬁne ﬂow, ſtraße ẞ',
  'Съешь ещё этих мягких французских булок, да выпей чаю. ЁЛКА',
  'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΟΔΥΣΣΕΥΣ σίγμα ς',
  'שָׁלוֹם עוֹלָם, מה שלומך היום?',
  'مرحبًا بالعالم، كيف حالك؟ ١٢٣٤٥ ﷺ ﷻ',
  'नमस्ते दुनिया, आप कैसे हैं? क्षत्रिय १२३',
  'হ্যালো বিশ্ব ৪২', 'வணக்கம் உலகம்', 'ಕನ್ನಡ ಲಿಪಿ', 'സ്വാഗതം ലോകമേ', 'ස්වාගතයි', 'ਸਤ ਸ੍ਰੀ ਅਕਾਲ',
  'สวัสดีชาวโลก ภาษาไทยไม่มีช่องว่าง ๑๒๓', 'ສະບາຍດີ', 'မင်္ဂလာပါ', 'សួស្តី​ពិភពលោក', 'བཀྲ་ཤིས་བདེ་ལེགས།',
  '東京は日本の首都です。カタカナ、ひらがな、ｶﾀｶﾅ ﾊﾟ', '你好，世界！北京欢迎你。繁體中文㍿', '안녕하세요 세계! 한글 각',
  'ᎣᏏᏲ', 'ሰላም ልዑል', 'Բարեւ աշխարհ', 'გამარჯობა ᲒᲐᲛᲐᲠᲯᲝᲑᲐ', 'ᠮᠣᠩᠭᠣᠯ\u180Eᠤ', 'ᚠᚢᚦᚨᚱᚲ', '𐍅𐌰𐌹𐌻𐌰', '𝒽𝑒𝓁𝓁𝑜 𝟙𝟚𝟛 𝕏',
  '👩‍👩‍👧‍👦 family 👩🏽‍🚀 🏳️‍🌈 🇩🇪🇫🇷 👍🏿 ❤️‍🔥 ☺︎ ☺️ 1️⃣ 🤣🥹🫠 🙂', 'e\u0301 e\u0323\u0301 a\u030A\u0323 \u0301 alone o\u0308\u0304 ạ̈ ậ Å Å K Ω',
  'Z̷̢̛͉̠̈́a̶̡͓͌l̵͚̈g̸̯͝o̴̧̚ t̶̤̽ẹ̸͋x̷̼̍t̵̡͐', '½ ⅓ ² ³ ₄ Ⅻ ⅷ ① ⑳ ㊿ ௰ 一二三 〇 ６７８',
  'def f(x):\n    return {"a": [1, 2.5e-3], \'b\': x**2}  # comment\n\n\tpass\r\n',
  'for (int i = 0; i < n; ++i) { std::cout << v[i] << "\\n"; }  /* -->  <!-- */',
  'SELECT * FROM `t` WHERE id=42 AND name LIKE \'%_\' ; -- x', '#include <vector>\n#define X(a,b) a##b\n',
  '$x = $_POST["y"] ?? null; // https://example.org/?q=a+b&c=%20#frag', '\\frac{a}{b} \\sum_{i=0}^{n} x_i^2',
  '   leading and trailing   ', '\t\ttabs\tand  double  spaces   triple    four     five', '\n\n\nlines\n \n  \n', '\r\n\r\n \r \n\r',
  'a\u00A0b\u2003c\u3000d\u2028e\u2029f\u0085g\u200Bh\u1680i\u202Fj\u205Fk\uFEFFl\u180Em', '\u00A0', ' ', '  ', '\n', '\u3000\u3000x', '',
  '…—–‘’“”«»¿¡§¶†‡•‰′″‹›', '€£¥₹₽฿₿¢', '←↑→↓⇒∀∂∃∅∇∈∑√∞∫≈≠≤≥⊕', '┌─┐│└┘█▓▒░', '♪♫♭♯ ☀☁☂ ✓✗ ★☆',
  '1234567890 12345 1 22 333 4444 3.14159 1,000,000 -7 +8 0xFF 1e10 2024-05-17T10:00Z', 'IPv6 ::1 192.168.0.1:8080',
  'HELLOworld camelCase snake_case kebab-case SCREAMING_CASE x__y _z', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'ababababababababab',
  'pneumonoultramicroscopicsilicovolcanoconiosis antidisestablishmentarianism', 'w'.repeat(120), '\u0000nul\u0000 \u0001\u001F\u007F control \uFFFD \uFFFE',
  'soft\u00ADhyphen zero\u200Dwidth\u200Cjoiners \u2060 \u200E\u200F rtl', '\uE000\uF8FF private \u{F0000}', '\u{1F9D1}\u200D\u{1F4BB} \u{1FAE0}',
  'ﷺ ｆｕｌｌｗｉｄｔｈ ＡＢＣ １２３ ㎏ ㌔ ℡ ™ Ⅳ ﬃ Ǆ ǆ ŉ', 'ΐ ΰ ẖ ǰ ἀ̓ ᾳ ᾼ ῼ', '각 각 힣 ᄀ ᅡ ᆨ', '豈 更 車 𠀀 𪜀 𫝀 丽',
  '<|endoftext|> in <|endoftext|><|endoftext|>text <|endoftext |> <|im_start|>user\nhi<|im_end|><|eot_id|>',
  '[CLS] a [MASK] b [SEP][PAD] [UNK] [mask] [ MASK ]', 'x <mask> y<mask>z <mask>  , <mask>', '<s>Hi</s> <unk> <0x41> <pad>',
  'the <ab><abc> <abcd> ab<abc', 'word single wordsingle single-word Single SINGLE single', 'don’t I’ll we’ve It’s',
];

/// mulberry32: the same numbers everywhere.
function generator(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6D2B79F5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

// [first, last] of blocks with assigned characters
const blocks = [
  [0x20, 0x7E], [0x20, 0x7E], [0x20, 0x7E], [0xA0, 0x24F], [0x250, 0x2AF], [0x300, 0x36F], [0x370, 0x3FF], [0x400, 0x52F],
  [0x531, 0x556], [0x591, 0x5F4], [0x600, 0x6FF], [0x900, 0x97F], [0x985, 0x9B9], [0xE01, 0xE3A], [0x10A0, 0x10FF],
  [0x1100, 0x11FF], [0x1E00, 0x1EFF], [0x1F00, 0x1FFC], [0x2000, 0x206F], [0x2070, 0x209C], [0x20A0, 0x20BF], [0x2100, 0x218B],
  [0x2190, 0x23FF], [0x2460, 0x27BF], [0x2C00, 0x2DFF], [0x3000, 0x30FF], [0x3130, 0x318E], [0x3200, 0x33FF], [0x3400, 0x3500],
  [0x4E00, 0x9FFF], [0xA640, 0xA69F], [0xAC00, 0xD7A3], [0xF900, 0xFAD9], [0xFB00, 0xFB4F], [0xFB50, 0xFDFF], [0xFE00, 0xFEFF],
  [0xFF01, 0xFFEE], [0x10330, 0x1034A], [0x1D400, 0x1D7FF], [0x1F130, 0x1F18F], [0x1F300, 0x1F64F], [0x1F900, 0x1F9FF],
  [0x20000, 0x20100],
];
const joints = [' ', ' ', ' ', '', '', '\n', '  ', '\t', '\u00A0', "'s ", ', ', '.', '\r\n', ' \n', '-', '\u0301', '\u200D'];

/// So many lines: the sentences first, then their words mixed, then characters by chance.
export function lines(count, seed = 1) {
  const next = generator(seed);
  const all = [...sentences];
  const words = sentences.flatMap((sentence) => sentence.split(' ')).filter((word) => word.length > 0);
  while (all.length < count) {
    let line = '';
    const parts = 1 + next(12);
    for (let i = 0; i < parts; ++i) {
      if (next(3) > 0) {
        line += words[next(words.length)];
      } else {
        const [first, last] = blocks[next(blocks.length)];
        for (let n = 1 + next(6); n > 0; --n) line += String.fromCodePoint(first + next(last - first + 1));
      }
      line += joints[next(joints.length)];
    }
    all.push(line);
  }
  return all.slice(0, Math.max(count, 1));
}
