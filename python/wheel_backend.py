"""Makes the wheel that pip installs (PEP 517, PEP 427): an archive of module and metadata."""
import base64
import hashlib
import pathlib
import re
import zipfile

_ROOT = pathlib.Path(__file__).resolve().parent
_MODULE = _ROOT / "headscope"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = re.search(r'__version__ = "(.+)"', (_MODULE / "__init__.py").read_text())[1]
    info = f"headscope-{version}.dist-info"
    files = {f"headscope/{path.name}": path.read_bytes() for path in sorted(_MODULE.glob("*.*"))}
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: headscope\nVersion: {version}\n"
        "Summary: Every array of a transformer's pass, sweeps, and why it says a word\n"
        "License: MIT\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
    ).encode()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: headscope\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    name = f"headscope-{version}-py3-none-any.whl"
    record = f"{info}/RECORD"
    lines = "".join(f"{path},sha256={_hash(data)},{len(data)}\n" for path, data in files.items())
    files[record] = (lines + f"{record},,\n").encode()
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return name


def _hash(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
