"""Scripts that train the course's small models. Nothing else imports this package."""

import os

# before numpy comes: these matrices are so small that two threads mostly wait for each other, the more so on
# a machine that has other work
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
