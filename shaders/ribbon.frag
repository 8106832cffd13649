// The ribbon's colour, times how much of the pixel lies between its two curved edges.
in vec2 vPosition;
flat in vec4 vStart;
flat in vec2 vEnd;
flat in vec4 vFrom;
flat in vec4 vTo;

uniform float uPixelsPerPoint;

out vec4 fragColor;

// Signed distance in pixels of this point below the curve from `start` to `end`.
float below(float start, float end, float t, float dt) {
  float y = mix(start, end, t * t * (3.0 - 2.0 * t));
  float slope = (end - start) * 6.0 * t * (1.0 - t) * dt;
  return (vPosition.y - y) * uPixelsPerPoint / sqrt(1.0 + slope * slope);
}

void main() {
  float width = vStart.w - vStart.x;
  float dt = abs(width) > 1.0e-3 ? 1.0 / width : 0.0;
  float t = clamp((vPosition.x - vStart.x) * dt, 0.0, 1.0);
  float top = below(vStart.y, vEnd.x, t, dt);
  float bottom = -below(vStart.z, vEnd.y, t, dt);
  float coverage = clamp(top + 0.5, 0.0, 1.0) + clamp(bottom + 0.5, 0.0, 1.0) - 1.0;
  vec4 color = mix(vFrom, vTo, t);
  fragColor = vec4(color.rgb, color.a * max(coverage, 0.0));
}
