#!/bin/sh
# Captures panes of the running program in tmux, as text, and a screenshot: docs/panes/*.txt and docs/triage.svg.
#
#   docs/panes.sh [PYTHON]
#
# A person's way through a hung job: the answer, two times enter to the raw line, 2 to the timeline.
set -eu
python=${1:-python}
here=$(dirname "$(readlink -f "$0")")
logs=$here/../sample_logs/hang-rank-behind/logs
work=$(mktemp -d)
server=ncclscope-panes-$$
trap 'tmux -L $server kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$here/panes"

XDG_CACHE_HOME=$work TZ=UTC "$python" -m ncclscope scan -o "$work/hang-rank-behind" "$logs" >/dev/null 2>&1
XDG_CACHE_HOME=$work TZ=UTC tmux -L "$server" new-session -d -x 80 -y 24 "$python -m ncclscope $work/hang-rank-behind"

# Waits until the pane shows a text, for at most a minute.
until_shown() {
    n=0
    while ! tmux -L "$server" capture-pane -p | grep -q -- "$1"; do
        n=$((n + 1))
        [ $n -lt 240 ] || { echo "never shown: $1" >&2; tmux -L "$server" capture-pane -p >&2; exit 1; }
        sleep 0.25
    done
}

capture() { tmux -L "$server" capture-pane -p | sed 's/ *$//' >"$here/panes/$1.txt"; }

until_shown '^> 0.*r11 '
until_shown 'T is '
sleep 1
capture triage
tmux -L "$server" send-keys Enter
sleep 1
tmux -L "$server" send-keys Enter
until_shown '-- record --'
until_shown '  line  '
capture evidence
tmux -L "$server" send-keys 2
until_shown 'rows: herd'
until_shown 'metrics of'
capture timeline
tmux -L "$server" send-keys 1
sleep 1
tmux -L "$server" send-keys q

"$python" "$here/screenshot.py" "$work/hang-rank-behind" "$here/triage.svg"
