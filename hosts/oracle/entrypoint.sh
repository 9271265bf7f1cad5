#!/bin/sh
# Becomes the oracle, so that what is told to the container (SIGTERM) is told to it.
#
# The secrets in /vault/secrets (or SECRETS_FOLDER) are loaded by the program itself, which parses these files and never
# executes them: a shell that sourced them would run whatever a secret holds, and show it to every child.
set -eu
cd "$(dirname "$0")/../.."
exec node --require ./scripts/compile-cache.cjs hosts/oracle/main.ts
