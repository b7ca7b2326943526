"""How a step, or all of a command, ends otherwise than well."""


class Problem(Exception):
    """One line for the user, and the exit code."""

    def __init__(self, message, code=2):
        super().__init__(message)
        self.code = code


class Failed(Exception):
    """A step failed: why."""


class NotHere(Exception):
    """A step has nothing to do on this machine: why."""


class OutOfTime(Exception):
    """The time is up, or a signal came; the same command goes on where this one stopped."""
