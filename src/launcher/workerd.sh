#!/bin/sh
# Ctrl-C goes to every process of the terminal. Only the launcher may end the runtime, after open requests are answered.
trap '' INT
exec "$WORKERD_BINARY" "$@"
