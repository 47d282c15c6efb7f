"""What scission raises.

::

    ScissionError
    ├── OptionError      (ValueError)    an option is unknown, of the wrong type or out of range
    ├── TextError        (ValueError)    a document cannot be read: not UTF-8, too large
    ├── CorpusError      (ValueError)    documents, questions or chunks to evaluate with are malformed
    ├── EmbeddingError   (ValueError)    an embedder returned the wrong number, shape or values
    ├── ModelError       (RuntimeError)  a model's files are missing, damaged or of another format
    ├── RemoteError      (RuntimeError)  a service could not be reached, refused, or answered with nonsense
    ├── BudgetError      (RuntimeError)  the next request could cost more than max_cost allows
    └── MissingExtra     (ImportError)   an optional dependency is not installed
"""


class ScissionError(Exception):
    """Base of everything that scission raises on purpose."""


class OptionError(ScissionError, ValueError):
    """An option is unknown, of the wrong type or out of its range."""


class TextError(ScissionError, ValueError):
    """A document cannot be read: it is not valid UTF-8, or too large."""


class CorpusError(ScissionError, ValueError):
    """Documents, questions or chunks to evaluate with are malformed; the message begins with file and line."""


class EmbeddingError(ScissionError, ValueError):
    """An embedder returned the wrong number of vectors, a wrong shape or values that are not finite."""


class ModelError(ScissionError, RuntimeError):
    """A model's files are missing, damaged or of a format that is not supported."""


class RemoteError(ScissionError, RuntimeError):
    """A service could not be reached, refused, or answered with something unusable.

    Attributes
    ----------
    status : int or None
        The HTTP status, when there was an answer.
    parameter : str or None
        What the service found wrong with the request, when it said so.
    """

    def __init__(
        self, message: str, status: int | None = None, parameter: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.parameter = parameter


class BudgetError(ScissionError, RuntimeError):
    """The next request could cost more than ``max_cost`` allows; it was not sent."""


class MissingExtra(ScissionError, ImportError):  # noqa: N818 -- reads as what it says in a traceback
    """An optional dependency is not installed; the message says what to type."""
