/**
 * XIDs: what NVIDIA's driver reports of a GPU, and what is to be done.
 *
 * Sources: NVIDIA, Xid catalog; k8s-device-plugin v0.20, internal/rm/health.go (codes that do not make a device unhealthy).
 */
import { frozen } from './frozen';

/** Who is to blame: the program that runs on the GPU, or the GPU and what it is plugged into. */
export type XidOrigin = 'application' | 'hardware';

/** A code that the NVIDIA driver logs for an error of a GPU. */
export interface XidFact {
  /** The XID. */
  readonly code: number;
  /** What happened. */
  readonly meaning: string;
  /** Whether the application or the hardware is the usual cause. */
  readonly origin: XidOrigin;
  /** What to do about it. */
  readonly action:
    | 'restart the program'
    | 'drain and reset the GPU'
    | 'drain and reboot the node'
    | 'inspect NVLink'
    | 'watch'
    | 'as nvidia-smi recommends';
}

/** The XIDs that the catalog knows. */
export const XIDS: readonly XidFact[] = frozen([
  { code: 13, meaning: 'exception of the graphics engine', origin: 'application', action: 'restart the program' },
  { code: 31, meaning: 'page fault of GPU memory', origin: 'application', action: 'restart the program' },
  { code: 43, meaning: 'the GPU stopped a process', origin: 'application', action: 'restart the program' },
  { code: 45, meaning: 'clean-up after another error', origin: 'application', action: 'watch' },
  { code: 46, meaning: 'the GPU stopped processing', origin: 'hardware', action: 'drain and reset the GPU' },
  { code: 48, meaning: 'double-bit memory error', origin: 'hardware', action: 'drain and reset the GPU' },
  { code: 62, meaning: 'halt of an internal microcontroller', origin: 'hardware', action: 'drain and reset the GPU' },
  { code: 63, meaning: 'a row is marked for remapping', origin: 'hardware', action: 'watch' },
  {
    code: 64,
    meaning: 'a row could not be marked for remapping',
    origin: 'hardware',
    action: 'drain and reset the GPU',
  },
  { code: 68, meaning: 'exception of the video decoder', origin: 'application', action: 'restart the program' },
  { code: 74, meaning: 'NVLink error', origin: 'hardware', action: 'inspect NVLink' },
  { code: 79, meaning: 'the GPU has fallen off the bus', origin: 'hardware', action: 'drain and reboot the node' },
  { code: 92, meaning: 'many single-bit errors', origin: 'hardware', action: 'watch' },
  {
    code: 94,
    meaning: 'memory error, contained in one program',
    origin: 'hardware',
    action: 'drain and reset the GPU',
  },
  { code: 95, meaning: 'memory error, not contained', origin: 'hardware', action: 'drain and reset the GPU' },
  { code: 109, meaning: 'timeout of a context switch', origin: 'application', action: 'restart the program' },
  { code: 119, meaning: 'timeout of the GPU system processor', origin: 'hardware', action: 'drain and reset the GPU' },
  { code: 120, meaning: 'error of the GPU system processor', origin: 'hardware', action: 'drain and reset the GPU' },
  {
    code: 140,
    meaning: 'memory error from which the GPU did not recover',
    origin: 'hardware',
    action: 'drain and reset the GPU',
  },
  {
    code: 154,
    meaning: 'the GPU reports the required recovery',
    origin: 'hardware',
    action: 'as nvidia-smi recommends',
  },
]);

/** Returns what is known of an XID, or `undefined` where the catalog does not list it. */
export function findXid(code: number): XidFact | undefined {
  return XIDS.find((fact) => fact.code === code);
}

/** Codes after which the GPU is not to be used before somebody has acted. */
export const XIDS_TO_ACT_ON: readonly number[] = frozen(
  XIDS.filter(({ origin, action }) => origin === 'hardware' && action !== 'watch').map(({ code }) => code),
);
