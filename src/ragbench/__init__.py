"""ragbench: an evaluation-first research harness for retrieval-augmented generation, zh and en."""

import os

__version__ = "0.1.0"

# Libraries we load would otherwise report to their makers, and leave ids and queues in the home folder. They read these
# when they are imported, which may be through each other; what the user has set stays.
for _name, _value in {
    "ORT_DISABLE_TELEMETRY": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "RAGAS_DO_NOT_TRACK": "true",
    "DO_NOT_TRACK": "true",
}.items():
    os.environ.setdefault(_name, _value)
