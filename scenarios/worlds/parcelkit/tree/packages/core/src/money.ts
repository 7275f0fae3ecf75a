/** An amount in the smallest unit of its currency. */
export interface Money {
  readonly minor: number
  readonly currency: Currency
}

export type Currency = "EUR" | "GBP" | "USD" | "SEK" | "JPY"

const decimals: Record<Currency, number> = { EUR: 2, GBP: 2, USD: 2, SEK: 2, JPY: 0 }

export function money(minor: number, currency: Currency): Money {
  if (!Number.isSafeInteger(minor)) {
    throw new RangeError(`an amount is a whole number of minor units, not ${minor}`)
  }
  return { minor, currency }
}

export function add(a: Money, b: Money): Money {
  sameCurrency(a, b)
  return money(a.minor + b.minor, a.currency)
}

export function subtract(a: Money, b: Money): Money {
  sameCurrency(a, b)
  return money(a.minor - b.minor, a.currency)
}

export function scale(a: Money, factor: number): Money {
  return money(roundHalfEven(a.minor * factor), a.currency)
}

export function compare(a: Money, b: Money): number {
  sameCurrency(a, b)
  return a.minor - b.minor
}

/** Rounds to the nearest whole number; halves go to the even one. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) {
    return Math.round(value)
  }
  return floor % 2 === 0 ? floor : floor + 1
}

export function format(a: Money, locale = "en"): string {
  const digits = decimals[a.currency]
  return new Intl.NumberFormat(locale, {
    style: "currency",
    currency: a.currency,
    minimumFractionDigits: digits,
  }).format(a.minor / 10 ** digits)
}

export function parse(text: string, currency: Currency): Money {
  const match = /^(-?)(\d+)(?:[.,](\d+))?$/.exec(text.trim())
  if (match === null) {
    throw new SyntaxError(`${JSON.stringify(text)} is no amount`)
  }
  const [, sign, whole, fraction = ""] = match
  const digits = decimals[currency]
  if (fraction.length > digits) {
    throw new RangeError(`${currency} has ${digits} decimals, ${text} has more`)
  }
  const minor = Number(whole) * 10 ** digits + Number(fraction.padEnd(digits, "0") || 0)
  return money(sign === "-" ? -minor : minor, currency)
}

function sameCurrency(a: Money, b: Money): void {
  if (a.currency !== b.currency) {
    throw new TypeError(`cannot put ${a.currency} and ${b.currency} together`)
  }
}
