"""What can go wrong while the static files of the site are made. Every message is meant for a contributor."""


class PrepareError(Exception):
    """The files that the site needs could not be made."""


class FetchError(PrepareError):
    """Some pinned files could not be had anywhere; the message says what was tried for each, and why not."""


class CompileError(PrepareError):
    """A compiler that was found did not do its work; the message carries what it said."""


class FramesError(PrepareError):
    """The frames of a demo could not be rendered; the message carries Python's own."""
