export interface RetryOptions {
  readonly attempts: number
  readonly base: number
  readonly factor: number
  readonly limit: number
  readonly jitter: number
}

export const defaults: RetryOptions = { attempts: 4, base: 200, factor: 2, limit: 8_000, jitter: 0.2 }

/** How long to wait before an attempt, in milliseconds; the first one waits for nothing. */
export function delay(attempt: number, options: RetryOptions = defaults, random = Math.random): number {
  if (attempt <= 1) {
    return 0
  }
  const plain = Math.min(options.limit, options.base * options.factor ** (attempt - 2))
  return Math.round(plain * (1 - options.jitter + 2 * options.jitter * random()))
}

export class GaveUp extends Error {
  constructor(readonly attempts: number, readonly last: unknown) {
    super(`gave up after ${attempts} attempts`)
    this.name = "GaveUp"
  }
}

export async function retry<T>(
  work: (attempt: number) => Promise<T>,
  retryable: (error: unknown) => boolean,
  sleep: (ms: number) => Promise<void>,
  options: RetryOptions = defaults,
): Promise<T> {
  let last: unknown
  for (let attempt = 1; attempt <= options.attempts; attempt++) {
    await sleep(delay(attempt, options))
    try {
      return await work(attempt)
    } catch (error) {
      last = error
      if (!retryable(error)) {
        throw error
      }
    }
  }
  throw new GaveUp(options.attempts, last)
}

export function isNetworkError(error: unknown): boolean {
  const code = (error as { code?: string }).code
  return code === "ECONNRESET" || code === "ETIMEDOUT" || code === "EAI_AGAIN"
}
