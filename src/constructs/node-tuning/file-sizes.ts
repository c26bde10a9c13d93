/**
 * Sizes in the files of a node, whose programs have suffixes of their own: `8g` of Docker and `8G` of systemd are both 8 GiB.
 */
import { type ByteSize, bytesOf } from '../resources/quantities';

/** A size for a program that counts in steps of 1,024, with the largest suffix that states it exactly: `8Gi` is `8g`. */
export function binarySize(prop: string, size: ByteSize): string {
  return withSuffix(bytesOf(prop, size), 1024n);
}

/** A size for a program that counts in steps of 1,000: `50M` is `50m`, and `50Mi` is `52428800`. */
export function decimalSize(prop: string, size: ByteSize): string {
  return withSuffix(bytesOf(prop, size), 1000n);
}

function withSuffix(bytes: bigint, step: bigint): string {
  let amount = bytes;
  let suffix = '';
  for (const larger of ['k', 'm', 'g', 't']) {
    if (amount === 0n || amount % step !== 0n) {
      break;
    }
    amount /= step;
    suffix = larger;
  }
  return `${amount}${suffix}`;
}
