interface Entry<V> {
  readonly value: V
  readonly until: number
}

/** A small cache whose entries end; the one that was used least recently goes first. */
export class Cache<K, V> {
  private readonly entries = new Map<K, Entry<V>>()

  constructor(
    private readonly size: number,
    private readonly ttl: number,
    private readonly now: () => number = Date.now,
  ) {}

  get(key: K): V | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) {
      return undefined
    }
    this.entries.delete(key)
    if (entry.until <= this.now()) {
      return undefined
    }
    this.entries.set(key, entry)
    return entry.value
  }

  set(key: K, value: V): void {
    this.entries.delete(key)
    this.entries.set(key, { value, until: this.now() + this.ttl })
    if (this.entries.size > this.size) {
      const [oldest] = this.entries.keys()
      this.entries.delete(oldest as K)
    }
  }

  clear(): void {
    this.entries.clear()
  }
}

export async function cached<K, V>(cache: Cache<K, V>, key: K, make: () => Promise<V>): Promise<V> {
  const known = cache.get(key)
  if (known !== undefined) {
    return known
  }
  const value = await make()
  cache.set(key, value)
  return value
}
