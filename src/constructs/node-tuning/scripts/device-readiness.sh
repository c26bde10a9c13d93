#!/bin/sh
# Looks whether the node offers its devices, and says so where the scheduler heeds it.
#
#   device-readiness.sh report    keeps a condition of the node up to date, for the node readiness controller
#   device-readiness.sh untaint   takes a startup taint off once, when the devices are there; never puts one on
#
# Needs kubectl, and the right to get nodes and to patch them (their status, to report). By environment: NODE_NAME, RESOURCE (an
# extended resource), COUNT (how many of it must be allocatable), and CONDITION or TAINT (key:effect).
set -u

NODE=${NODE_NAME:?names the node}
RESOURCE=${RESOURCE:?names the extended resource}
COUNT=${COUNT:?says how many of it must be allocatable}
INTERVAL=${GANTRY_INTERVAL:-10}
# Looks after which a condition is written again though nothing changed, so that its age tells whether anybody still looks.
HEARTBEAT=${GANTRY_HEARTBEAT:-30}

# Whose change it is, for whoever reads managedFields.
MANAGER=gantry-device-readiness

# Dots of a resource name are not steps of the path.
FIELD=$(printf '%s' "$RESOURCE" | sed 's/\./\\./g')

trap 'exit 0' TERM INT

pause() {
  sleep "$INTERVAL" &
  wait "$!"
}

offered() {
  number=$(kubectl get node "$NODE" -o "jsonpath={.status.allocatable.$FIELD}" 2>/dev/null)
  case $number in
    '' | *[!0-9]*) printf 0 ;;
    *) printf '%s' "$number" ;;
  esac
}

report() {
  : "${CONDITION:?names the condition}"
  said=
  changed=
  age=0
  while :; do
    number=$(offered)
    if [ "$number" -ge "$COUNT" ]; then status=True reason=DevicesAllocatable; else status=False reason=DevicesMissing; fi
    now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
    if [ "$status $number" != "$said" ] || [ "$age" -ge "$HEARTBEAT" ]; then
      [ "$status" = "${said%% *}" ] || changed=$now
      patch=$(printf '{"status":{"conditions":[{"type":"%s","status":"%s","reason":"%s","message":"%s of %s %s allocatable","lastHeartbeatTime":"%s","lastTransitionTime":"%s"}]}}' \
        "$CONDITION" "$status" "$reason" "$number" "$COUNT" "$RESOURCE" "$now" "$changed")
      if kubectl patch node "$NODE" --subresource=status --type=strategic --field-manager="$MANAGER" --patch "$patch" >/dev/null; then
        [ "$status $number" = "$said" ] || printf '%s=%s: %s of %s %s allocatable\n' "$CONDITION" "$status" "$number" "$COUNT" "$RESOURCE"
        said="$status $number"
        age=0
      fi
    fi
    age=$((age + 1))
    pause
  done
}

untaint() {
  : "${TAINT:?names the taint, key:effect}"
  said=
  while number=$(offered) && [ "$number" -lt "$COUNT" ]; do
    [ "$said" = "$number" ] || printf 'waiting %s: %s of %s allocatable\n' "$RESOURCE" "$number" "$COUNT"
    said=$number
    pause
  done
  until taints=$(kubectl get node "$NODE" -o 'jsonpath={range .spec.taints[*]}{.key}:{.effect}{"\n"}{end}' 2>/dev/null); do pause; done
  if printf '%s\n' "$taints" | grep -qxF "$TAINT"; then
    until kubectl taint node "$NODE" "$TAINT-" --field-manager="$MANAGER"; do pause; done
    printf 'removed %s: %s %s allocatable\n' "$TAINT" "$number" "$RESOURCE"
  else
    printf 'no taint %s on this node\n' "$TAINT"
  fi
  # A DaemonSet starts again what ends.
  while :; do pause; done
}

case ${1:-} in
  report) report ;;
  untaint) untaint ;;
  *)
    printf 'usage: %s report|untaint\n' "$0" >&2
    exit 64
    ;;
esac
