#!/bin/sh
# Waits until the node offers its devices, then takes a startup taint off it. It never puts one on.
#
# Needs kubectl, and the right to get and patch nodes. What to wait for comes by environment: NODE_NAME, RESOURCE (an extended
# resource), COUNT (how many of it must be allocatable), TAINT (key:effect).
set -u

NODE=${NODE_NAME:?names the node}
RESOURCE=${RESOURCE:?names the extended resource}
COUNT=${COUNT:?says how many of it must be allocatable}
TAINT=${TAINT:?names the taint, key:effect}
INTERVAL=${GANTRY_INTERVAL:-10}

# Dots of a resource name are not steps of the path.
FIELD=$(printf '%s' "$RESOURCE" | sed 's/\./\\./g')

trap 'exit 0' TERM INT

pause() {
  sleep "$INTERVAL" &
  wait "$!"
}

said=
while :; do
  offered=$(kubectl get node "$NODE" -o "jsonpath={.status.allocatable.$FIELD}" 2>/dev/null)
  case $offered in
    '' | *[!0-9]*) offered=0 ;;
  esac
  [ "$offered" -ge "$COUNT" ] && break
  if [ "$said" != "$offered" ]; then
    printf 'waiting %s: %s of %s allocatable\n' "$RESOURCE" "$offered" "$COUNT"
    said=$offered
  fi
  pause
done

until taints=$(kubectl get node "$NODE" -o 'jsonpath={range .spec.taints[*]}{.key}:{.effect}{"\n"}{end}' 2>/dev/null); do pause; done
if printf '%s\n' "$taints" | grep -qxF "$TAINT"; then
  until kubectl taint node "$NODE" "$TAINT-"; do pause; done
  printf 'removed %s: %s %s allocatable\n' "$TAINT" "$offered" "$RESOURCE"
else
  printf 'no taint %s on this node\n' "$TAINT"
fi

# A DaemonSet starts again what ends.
while :; do pause; done
