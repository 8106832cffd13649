// One part of a picture per instance: two triangles over its rectangle.
layout(location = 0) in vec4 aRect;  // x0, y0, x1, y1 in points
layout(location = 1) in vec4 aPart;  // of the picture: left, top, right, bottom, 0 to 1
layout(location = 2) in vec4 aLook;  // opacity

uniform vec2 uDisplay;

out vec2 vPlace;
flat out float vOpacity;

void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  vec2 position = mix(aRect.xy, aRect.zw, corner) / uDisplay;
  vPlace = mix(aPart.xy, aPart.zw, corner);
  vOpacity = aLook.x;
  gl_Position = vec4(2.0 * position.x - 1.0, 1.0 - 2.0 * position.y, 0.0, 1.0);
}
