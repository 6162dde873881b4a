#!/bin/sh
# Installs a CPU build of torch, and nothing else: a CUDA build (gigabytes) is never taken by accident.
#
#   torch-cpu.sh PYTHON [INDEX]
#
# INDEX: PyTorch's CPU wheel index, see pytorch.org. Without it the package sources that pip already uses are asked.
# Exit 0: torch is there. Exit 3: no CPU build is offered; nothing was changed.
set -eu
python=$1
index=${2:-}
version=2.13.0

if "$python" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)'; then
    exit 0
fi
case "$(uname -s)-$(uname -m)" in
Linux-x86_64) wanted="torch==$version+cpu" ;; # the plain version of this platform is the CUDA build
*) wanted="torch==$version" ;;
esac
set -- -q --no-compile --no-deps --retries 1
if [ -n "$index" ]; then
    set -- "$@" --index-url "$index"
fi
if "$python" -m pip install "$@" "$wanted" >/dev/null 2>&1; then
    exit 0
fi
echo "note: $wanted is not offered by the package sources of this machine." >&2
echo "      Tests that need sentence-transformers will be skipped. To run them too:" >&2
echo "      make test TORCH_INDEX=ADDRESS, the address being PyTorch's CPU wheel index (see pytorch.org)." >&2
exit 3
