"""Read pictures safely: only inside the folder, upright, RGB, refused before they can hurt.

One policy for encoder, display and boxes: a picture is seen upright (EXIF orientation applied),
in RGB, with transparency on white, and 16-bit values scaled, not clipped. Colour profiles are
not applied: the encoders do not apply them either.
"""

from __future__ import annotations

import hashlib
import io
import stat
import warnings
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Literal

import numpy as np
from PIL import Image, ImageCms, features
from PIL.TiffImagePlugin import TiffImageFile

from vlmexplain.datasets.orientation import TRANSPOSES, stored_to_upright, upright_size
from vlmexplain.datasets.picture_errors import (
    EmptyPicture,
    MissingPicture,
    NoPictures,
    NotAPicture,
    PictureChanged,
    PictureError,
    PictureOutsideFolder,
    PictureTooLarge,
    PixelFormatUnsupported,
    TruncatedPicture,
)
from vlmexplain.datasets.webp_size import webp_size

__all__ = [
    "EmptyPicture",
    "MissingPicture",
    "NoPictures",
    "NotAPicture",
    "PictureChanged",
    "PictureError",
    "PictureFacts",
    "PictureOutsideFolder",
    "PictureTooLarge",
    "PixelFormatUnsupported",
    "TruncatedPicture",
    "browser_bytes",
    "empty_frame",
    "inspect_picture",
    "read_rgb",
    "safe_path",
    "stored_to_upright",
    "upright_size",
]

PIXEL_LIMIT = 89_478_485  # Pillow's own limit: 256 MiB of RGB
FILE_LIMIT_BYTES = 256 * 2**20
FORMATS = (
    "JPEG", "PNG", "GIF", "BMP", "WEBP", "TIFF", *(("AVIF",) if features.check("avif") else ()),
)  # fmt: skip
_MIME = {"JPEG": "image/jpeg", "MPO": "image/jpeg", "PNG": "image/png"}
FRAME_RGB = (236, 236, 236)
_MAGIC = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"GIF8", b"BM", b"II*\0", b"MM\0*")
_MIME |= {"GIF": "image/gif", "BMP": "image/bmp", "WEBP": "image/webp", "AVIF": "image/avif"}
_ORIENTATION, _TIFF_WIDTH, _TIFF_HEIGHT = 0x0112, 256, 257

# Between the limit and twice the limit Pillow only warns; this module refuses.
warnings.filterwarnings("ignore", category=Image.DecompressionBombWarning)


@dataclass(frozen=True, slots=True)
class PictureFacts:
    """What an import keeps of a picture.

    Attributes:
        width_px, height_px: of the stored grid, before the EXIF orientation is applied.
        orientation: EXIF orientation 1..8.
        content_sha256: hex digest of the file's bytes.
        mode: Pillow's name of the stored pixel format.
        converted: True when it is not plain RGB and `read_rgb` converts it.
    """

    width_px: int
    height_px: int
    orientation: int
    content_sha256: str
    mode: str
    converted: bool


def safe_path(folder: Path, file_name: str) -> Path:
    """The real path of a regular file inside ``folder``.

    Raises:
        PictureOutsideFolder: ``..``, an absolute name, a NUL, or a link that leads out.
        MissingPicture: there is no such file.
    """
    where = f"{folder}: {file_name!r}"
    if (
        not file_name
        or "\0" in file_name
        or ".." in file_name.replace("\\", "/").split("/")
        or Path(file_name).is_absolute()
        or PureWindowsPath(file_name).is_absolute()
    ):
        raise PictureOutsideFolder(
            "the name may lead out of the image folder, so it is not read.",
            where=where,
            remedy="Give names relative to the folder, without '..'.",
        )
    root = Path(folder).resolve()
    try:
        path = (root / file_name).resolve(strict=True)
        kind = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingPicture("no such picture.", where=where) from error
    except PermissionError as error:
        raise PictureError(f"may not be read ({error.strerror}).", where=where) from error
    except (OSError, RuntimeError, ValueError) as error:  # too long, a loop of links, surrogates
        raise MissingPicture(f"no such picture ({type(error).__name__}).", where=where) from error
    if not path.is_relative_to(root):
        raise PictureOutsideFolder(
            "is a link that leads out of the image folder, so it is not read.",
            where=where,
            remedy="Put the picture itself into the folder.",
        )
    if not stat.S_ISREG(kind):
        raise NotAPicture("is not a file.", where=where)
    return path


