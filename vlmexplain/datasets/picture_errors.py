"""Why a picture cannot be used: one kind of error for each check code."""

from __future__ import annotations

from vlmexplain.errors import DataError


class PictureError(DataError):
    """A picture that cannot be used; ``code`` is its check code."""

    code = "image-unreadable"


class MissingPicture(PictureError):
    """No such file in the folder."""

    code = "image-missing"


class PictureOutsideFolder(PictureError):
    """The name leads out of the folder."""

    code = "image-outside-folder"


class EmptyPicture(PictureError):
    """The file has no bytes."""

    code = "image-empty"


class NotAPicture(PictureError):
    """The file is not a picture of a known format."""

    code = "image-not-a-picture"


class TruncatedPicture(PictureError):
    """The file breaks off, or its data are damaged."""

    code = "image-truncated"


class PictureTooLarge(PictureError):
    """More pixels or bytes than may be decoded."""

    code = "image-too-large"


class PixelFormatUnsupported(PictureError):
    """Pixels whose range of values is unknown (32-bit integers, floats)."""

    code = "image-pixel-format"


class PictureChanged(PictureError):
    """The file is not the one that was imported."""

    code = "image-changed"


class NoPictures(PictureError):
    """The gallery was imported without pictures."""

    code = "image-none"
