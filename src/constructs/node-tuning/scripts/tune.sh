#!/bin/sh
# Sets values of a node's kernel and devices, keeps them set, and puts back what it found when it is stopped.
#
#   tune.sh run      set, look again every interval, restore on SIGTERM or SIGINT
#   tune.sh apply    set once
#   tune.sh restore  put back what was found before
#   tune.sh ready    succeeds while everything that can be set is set
#
# Each value is read, its original is noted in a file, then it is written and read again. The file lies on the node in memory, so that
# a killed container finds the originals when it comes back, and a reboot, which resets the values, forgets them.
# What does not exist on this node is told and passed over. Plain POSIX sh, for busybox and dash alike.
set -u

ROOT=${GANTRY_ROOT:-}
PLAN=${GANTRY_PLAN:?names the file with the values to set}
STATE=${GANTRY_STATE:?names the folder that keeps the originals}
INTERVAL=${GANTRY_INTERVAL:-60}
DRY_RUN=${GANTRY_DRY_RUN:-}
BOOT_ID=${GANTRY_BOOT_ID:-/proc/sys/kernel/random/boot_id}

ORIGINALS=$STATE/originals
TARGETS=$STATE/targets
READY=$STATE/ready
TAB=$(printf '\t')

say() { printf '%s\n' "$*"; }

# The value as it is compared: one line, single blanks, and of "always [madvise] never" the one that is chosen.
normal() {
  tr '\n\t' '  ' | sed -e 's/^.*\[\([^]]*\)\].*$/\1/' -e 's/  */ /g' -e 's/^ //' -e 's/ $//'
}

exists() {
  case $1 in
    gpu:*) command -v nvidia-smi >/dev/null 2>&1 ;;
    *) [ -r "$ROOT$1" ] ;;
  esac
}

read_value() {
  case $1 in
    gpu:*) nvidia-smi --id="${1#gpu:}" --query-gpu=persistence_mode --format=csv,noheader 2>/dev/null | normal ;;
    *) normal 2>/dev/null <"$ROOT$1" ;;
  esac
}

write_value() {
  case $1 in
    gpu:*)
      mode=0
      [ "$2" = Enabled ] && mode=1
      nvidia-smi -i "${1#gpu:}" -pm "$mode" >/dev/null 2>&1
      ;;
    *) (printf '%s\n' "$2" >"$ROOT$1") 2>/dev/null ;;
  esac
}

# Only what the red lines allow: whatever else a plan says is refused here too, wherever the plan came from.
allowed_sysctl() {
  case $1 in
    net.core.rmem_max | net.core.wmem_max | net.core.optmem_max | net.core.netdev_max_backlog | net.core.somaxconn) ;;
    net.ipv4.tcp_rmem | net.ipv4.tcp_wmem) ;;
    vm.max_map_count | vm.swappiness | vm.zone_reclaim_mode | kernel.numa_balancing) ;;
    fs.inotify.max_user_watches | fs.inotify.max_user_instances | fs.inotify.max_queued_events | fs.aio-max-nr) ;;
    *) return 1 ;;
  esac
  case $2 in
    '' | *[!0-9\ ]*) return 1 ;;
  esac
}

refuse() { say "refused $*: not among what may be changed on a live node" >&2; }

target() { printf '%s\t%s\n' "$1" "$2"; }

# "0-2,8" as "0 1 2 8".
cpus_of() {
  printf '%s\n' "$1" | tr ',' '\n' | while IFS=- read -r first last; do
    cpu=$first
    while [ "$cpu" -le "${last:-$first}" ]; do
      printf '%s ' "$cpu"
      cpu=$((cpu + 1))
    done
  done
}

governor_targets() {
  for governor in "$ROOT"/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor; do
    if [ ! -e "$governor" ]; then
      say 'missing /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor: this node does not let its clock be chosen' >&2
      return
    fi
    case " $(normal <"${governor%/*}/scaling_available_governors") " in
      *" $1 "*) target "${governor#"$ROOT"}" "$1" ;;
      *) say "missing governor $1 at ${governor#"$ROOT"}" >&2 ;;
    esac
  done
}

irq_targets() {
  met=
  # The pattern is one: it stands for the interfaces of the node.
  # shellcheck disable=SC2086
  for card in "$ROOT"/sys/class/net/$1; do
    [ -d "$card/device/msi_irqs" ] || continue
    met=1
    near=$(normal <"$card/device/local_cpulist")
    if [ "$2" = spread ]; then
      # shellcheck disable=SC2046
      set -- "$1" "$2" $(cpus_of "$near")
      turn=0
      for irq in "$card"/device/msi_irqs/*; do
        place=$((turn % ($# - 2) + 3))
        eval "target /proc/irq/\${irq##*/}/smp_affinity_list \"\${$place}\""
        turn=$((turn + 1))
      done
    else
      for irq in "$card"/device/msi_irqs/*; do target "/proc/irq/${irq##*/}/smp_affinity_list" "$near"; done
    fi
  done
  [ -n "$met" ] || say "missing interface $1: none with interrupts of its own" >&2
}

gpu_targets() {
  if ! exists gpu:; then
    say 'missing nvidia-smi: this node, or this container, has no NVIDIA driver' >&2
    return
  fi
  nvidia-smi --query-gpu=uuid --format=csv,noheader 2>/dev/null | while read -r uuid; do target "gpu:$uuid" "$1"; done
}

