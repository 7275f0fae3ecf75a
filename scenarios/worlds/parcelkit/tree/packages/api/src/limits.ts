interface Bucket {
  tokens: number
  filled: number
}

/** A token bucket for each customer. */
export class Limiter {
  private readonly buckets = new Map<string, Bucket>()

  constructor(
    private readonly perMinute: number,
    private readonly burst: number,
    private readonly now: () => number = Date.now,
  ) {}

  take(customer: string): boolean {
    const bucket = this.fill(customer)
    if (bucket.tokens < 1) {
      return false
    }
    bucket.tokens -= 1
    return true
  }

  retryAfter(customer: string): number {
    const bucket = this.fill(customer)
    return bucket.tokens >= 1 ? 0 : Math.ceil(((1 - bucket.tokens) * 60) / this.perMinute)
  }

  private fill(customer: string): Bucket {
    const now = this.now()
    const bucket = this.buckets.get(customer) ?? { tokens: this.burst, filled: now }
    const gained = ((now - bucket.filled) / 60_000) * this.perMinute
    bucket.tokens = Math.min(this.burst, bucket.tokens + gained)
    bucket.filled = now
    this.buckets.set(customer, bucket)
    return bucket
  }
}
