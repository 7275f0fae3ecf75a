import { compare, type Money } from "@parcelkit/core/money"
import { chargeable } from "@parcelkit/core/weight"
import { zoneOf } from "@parcelkit/core/zone"
import { fail, ok, type Result } from "@parcelkit/core/result"
import { applied, total, type Shipment, type Surcharge } from "./surcharge.js"
import { lookup, type Table } from "./table.js"

export interface Service {
  readonly carrier: string
  readonly table: Table
  readonly divisor: number
  readonly surcharges: readonly Surcharge[]
  readonly days: readonly [number, number]
}

export interface Offer {
  readonly carrier: string
  readonly service: string
  readonly base: Money
  readonly surcharges: readonly { name: string; amount: Money }[]
  readonly price: Money
  readonly days: readonly [number, number]
}

/** What one service asks for a shipment. */
export function offer(service: Service, shipment: Shipment): Result<Offer> {
  const zone = zoneOf(shipment.from, shipment.to)
  if (zone === undefined) {
    return fail("PK1104", `${service.carrier} does not deliver to ${shipment.to.country}`)
  }
  const weight = chargeable(shipment.weight, shipment.size, service.divisor)
  const base = lookup(service.table, weight, zone)
  if (base === undefined) {
    return fail("PK1002", `${weight} g are too heavy for ${service.carrier} ${service.table.service}`)
  }
  const surcharges = applied(service.surcharges, base, shipment)
  return ok({
    carrier: service.carrier,
    service: service.table.service,
    base,
    surcharges,
    price: total(base, surcharges),
    days: service.days,
  })
}

/** All offers that can be had, the cheapest first. */
export function quote(services: readonly Service[], shipment: Shipment): Offer[] {
  const offers: Offer[] = []
  for (const service of services) {
    const result = offer(service, shipment)
    if (result.ok) {
      offers.push(result.value)
    }
  }
  return offers.sort((a, b) => compare(a.price, b.price))
}

export function cheapest(offers: readonly Offer[]): Offer | undefined {
  return offers[0]
}

export function fastest(offers: readonly Offer[]): Offer | undefined {
  return [...offers].sort((a, b) => a.days[1] - b.days[1] || compare(a.price, b.price))[0]
}
