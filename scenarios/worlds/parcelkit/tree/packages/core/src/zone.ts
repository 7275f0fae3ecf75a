import type { Address } from "./address.js"

/** How far a parcel goes, from 1 (the same country) to 5. */
export type Zone = 1 | 2 | 3 | 4 | 5

export interface Country {
  readonly name: string
  readonly zone: Zone
  readonly customs: boolean
  readonly islands?: readonly string[]
}

const region1: Record<string, Country> = {
  AL: {
    name: "Albania",
    zone: 3,
    customs: true,
  },
  AD: {
    name: "Andorra",
    zone: 3,
    customs: true,
  },
  AT: {
    name: "Austria",
    zone: 3,
    customs: false,
  },
  BY: {
    name: "Belarus",
    zone: 5,
    customs: true,
  },
  BE: {
    name: "Belgium",
    zone: 5,
    customs: false,
  },
  BA: {
    name: "Bosnia and Herzegovina",
    zone: 5,
    customs: true,
  },
  BG: {
    name: "Bulgaria",
    zone: 3,
    customs: false,
  },
  HR: {
    name: "Croatia",
    zone: 4,
    customs: false,
  },
  CY: {
    name: "Cyprus",
    zone: 2,
    customs: false,
  },
  CZ: {
    name: "Czechia",
    zone: 3,
    customs: false,
  },
  DK: {
    name: "Denmark",
    zone: 5,
    customs: false,
  },
}

const region2: Record<string, Country> = {
  EE: {
    name: "Estonia",
    zone: 4,
    customs: false,
  },
  FI: {
    name: "Finland",
    zone: 5,
    customs: false,
  },
  FR: {
    name: "France",
    zone: 2,
    customs: false,
    islands: ["20", "97"],
  },
  DE: {
    name: "Germany",
    zone: 3,
    customs: false,
  },
  GR: {
    name: "Greece",
    zone: 3,
    customs: false,
    islands: ["84", "85"],
  },
  HU: {
    name: "Hungary",
    zone: 3,
    customs: false,
  },
  IS: {
    name: "Iceland",
    zone: 2,
    customs: true,
  },
  IE: {
    name: "Ireland",
    zone: 4,
    customs: false,
  },
  IT: {
    name: "Italy",
    zone: 3,
    customs: false,
    islands: ["09"],
  },
  LV: {
    name: "Latvia",
    zone: 4,
    customs: false,
  },
  LI: {
    name: "Liechtenstein",
    zone: 3,
    customs: true,
  },
}

const region3: Record<string, Country> = {
  LT: {
    name: "Lithuania",
    zone: 2,
    customs: false,
  },
  LU: {
    name: "Luxembourg",
    zone: 3,
    customs: false,
  },
  MT: {
    name: "Malta",
    zone: 3,
    customs: false,
  },
  MD: {
    name: "Moldova",
    zone: 3,
    customs: true,
  },
  MC: {
    name: "Monaco",
    zone: 2,
    customs: false,
  },
  ME: {
    name: "Montenegro",
    zone: 4,
    customs: true,
  },
  NL: {
    name: "Netherlands",
    zone: 4,
    customs: false,
  },
  MK: {
    name: "North Macedonia",
    zone: 2,
    customs: true,
  },
  NO: {
    name: "Norway",
    zone: 3,
    customs: true,
  },
  PL: {
    name: "Poland",
    zone: 2,
    customs: false,
  },
  PT: {
    name: "Portugal",
    zone: 2,
    customs: false,
    islands: ["90", "95"],
  },
}

const region4: Record<string, Country> = {
  RO: {
    name: "Romania",
    zone: 3,
    customs: false,
  },
  SM: {
    name: "San Marino",
    zone: 2,
    customs: true,
  },
  RS: {
    name: "Serbia",
    zone: 3,
    customs: true,
  },
  SK: {
    name: "Slovakia",
    zone: 4,
    customs: false,
  },
  SI: {
    name: "Slovenia",
    zone: 2,
    customs: false,
  },
  ES: {
    name: "Spain",
    zone: 2,
    customs: false,
    islands: ["07", "35", "38", "51", "52"],
  },
  SE: {
    name: "Sweden",
    zone: 2,
    customs: false,
  },
  CH: {
    name: "Switzerland",
    zone: 5,
    customs: true,
  },
  TR: {
    name: "Türkiye",
    zone: 4,
    customs: true,
  },
  UA: {
    name: "Ukraine",
    zone: 4,
    customs: true,
  },
  GB: {
    name: "United Kingdom",
    zone: 3,
    customs: true,
    islands: ["BT", "GY", "IM", "JE", "ZE"],
  },
}

const countries: Record<string, Country> = { ...region1, ...region2, ...region3, ...region4 }

export function countryOf(code: string): Country | undefined {
  return countries[code.toUpperCase()]
}

/** The zone of a route; undefined where nobody delivers. */
export function zoneOf(from: Address, to: Address): Zone | undefined {
  if (from.country === to.country) {
    return 1
  }
  return countryOf(to.country)?.zone
}

/** Whether a postcode is on an island that costs more to reach. */
export function remote(address: Address): boolean {
  const islands = countryOf(address.country)?.islands ?? []
  return islands.some((prefix) => address.postcode.startsWith(prefix))
}

export function needsCustoms(from: Address, to: Address): boolean {
  if (from.country === to.country) {
    return false
  }
  return (countryOf(from.country)?.customs ?? true) || (countryOf(to.country)?.customs ?? true)
}
