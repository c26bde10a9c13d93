/** How a device is used, as a vendor program reports it. */
export interface DeviceUse {
  /** Part of the time in which it worked, 0 to 1. */
  readonly busy?: number;
  readonly memoryMiB?: number;
}
