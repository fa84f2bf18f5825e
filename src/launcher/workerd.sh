#!/bin/sh
# Ctrl-C goes to every process of the terminal. Only the launcher may end the runtime, after open requests are answered.
trap '' INT
# A launcher that was killed outright ends nothing, and without it nothing can be stored. It holds the other end of the control
# pipe, on which it never says anything: when that is closed, the runtime is over.
(trap '' TERM HUP; while read -r _; do :; done <&3; kill -KILL $$) </dev/null >/dev/null 2>&1 &
exec "$WORKERD_BINARY" "$@"
