"""Errors of the models area. Every message is one line that names the file and the fault."""

from __future__ import annotations


class ModelError(Exception):
    """Base of everything the models area raises on purpose."""


class WeightsError(ModelError):
    """A shipped model file is missing, unknown to the manifest, or not the file the manifest describes."""


class TrainingError(ModelError):
    """Training cannot start or go on: the `train` extra, the data or a checkpoint is missing or unusable."""


class PromotionError(ModelError):
    """A candidate's folder cannot be compared with the weights it is to replace."""


class EvaluationError(ModelError):
    """A labelled set is missing or unreadable."""
