// The picture's colour.
in vec2 vPlace;
flat in float vOpacity;

uniform sampler2D uPicture;

out vec4 fragColor;

void main() { fragColor = vec4(texture(uPicture, vPlace).rgb, vOpacity); }
