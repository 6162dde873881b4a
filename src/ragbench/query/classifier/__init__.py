"""What a question is taken for: its class, its category, its language, and whether it can be answered."""

from __future__ import annotations

from ragbench.query.classifier.base import Classifier as Classifier
from ragbench.query.classifier.base import OpenClassifier as OpenClassifier
from ragbench.query.classifier.base import Understanding as Understanding
from ragbench.query.classifier.base import Understood as Understood
from ragbench.query.classifier.base import check_classifier as check_classifier
from ragbench.query.classifier.base import understanding as understanding
