// One ribbon per instance: a strip of quads along the eased curve, a little wider than the ribbon,
// so that the fragment shader can soften both of its edges.
layout(location = 0) in vec4 aStart;  // x0, top0, bottom0, x1
layout(location = 1) in vec4 aEnd;    // top1, bottom1
layout(location = 2) in vec4 aFrom;   // colours at both ends
layout(location = 3) in vec4 aTo;

uniform vec2 uDisplay;
uniform float uPixelsPerPoint;
uniform float uSegments;

out vec2 vPosition;
flat out vec4 vStart;
flat out vec2 vEnd;
flat out vec4 vFrom;
flat out vec4 vTo;

void main() {
  float t = floor(float(gl_VertexID) * 0.5) / uSegments;
  float eased = t * t * (3.0 - 2.0 * t);
  bool lower = (gl_VertexID & 1) == 1;
  float start = lower ? aStart.z : aStart.y;
  float end = lower ? aEnd.y : aEnd.x;
  float rise = abs(end - start);
  float slope = 1.5 * rise / max(abs(aStart.w - aStart.x), 1.0e-3);
  // A softened edge reaches a pixel across the ribbon; and the strip is straight between its
  // vertices, which misses the curve by up to rise / 1365.
  float margin = 1.0 / uPixelsPerPoint * sqrt(1.0 + slope * slope) + rise / 1000.0;
  float y = mix(start, end, eased) + (lower ? margin : -margin);
  vPosition = vec2(mix(aStart.x, aStart.w, t), y);
  vStart = aStart;
  vEnd = aEnd.xy;
  vFrom = aFrom;
  vTo = aTo;
  vec2 position = vPosition / uDisplay;
  gl_Position = vec4(2.0 * position.x - 1.0, 1.0 - 2.0 * position.y, 0.0, 1.0);
}
