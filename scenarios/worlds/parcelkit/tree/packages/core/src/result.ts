/** What may go wrong without being anybody's mistake. */
export type Result<T, E = Failure> = { ok: true; value: T } | { ok: false; error: E }

export interface Failure {
  readonly code: Code
  readonly message: string
  readonly retryable: boolean
}

export type Code = "PK1001" | "PK1002" | "PK1104" | "PK2003" | "PK2207" | "PK3001" | "PK3110" | "PK4005"

export function ok<T>(value: T): Result<T, never> {
  return { ok: true, value }
}

export function fail(code: Code, message: string, retryable = false): Result<never> {
  return { ok: false, error: { code, message, retryable } }
}

export function map<T, U, E>(result: Result<T, E>, change: (value: T) => U): Result<U, E> {
  return result.ok ? { ok: true, value: change(result.value) } : result
}

export function all<T, E>(results: readonly Result<T, E>[]): Result<T[], E> {
  const values: T[] = []
  for (const result of results) {
    if (!result.ok) {
      return result
    }
    values.push(result.value)
  }
  return { ok: true, value: values }
}

export function unwrap<T>(result: Result<T>): T {
  if (!result.ok) {
    throw new Error(`${result.error.code}: ${result.error.message}`)
  }
  return result.value
}