def read_rgb(folder: Path, file_name: str, content_sha256: str | None = None) -> Image.Image:
    """The picture upright and in RGB, transparency on white, 16 bit scaled to 8.

    Args:
        folder, file_name: where it lies; nothing outside ``folder`` is read.
        content_sha256: hex digest the file's bytes must have, if given.

    Raises:
        PictureError: one of its kinds; ``code`` names which.
    """
    content, where = _read_bytes(folder, file_name, content_sha256)
    return _upright_rgb(_opened(content, where), where)


def browser_bytes(
    folder: Path, file_name: str, content_sha256: str | None = None
) -> tuple[bytes, str]:
    """Bytes and MIME type with which a browser shows the picture as `read_rgb` reads it.

    The file's own bytes where a browser shows them alike (it applies a JPEG's orientation by
    itself), else the picture encoded anew: JPEG from JPEG, PNG from anything else. Own bytes are
    sent undecoded: that they are sound is for `inspect_picture` to find out.

    Args:
        folder, file_name: where it lies; nothing outside ``folder`` is read.
        content_sha256: hex digest the file's bytes must have, if given.

    Raises:
        PictureError: one of its kinds; ``code`` names which.
    """
    content, where = _read_bytes(folder, file_name, content_sha256)
    image = _opened(content, where)
    is_jpeg = image.format in ("JPEG", "MPO")
    if _browser_shows_alike(image):
        return content, _MIME[str(image.format)]
    rgb, out = _upright_rgb(image, where), io.BytesIO()
    if is_jpeg:
        rgb.save(out, "JPEG", quality=95, subsampling=0)
        return out.getvalue(), "image/jpeg"
    rgb.save(out, "PNG", compress_level=3)
    return out.getvalue(), "image/png"


def empty_frame(width_px: int, height_px: int) -> bytes:
    """A light gray PNG that stands for a picture nobody has, scaled down beyond `PIXEL_LIMIT`."""
    shrink = max(1.0, (width_px * height_px / PIXEL_LIMIT) ** 0.5)
    size = max(1, int(width_px / shrink)), max(1, int(height_px / shrink))
    frame, out = Image.new("P", size, 0), io.BytesIO()
    frame.putpalette(FRAME_RGB)
    frame.save(out, "PNG", bits=1)
    return out.getvalue()


