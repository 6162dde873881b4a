"""How far a judge agrees with known truths: planted answers, and people's labels."""
