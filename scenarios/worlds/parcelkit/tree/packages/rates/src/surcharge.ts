import { add, scale, type Money } from "@parcelkit/core/money"
import { girth, type Grams, type Size } from "@parcelkit/core/weight"
import { remote } from "@parcelkit/core/zone"
import type { Address } from "@parcelkit/core/address"

export interface Shipment {
  readonly weight: Grams
  readonly size: Size
  readonly from: Address
  readonly to: Address
  readonly insured?: Money
}

export interface Surcharge {
  readonly name: string
  readonly applies: (shipment: Shipment) => boolean
  readonly amount: (base: Money, shipment: Shipment) => Money
}

export function percent(name: string, share: number, applies: Surcharge["applies"] = () => true): Surcharge {
  return { name, applies, amount: (base) => scale(base, share / 100) }
}

export function flat(name: string, price: Money, applies: Surcharge["applies"] = () => true): Surcharge {
  return { name, applies, amount: () => price }
}

const maxLength = 1200
const maxGirth = 3000

export function isOversize(shipment: Shipment): boolean {
  const longest = Math.max(shipment.size.length, shipment.size.width, shipment.size.height)
  return longest > maxLength || longest + girth(shipment.size) > maxGirth
}

export function isRemote(shipment: Shipment): boolean {
  return remote(shipment.from) || remote(shipment.to)
}

export function isInsured(shipment: Shipment): boolean {
  return shipment.insured !== undefined && shipment.insured.minor > 0
}

/** The surcharges that apply, each with its amount, in the order of the list. */
export function applied(list: readonly Surcharge[], base: Money, shipment: Shipment): { name: string; amount: Money }[] {
  return list
    .filter((surcharge) => surcharge.applies(shipment))
    .map((surcharge) => ({ name: surcharge.name, amount: surcharge.amount(base, shipment) }))
}

export function total(base: Money, surcharges: readonly { amount: Money }[]): Money {
  return surcharges.reduce((sum, surcharge) => add(sum, surcharge.amount), base)
}
