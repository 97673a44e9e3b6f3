package resolve

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// hostfilePath is where Trainer's MPI plugin mounts the launcher's hostfile.
const hostfilePath = "/etc/mpi/hostfile"

// sshdWait is the wait of a launcher that nothing gates: under a gang scheduler it must exist before its workers are ready, or
// the gang waits for the launcher and the launcher for the gang.
type sshdWait struct {
	hostfile string
	// limit is how long the workers have, by the clock; each bounds one try of one host, pause parts the rounds. Whole seconds.
	limit, each, pause time.Duration
}

// kaiWait returns the script that makes the launcher wait under KAI until every worker of the hostfile lets ssh run `true`, for 20 minutes as
// the published page has it. It goes to the end of the init container fix-ssh-permissions, after its keys are in place: copyKeys, " || exit 1",
// a line end, and this. It needs, beside that container's mounts, the volume mpi-hostfile read-only at /etc/mpi.
// Past the limit it exits with 1: restartPolicy OnFailure runs it again, and each restart counts toward the Job's backoffLimit.
func kaiWait() string {
	return sshdWait{hostfilePath, 20 * time.Minute, 10 * time.Second, 5 * time.Second}.script()
}

// script is POSIX shell for any image that has ssh; `timeout` is used where it is. A failed login costs 5 s at OpenSSH 9.8 and later
// (PerSourcePenalties), and a source is locked out from 15 s on: the pause between rounds keeps them from coming together.
func (w sshdWait) script() string {
	seconds := func(d time.Duration) string { return strconv.Itoa(int(d / time.Second)) }
	within := seconds(w.limit) + " seconds"
	if w.limit%time.Minute == 0 {
		within = fmt.Sprintf("%d minutes", int(w.limit/time.Minute))
	}
	return strings.NewReplacer(
		"@HOSTFILE@", w.hostfile, "@LIMIT@", seconds(w.limit), "@EACH@", seconds(w.each), "@PAUSE@", seconds(w.pause), "@WITHIN@", within,
	).Replace(waitScript)
}

const waitScript = `set -f
command -v ssh >/dev/null || { echo 'ERROR: the image has no ssh; refusing to start mpirun.'; exit 1; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 143' TERM INT
self=${HOSTNAME:-$(hostname)}
all= pending= total=0
if [ -r @HOSTFILE@ ]; then
  while read -r host rest || [ -n "$host" ]; do
    case $host in
    '' | '#'*) continue ;;
    esac
    all="$all $host"
    case $host in
    "$self" | "$self".*) continue ;;
    esac
    pending="$pending $host"
    total=$((total + 1))
  done <@HOSTFILE@
fi
if [ -z "$all" ]; then
  echo 'ERROR: no hosts in @HOSTFILE@ (missing, empty, or unreadable); refusing to start mpirun.'
  exit 1
fi
guard=
timeout 10 true 2>/dev/null && guard='timeout @EACH@'
# try HOST FILE: FILE.ok says that it answered, FILE what ssh said.
try() {
  $guard ssh -n -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ConnectTimeout=5 -- "$1" true >"$2" 2>&1 && : >"$2.ok"
}
# why N: what ssh said of the Nth host that waits, 3 lines of it.
why() {
  if [ -s "$dir/$1.why" ]; then tr -d '\r' <"$dir/$1.why" | sed -n '1,3s/^/  ssh: /p'; else echo '  ssh: no answer within @EACH@ s'; fi
}
# show WORDS: each host that waits with WORDS and why, but for those past the 32nd.
show() {
  n=0
  for host in $pending; do
    n=$((n + 1))
    if [ $n -gt 32 ]; then echo "and $((waiting - 32)) more"; break; fi
    echo "waiting: $host $1"
    why $n
  done
  [ $nameless -lt $total ] || [ $total -lt 2 ] || echo 'No worker has a name that resolves: the name service is at fault, and no worker.'
}
began=$(date +%s) attempt=0 waiting=$total nameless=0 passed=0 next=0
while [ $waiting -gt 0 ]; do
  attempt=$((attempt + 1)) n=0
  for host in $pending; do
    n=$((n + 1))
    try "$host" "$dir/$n" &
    [ $((n % 128)) -ne 0 ] || wait
  done
  wait
  left= n=0 waiting=0 nameless=0
  for host in $pending; do
    n=$((n + 1))
    if [ -e "$dir/$n.ok" ]; then rm -f "$dir/$n.ok"; continue; fi
    waiting=$((waiting + 1))
    left="$left $host"
    mv "$dir/$n" "$dir/$waiting.why"
    ! grep -q 'Could not resolve' "$dir/$waiting.why" || nameless=$((nameless + 1))
  done
  pending=$left
  passed=$(($(date +%s) - began))
  [ $waiting -gt 0 ] || break
  if [ $passed -ge @LIMIT@ ]; then
    echo 'ERROR: not every worker answered sshd within @WITHIN@; refusing to start mpirun.'
    show "has not answered sshd (attempt $attempt, ${passed}s)"
    echo "Of $total workers in @HOSTFILE@ $waiting did not answer. The events of their pods say why: an image, a volume or an init container that is not done, or a network policy that keeps port 22 from the launcher."
    exit 1
  fi
  if [ $passed -ge $next ]; then
    next=$((passed + 60))
    show "has not answered sshd yet (attempt $attempt, ${passed}s of @LIMIT@s)"
  fi
  sleep @PAUSE@ &
  wait $!
done
echo "workers answered sshd after ${passed}s"
`