def inspect_picture(
    folder: Path, file_name: str, verify: Literal["decode", "header"] = "decode"
) -> PictureFacts:
    """Size, orientation and content hash of a picture, having made sure that it can be read.

    ``decode`` decodes all of it (a JPEG at an eighth of its size, which still reads every byte);
    ``header`` trusts the file after its first bytes.

    Raises:
        PictureError: one of its kinds; ``code`` names which.
    """
    content, where = _read_bytes(folder, file_name)
    image = _opened(content, where)
    width_px, height_px = _stored_size(image)
    mode, orientation = image.mode, exif_orientation(image)
    _refuse_unknown_range(image, where)
    converted = mode != "RGB" or "transparency" in image.info
    if verify == "decode":
        if image.format == "JPEG":
            image.draft("L", (max(width_px // 8, 1), max(height_px // 8, 1)))
        _load(image, where)
    digest = hashlib.sha256(content).hexdigest()
    return PictureFacts(width_px, height_px, orientation, digest, mode, converted)


def exif_orientation(image: Image.Image) -> int:
    """EXIF orientation 1..8 of an opened picture; 1 when it has none or a senseless one.

    Only the EXIF block counts, as in browsers; Pillow itself would also look into XMP. Of a TIFF
    it is the tag of the file, to be read before the pixels are.
    """
    exif = Image.Exif()
    try:
        if isinstance(image, TiffImageFile):
            value = image.tag_v2.get(_ORIENTATION)
        else:
            exif.load(image.info.get("exif") or b"")
            value = exif.get(_ORIENTATION)
    except Exception:  # a damaged EXIF block raises anything from SyntaxError to struct.error
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _stored_size(image: Image.Image) -> tuple[int, int]:
    """Width and height of the stored grid of an opened picture, before its pixels are read."""
    if isinstance(image, TiffImageFile):  # Pillow gives the size of the turned picture
        return int(image.tag_v2[_TIFF_WIDTH]), int(image.tag_v2[_TIFF_HEIGHT])
    return image.size


def _read_bytes(
    folder: Path, file_name: str, content_sha256: str | None = None
) -> tuple[bytes, str]:
    path = safe_path(folder, file_name)
    where = str(path)
    try:
        size = path.stat().st_size
        if size == 0:
            raise EmptyPicture("the file is empty.", where=where)
        if size > FILE_LIMIT_BYTES:
            raise PictureTooLarge(
                f"the file has {size:,} bytes; at most {FILE_LIMIT_BYTES:,} are read.", where=where
            )
        content = path.read_bytes()
    except OSError as error:
        raise PictureError(f"cannot be read ({error.strerror}).", where=where) from error
    if content_sha256 and hashlib.sha256(content).hexdigest() != content_sha256:
        raise PictureChanged(
            "is not the picture that was imported: its content has changed.",
            where=where,
            remedy="Put the old file back, or import the data again.",
        )
    return content, where


def _opened(content: bytes, where: str) -> Image.Image:
    """Read the header only; the size is checked before anything is decoded."""
    stated = webp_size(content)  # Pillow's WebP decoder takes memory for it on opening
    if stated and stated[0] * stated[1] > PIXEL_LIMIT:
        raise _too_large(where)
    try:
        image = Image.open(io.BytesIO(content), formats=FORMATS)
    except Image.DecompressionBombError as error:
        raise _too_large(where) from error
    except Exception as error:  # Pillow's parsers raise anything on a damaged header
        if stated or content.startswith(_MAGIC):
            raise _damaged(where) from error
        raise NotAPicture(
            "is not a picture that can be read.",
            where=where,
            remedy=f"Expected {', '.join(FORMATS)}.",
        ) from error
    if image.width * image.height > PIXEL_LIMIT:
        raise _too_large(where)
    return image


def _too_large(where: str) -> PictureTooLarge:
    return PictureTooLarge(
        f"has more than {PIXEL_LIMIT:,} pixels and is not decoded.",
        where=where,
        remedy="Scale it down.",
    )


def _damaged(where: str) -> TruncatedPicture:
    return TruncatedPicture(
        "breaks off or is damaged.", where=where, remedy="Fetch the file again."
    )


def _load(image: Image.Image, where: str) -> None:
    try:
        image.load()
    except Image.DecompressionBombError as error:
        raise _too_large(where) from error
    except MemoryError:
        raise
    except Exception as error:  # OSError, SyntaxError, zlib.error, struct.error, ...
        raise _damaged(where) from error


def _refuse_unknown_range(image: Image.Image, where: str) -> None:
    is_16_bit = image.mode.startswith("I;16") or (image.mode == "I" and image.format == "PNG")
    if image.mode in ("I", "F") and not is_16_bit:
        raise PixelFormatUnsupported(
            f"has pixels of kind {image.mode!r}, whose range is unknown.",
            where=where,
            remedy="Save it with 8 or 16 bits a channel.",
        )


def _upright_rgb(image: Image.Image, where: str) -> Image.Image:
    _refuse_unknown_range(image, where)
    orientation = exif_orientation(image)
    _load(image, where)
    rgb = _to_rgb(image)
    # Pillow turns a TIFF itself while it reads the pixels.
    turn = None if isinstance(image, TiffImageFile) else TRANSPOSES.get(orientation)
    rgb = rgb.transpose(turn) if turn is not None else rgb
    rgb.info = {}  # else Pillow would save the old colour profile with it
    return rgb


def _to_rgb(image: Image.Image) -> Image.Image:
    if image.mode == "RGB" and "transparency" not in image.info:
        return image if type(image) is Image.Image else image.copy()
    if image.mode == "I" or image.mode.startswith("I;16"):
        return _from_16_bit(image)
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        white = Image.new("RGBA", image.size, (255, 255, 255, 255))
        return Image.alpha_composite(white, layer).convert("RGB")
    return image.convert("RGB")


def _from_16_bit(image: Image.Image) -> Image.Image:
    values = np.asarray(image).astype(np.uint32)
    gray = ((values * 255 + 32767) // 65535).astype(np.uint8)
    clear = image.info.get("transparency")
    if isinstance(clear, int):
        gray[values == clear] = 255
    return Image.fromarray(gray).convert("RGB")


def _browser_shows_alike(image: Image.Image) -> bool:
    if image.format not in _MIME:
        return False
    if image.info.get("icc_profile") and not _is_srgb(image.info["icc_profile"]):
        return False
    if image.format in ("JPEG", "MPO"):
        return image.mode in ("RGB", "L")
    return (
        image.mode in ("RGB", "L", "P", "1")
        and "transparency" not in image.info
        and getattr(image, "n_frames", 1) == 1
        and exif_orientation(image) == 1
        and abs(float(image.info.get("gamma", 0.45455)) - 0.45455) < 0.001
    )


def _is_srgb(profile: bytes) -> bool:
    try:
        opened = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        return "srgb" in ImageCms.getProfileDescription(opened).lower()
    except Exception:  # a damaged profile: the browser may do anything with it
        return False
