/** Code 128, set C: pairs of digits. */
const patterns: readonly string[] = [
  "212222", "222122", "222221", "121223", "121322", "131222", "122213", "122312", "132212", "221213",
  "221312", "231212", "112232", "122132", "122231", "113222", "123122", "123221", "223211", "221132",
  "221231", "213212", "223112", "312131", "311222", "321122", "321221", "312212", "322112", "322211",
]

const startC = 105
const stop = "2331112"

export function checksum(values: readonly number[]): number {
  return values.reduce((sum, value, i) => sum + value * (i + 1), startC) % 103
}

export function pairs(digits: string): number[] {
  if (!/^(\d\d)+$/.test(digits)) {
    throw new SyntaxError(`${digits} has no even number of digits`)
  }
  return (digits.match(/\d\d/g) ?? []).map(Number)
}

/** The widths of bars and gaps, from the left. */
export function widths(digits: string): string {
  const values = pairs(digits)
  const all = [...values, checksum(values)]
  return all.map((value) => patterns[value % patterns.length]).join("") + stop
}

/** The check digit of a parcel number, modulo 10 with weights 3 and 1. */
export function checkDigit(digits: string): number {
  const sum = [...digits].reverse().reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 3 : 1), 0)
  return (10 - (sum % 10)) % 10
}
