"""Makes this folder's pictures, and what Pillow reads of them, resizes and crops.

Debian's python3-pil and python3-numpy run it; Pillow 9.4 made the files here.
"""
import json
import os
import struct

import numpy as np
from PIL import Image, ImageOps

here = os.path.dirname(os.path.abspath(__file__))
HEIGHT, WIDTH = 13, 18


def at(name):
    return os.path.join(here, name)


def save_tensors(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        part = np.ascontiguousarray(values, dtype=np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(values.shape),
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(at(path), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
shapes = np.stack([x * 14, y * 19, 255 * ((x - 9) ** 2 + (y - 6) ** 2 < 20)], -1).astype(np.uint8)
picture = Image.fromarray(shapes)
alpha = Image.fromarray(np.where(x > 9, 255, 40).astype(np.uint8))
clear = picture.copy()
clear.putalpha(alpha)

picture.save(at("rgb.png"))
picture.convert("L").save(at("gray.png"))
picture.convert("1").save(at("bits.png"))
picture.quantize(16).save(at("palette.png"))
picture.quantize(16).save(at("palette_clear.png"), transparency=3)
clear.save(at("rgba.png"))
Image.fromarray((x * 3000 + y * 977).astype(np.uint16)).save(at("gray16.png"))
picture.save(at("color.jpg"), quality=90)
picture.save(at("progressive.jpg"), quality=75, progressive=True)
picture.convert("L").save(at("gray.jpg"), quality=90)
picture.convert("CMYK").save(at("cmyk.jpg"), quality=95)
picture.save(at("lossless.webp"), lossless=True)
picture.save(at("lossy.webp"), quality=80)
clear.save(at("clear.webp"), lossless=True, exact=True)
picture.save(at("animated.webp"), save_all=True, append_images=[picture.rotate(180)], lossless=True)
picture.save(at("picture.gif"))


def exif(orientation, big=False):
    e = Image.Exif()
    e.endian = ">" if big else "<"
    e[0x0112] = orientation
    return e.tobytes()


for orientation in range(2, 9):
    picture.save(at(f"turned{orientation}.png"), exif=exif(orientation))
picture.save(at("turned6.jpg"), quality=90, exif=exif(6, True))
picture.save(at("turned3.webp"), lossless=True, exif=exif(3))

expected = {}
for name in sorted(os.listdir(here)):
    if not name.endswith((".png", ".jpg", ".webp")) or name == "animated.webp":
        continue
    read = Image.open(at(name))
    if name == "gray16.png":  # Pillow would clip 16 bits, not cut them
        read = Image.fromarray((np.asarray(read).astype(np.uint32) >> 8).astype(np.uint8))
    read = ImageOps.exif_transpose(read).convert("RGB")
    expected["read." + name] = np.asarray(read)

for number, kernel in enumerate(["nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"]):
    for size in ((7, 5), (40, 29), (18, 20)):  # width, height
        made = picture.resize(size, number)
        expected[f"resized.{kernel}.{size[0]}x{size[1]}"] = np.asarray(made)


def center_crop(image, height, width):
    """As transformers' center_crop: black where the picture is smaller."""
    h, w = image.shape[:2]
    top, left = (h - height) // 2, (w - width) // 2
    found = np.zeros((height, width, 3), np.uint8)
    for row in range(height):
        for column in range(width):
            if 0 <= row + top < h and 0 <= column + left < w:
                found[row, column] = image[row + top, column + left]
    return found


def pixels(image, mean, deviation, factor=1 / 255):
    return ((np.asarray(image).astype(np.float64) * factor - mean) / deviation).transpose(2, 0, 1)


clip_mean, clip_std = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
short = picture.resize((int(8 * WIDTH / HEIGHT), 8), Image.BICUBIC)
expected["pixels.clip"] = pixels(center_crop(np.asarray(short), 8, 8), clip_mean, clip_std)
expected["pixels.vit"] = pixels(picture.resize((16, 16), Image.BILINEAR), 0.5, 0.5)
expected["pixels.padded"] = pixels(center_crop(shapes, 20, 15), 0.0, 1.0)
expected["pixels.luminance"] = pixels(np.asarray(picture.convert("L"))[..., None], 0.5, 0.5)
save_tensors("expected.safetensors", expected)
