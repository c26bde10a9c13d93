#!/bin/sh
# Runs a program of nccl-tests on all ranks of an MPIJob, and ends with a code that says what was found: 0 passed, 1 slower than expected,
# 2 wrong values, 3 no result. POSIX sh and awk, because images of nccl-tests have no more in common.
#
# Arguments: the expected bus bandwidth in GB/s, the number of ranks, and the program with its flags.
#
# Variables of NCCL are passed on with -x, because a process that sshd starts has none of the variables of its container. NCCL_TESTS_MIN_BW is
# removed: with it, the program fails by itself, below 90 % of that value.
set -u
expected=$1
ranks=$2
shift 2
program=${1##*/}
log=${TMPDIR:-/tmp}/fabric-test.log

unset NCCL_TESTS_MIN_BW
for name in $(env | awk -F= '/^(NCCL_[A-Z0-9_]*|UCX_[A-Z0-9_]*|PATH|LD_LIBRARY_PATH)=/ { print $1 }'); do
  set -- -x "$name" "$@"
done

finish() {
  printf 'fabric-test: %s\n' "$2"
  printf '%s\n' "$2" >"${TERMINATION_LOG:-/dev/termination-log}"
  exit "$1"
}

{
  mpirun --allow-run-as-root --bind-to none -np "$ranks" --hostfile "${OMPI_MCA_orte_default_hostfile:-/etc/mpi/hostfile}" "$@" 2>&1
  echo "$?" >"$log.status"
} | tee "$log"
status=$(cat "$log.status")

result=$(awk -v expected="$expected" '
  /^# *Avg bus bandwidth/ { split($0, part, ":"); split(part[2], word, " "); average = word[1] }
  /^# *Out of bounds values/ { split($0, part, ":"); checks = part[2] + 0 }
  /^# *Reducing maxBytes/ { reduced = 1 }
  /^ *[0-9]+ +[0-9]+ / && NF >= 12 { size = $1; last = $8 < $12 ? $8 : $12; wrong += $9 + $13 }
  END {
    if (wrong > 0 || checks > 0) print "wrong", (wrong > 0 ? wrong : checks)
    else if (average !~ /^[0-9]/) print "none"
    else print (average + 0 < expected + 0 ? "slow" : "passed"), average, size, last, reduced + 0
  }' "$log")
read -r verdict value size last reduced <<END
$result
END

case $verdict in
  wrong) finish 2 "$program computed $value wrong values on $ranks devices" ;;
  none) finish 3 "$program printed no bus bandwidth, and mpirun ended with code $status" ;;
esac
said="$program on $ranks devices: $value GB/s of the expected $expected GB/s bus bandwidth; messages of $size bytes: $last GB/s"
[ "$reduced" = 0 ] || said="$said; the greatest message was reduced, because device memory is too small"
[ "$verdict" = slow ] && finish 1 "$said"
[ "$status" = 0 ] || finish 3 "$said; then mpirun ended with code $status"
finish 0 "$said"
