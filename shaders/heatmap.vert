// One heatmap rectangle per instance: two triangles over its rectangle.
layout(location = 0) in vec4 aRect;   // x0, y0, x1, y1 in points
layout(location = 1) in vec4 aCells;  // col0, row0, col1, row1: the part of the matrix shown
layout(location = 2) in vec4 aRange;  // value at both ends of the colour map, its row, the layer
layout(location = 3) in vec4 aLook;   // gap in points, opacity, highlighted row and column

uniform vec2 uDisplay;

out vec2 vCell;
flat out vec4 vCells;
flat out vec4 vRange;
flat out vec4 vLook;

void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  vec2 position = mix(aRect.xy, aRect.zw, corner) / uDisplay;
  vCell = mix(aCells.xy, aCells.zw, corner);
  vCells = aCells;
  vRange = aRange;
  vLook = aLook;
  gl_Position = vec4(2.0 * position.x - 1.0, 1.0 - 2.0 * position.y, 0.0, 1.0);
}