# What the plan comes to on this node: a file (or a GPU), a tab, and the value.
targets() {
  while read -r kind name value; do
    case $kind in
      '' | '#'*) ;;
      sysctl)
        if allowed_sysctl "$name" "$value"; then
          target "/proc/sys/$(printf '%s' "$name" | tr . /)" "$value"
        else
          refuse "sysctl $name = $value"
        fi
        ;;
      transparent-huge-pages)
        case $name=$value in
          enabled=always | enabled=madvise | enabled=never | defrag=always | defrag=defer | defrag=defer+madvise | defrag=madvise | defrag=never)
            target "/sys/kernel/mm/transparent_hugepage/$name" "$value"
            ;;
          *) refuse "$kind $name = $value" ;;
        esac
        ;;
      cpu-governor)
        case $name in
          performance | powersave | schedutil | ondemand | conservative) governor_targets "$name" ;;
          *) refuse "$kind $name" ;;
        esac
        ;;
      irq-affinity)
        case $name,$value in
          */*) refuse "$kind $name" ;;
          *,local | *,spread) irq_targets "$name" "$value" ;;
          *) refuse "$kind $name = $value" ;;
        esac
        ;;
      gpu-persistence)
        case $name in
          Enabled | Disabled) gpu_targets "$name" ;;
          *) refuse "$kind $name" ;;
        esac
        ;;
      *) refuse "$kind" ;;
    esac
  done <"$PLAN"
}

known() { [ -f "$ORIGINALS" ] && grep -qF "$1$TAB" "$ORIGINALS"; }

# Originals of another boot are nobody's any more.
forget_other_boot() {
  now=$(cat "$BOOT_ID" 2>/dev/null) || now=unknown
  if [ "$(cat "$STATE/boot" 2>/dev/null)" != "$now" ]; then
    rm -f "$ORIGINALS"
    printf '%s\n' "$now" >"$STATE/boot"
  fi
}

# Sets one value. $3: "drift" once it had been set before.
put() {
  if ! exists "$1"; then
    [ "$3" = drift ] || say "missing $1: not on this node, passed over"
    return 0
  fi
  found=$(read_value "$1")
  [ "$found" = "$2" ] && return 0
  if [ -n "$DRY_RUN" ]; then
    say "would set $1: $found -> $2"
    return 0
  fi
  [ "$3" = drift ] && say "drift $1: somebody set it to $found"
  known "$1" || printf '%s\t%s\n' "$1" "$found" >>"$ORIGINALS"
  if ! write_value "$1" "$2"; then
    say "failed $1: $2 could not be written"
    return 1
  fi
  now=$(read_value "$1")
  if [ "$now" != "$2" ]; then
    say "failed $1: wrote $2, it says $now"
    return 1
  fi
  say "set $1: $found -> $2"
}

apply() {
  targets >"$TARGETS"
  failures=0
  while IFS=$TAB read -r path value; do
    put "$path" "$value" "$1" || failures=$((failures + 1))
  done <"$TARGETS"
  if [ "$failures" = 0 ]; then : >"$READY"; else rm -f "$READY"; fi
  [ "$failures" = 0 ]
}

put_back() {
  if ! exists "$1"; then
    say "missing $1: nothing to restore"
  elif [ "$(read_value "$1")" = "$2" ]; then
    say "restored $1: $2"
  elif write_value "$1" "$2" && [ "$(read_value "$1")" = "$2" ]; then
    say "restored $1: $2"
  else
    say "failed $1: the original $2 could not be restored"
    return 1
  fi
}

# Puts originals back: all of them, or ("left over") those that the plan no longer speaks of. What fails stays noted.
restore() {
  rm -f "$READY"
  [ -f "$ORIGINALS" ] || return 0
  : >"$ORIGINALS.kept"
  broken=0
  while IFS=$TAB read -r path value; do
    if [ "$1" = 'left over' ] && grep -qF "$path$TAB" "$TARGETS"; then
      printf '%s\t%s\n' "$path" "$value" >>"$ORIGINALS.kept"
    elif ! put_back "$path" "$value"; then
      printf '%s\t%s\n' "$path" "$value" >>"$ORIGINALS.kept"
      broken=1
    fi
  done <"$ORIGINALS"
  if [ -s "$ORIGINALS.kept" ]; then mv "$ORIGINALS.kept" "$ORIGINALS"; else rm -f "$ORIGINALS" "$ORIGINALS.kept"; fi
  return "$broken"
}

begin() {
  mkdir -p "$STATE"
  forget_other_boot
  targets >"$TARGETS" 2>/dev/null
  [ -n "$DRY_RUN" ] || restore 'left over'
}

stop() {
  trap '' TERM INT
  [ -z "${pause:-}" ] || kill "$pause" 2>/dev/null
  restore all
  exit $?
}

case ${1:-run} in
  run)
    trap stop TERM INT
    begin
    apply first
    say "watching every $INTERVAL s"
    while :; do
      sleep "$INTERVAL" &
      pause=$!
      wait "$pause"
      apply drift 2>/dev/null
    done
    ;;
  apply)
    begin
    apply first
    ;;
  restore) restore all ;;
  ready) [ -f "$READY" ] ;;
  *)
    say "usage: $0 run|apply|restore|ready" >&2
    exit 64
    ;;
esac
