// A matrix as colours: crisp cells, hatched where masked, gaps between cells that are large enough.
in vec2 vCell;
flat in vec4 vCells;
flat in vec4 vRange;
flat in vec4 vLook;

uniform sampler2DArray uValues;
uniform sampler2D uColorMaps;
uniform float uPixelsPerPoint;
uniform vec4 uHatch;
uniform vec4 uMaskedFill;
uniform vec4 uGapColor;

out vec4 fragColor;

const float kMasked = -1.0e38;   // masked cells lie below
const float kHatchPeriod = 6.0;  // points
const float kHatchWidth = 1.0;
const float kDimmed = 0.45;      // how far unlit cells go towards the background
const int kMostCells = 8;        // a side, averaged in a pixel

// Mean of the cells that a pixel covers; masked ones do not count.
float valueAt(ivec2 first, ivec2 last, vec2 perPixel) {
  int layer = int(vRange.w + 0.5);
  if (perPixel.x <= 1.0 && perPixel.y <= 1.0) {
    ivec2 cell = clamp(ivec2(floor(vCell)), first, last);
    return texelFetch(uValues, ivec3(cell, layer), 0).r;
  }
  ivec2 low = clamp(ivec2(floor(vCell - 0.5 * perPixel + 0.5)), first, last);
  ivec2 high = clamp(ivec2(ceil(vCell + 0.5 * perPixel - 0.5)) - 1, low, last);
  high = min(high, low + kMostCells - 1);
  float sum = 0.0;
  float count = 0.0;
  for (int row = low.y; row <= high.y; ++row) {
    for (int col = low.x; col <= high.x; ++col) {
      float value = texelFetch(uValues, ivec3(col, row, layer), 0).r;
      if (value > kMasked) {
        sum += value;
        count += 1.0;
      }
    }
  }
  return count > 0.0 ? sum / count : 2.0 * kMasked;
}

vec3 hatched() {
  float period = kHatchPeriod * uPixelsPerPoint;
  float along = mod(gl_FragCoord.x + gl_FragCoord.y, period);
  float fromLine = min(along, period - along) * 0.7071;
  float line = clamp(0.5 * kHatchWidth * uPixelsPerPoint - fromLine + 0.5, 0.0, 1.0);
  return mix(uMaskedFill.rgb, uHatch.rgb, line);
}

bool inGap(vec2 cell, vec2 perPixel, vec2 first, vec2 last) {
  vec2 gap = vec2(vLook.x * uPixelsPerPoint);
  vec2 size = 1.0 / perPixel;
  if (vLook.x <= 0.0 || any(lessThan(size, 4.0 * gap))) return false;
  vec2 before = (vCell - cell) * size;
  vec2 after = size - before;
  bvec2 low = lessThan(before, 0.5 * gap);
  bvec2 high = lessThanEqual(after, 0.5 * gap);
  // Between cells only: not along the outer edges.
  return (low.x && cell.x > first.x) || (high.x && cell.x < last.x) ||
         (low.y && cell.y > first.y) || (high.y && cell.y < last.y);
}

void main() {
  vec2 perPixel = max(abs(vec2(dFdx(vCell.x), dFdy(vCell.y))), vec2(1.0e-6));
  ivec2 first = ivec2(floor(vCells.xy));
  ivec2 last = ivec2(ceil(vCells.zw)) - 1;
  vec2 cell = vec2(clamp(ivec2(floor(vCell)), first, last));

  float value = valueAt(first, last, perPixel);
  vec3 color;
  if (value < kMasked) {
    color = hatched();
  } else {
    float range = vRange.y - vRange.x;
    float t = range != 0.0 ? clamp((value - vRange.x) / range, 0.0, 1.0) : 0.0;
    color = texelFetch(uColorMaps, ivec2(int(t * 255.0 + 0.5), int(vRange.z + 0.5)), 0).rgb;
  }
  bool someLit = vLook.z >= 0.0 || vLook.w >= 0.0;
  bool lit = cell.y == vLook.z || cell.x == vLook.w;
  if (someLit && !lit) color = mix(color, uGapColor.rgb, kDimmed);
  if (inGap(cell, perPixel, vec2(first), vec2(last))) color = uGapColor.rgb;
  fragColor = vec4(color, vLook.y);
}
