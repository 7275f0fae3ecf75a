export interface Address {
  readonly name: string
  readonly company?: string
  readonly lines: readonly string[]
  readonly postcode: string
  readonly city: string
  readonly country: string
  readonly phone?: string
}

export interface Problem {
  readonly field: keyof Address
  readonly message: string
}

const postcodes: Record<string, RegExp> = {
  AT: /^\d{4}$/,
  BE: /^\d{4}$/,
  CH: /^\d{4}$/,
  DE: /^\d{5}$/,
  ES: /^\d{5}$/,
  FR: /^\d{5}$/,
  GB: /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/,
  IE: /^[A-Z]\d[\dW] ?[A-Z\d]{4}$/,
  NL: /^\d{4} ?[A-Z]{2}$/,
  SE: /^\d{3} ?\d{2}$/,
  US: /^\d{5}(-\d{4})?$/,
}

/** Returns what is wrong with an address, nothing for one that can be used. */
export function check(address: Address): Problem[] {
  const problems: Problem[] = []
  if (address.name.trim() === "") {
    problems.push({ field: "name", message: "is missing" })
  }
  if (address.lines.length === 0 || address.lines.length > 3) {
    problems.push({ field: "lines", message: "must have 1 to 3 lines" })
  }
  const form = postcodes[address.country]
  if (form !== undefined && !form.test(address.postcode.toUpperCase())) {
    problems.push({ field: "postcode", message: `is none of ${address.country}` })
  }
  return problems
}

export function normalise(address: Address): Address {
  return {
    ...address,
    name: address.name.trim(),
    lines: address.lines.map((line) => line.trim()).filter((line) => line !== ""),
    postcode: address.postcode.trim().toUpperCase(),
    city: address.city.trim(),
    country: address.country.toUpperCase(),
  }
}

export function oneLine(address: Address): string {
  const parts = [address.name, address.company, ...address.lines, `${address.postcode} ${address.city}`, address.country]
  return parts.filter((part) => part !== undefined && part !== "").join(", ")
}

export function sameCountry(a: Address, b: Address): boolean {
  return a.country.toUpperCase() === b.country.toUpperCase()
}
