/**
 * Names: those of each tenant come in their order, and tenants in turn, so that what one tenant adds to does not keep the names of others waiting.
 */
export class InTurn<T> {
  /** Tenants in turn, each with its names in order. */
  private readonly byTenant = new Map<string, Map<string, T>>();
  private readonly tenants = new Map<string, string>();

  get size(): number {
    return this.tenants.size;
  }

  /** Comes last among those of its tenant, if it is new. */
  set(name: string, tenant: string, value: T): void {
    if (this.tenants.get(name) !== tenant) {
      this.delete(name);
      this.tenants.set(name, tenant);
    }
    const own = this.byTenant.get(tenant) ?? new Map<string, T>();
    this.byTenant.set(tenant, own.set(name, value));
  }

  get(name: string): T | undefined {
    const tenant = this.tenants.get(name);
    return tenant === undefined ? undefined : this.byTenant.get(tenant)!.get(name);
  }

  has(name: string): boolean {
    return this.tenants.has(name);
  }

  delete(name: string): boolean {
    const tenant = this.tenants.get(name);
    if (tenant === undefined) {
      return false;
    }
    this.tenants.delete(name);
    const own = this.byTenant.get(tenant)!;
    own.delete(name);
    if (own.size === 0) {
      this.byTenant.delete(tenant);
    }
    return true;
  }

  clear(): void {
    this.byTenant.clear();
    this.tenants.clear();
  }

  /** The first of each tenant, in turn. */
  *firsts(): Generator<T> {
    for (const own of this.byTenant.values()) {
      const [first] = own.values();
      yield first;
    }
  }

  /** The tenant of the name had its turn. */
  hadTurn(name: string): void {
    const tenant = this.tenants.get(name);
    if (tenant !== undefined) {
      const own = this.byTenant.get(tenant)!;
      this.byTenant.delete(tenant);
      this.byTenant.set(tenant, own);
    }
  }

  *values(): Generator<T> {
    for (const own of this.byTenant.values()) {
      yield* own.values();
    }
  }
}
