import { money } from "@parcelkit/core/money"
import { grams } from "@parcelkit/core/weight"
import { fail, ok, type Result } from "@parcelkit/core/result"
import { flat, isOversize, isRemote, percent, type Shipment } from "@parcelkit/rates/surcharge"
import type { Service } from "@parcelkit/rates/quote"
import type { Table } from "@parcelkit/rates/table"
import { request, type Credentials, type Label } from "./client.js"

const table: Table = {
  service: "standard",
  currency: "EUR",
  rows: [
    { upTo: grams(500), prices: { 1: 480, 2: 614, 3: 748, 4: 883, 5: 1017 } },
    { upTo: grams(1000), prices: { 1: 625, 2: 800, 3: 975, 4: 1150, 5: 1325 } },
    { upTo: grams(2000), prices: { 1: 770, 2: 985, 3: 1201, 4: 1416, 5: 1632 } },
    { upTo: grams(3000), prices: { 1: 915, 2: 1171, 3: 1427, 4: 1683, 5: 1939 } },
    { upTo: grams(5000), prices: { 1: 1060, 2: 1356, 3: 1653, 4: 1950, 5: 2247 } },
    { upTo: grams(10000), prices: { 1: 1205, 2: 1542, 3: 1879, 4: 2217, 5: 2554 } },
    { upTo: grams(15000), prices: { 1: 1350, 2: 1728, 3: 2106, 4: 2484, 5: 2862 } },
    { upTo: grams(20000), prices: { 1: 1495, 2: 1913, 3: 2332, 4: 2750, 5: 3169 } },
    { upTo: grams(25000), prices: { 1: 1640, 2: 2099, 3: 2558, 4: 3017, 5: 3476 } },
    { upTo: grams(31500), prices: { 1: 1785, 2: 2284, 3: 2784, 4: 3284, 5: 3784 } },
  ],
}

/** Meridian Freight, parcels of up to 31.5 kg. */
export const meridian: Service = {
  carrier: "meridian",
  table,
  divisor: 4000,
  surcharges: [
    percent("fuel", 11.5),
    flat("oversize", money(1950, "EUR"), isOversize),
    flat("remote area", money(650, "EUR"), isRemote),
  ],
  days: [3, 6],
}

const endpoint = "https://api.meridian.example/v5"

export function bodyMeridian(shipment: Shipment, reference: string): unknown {
  return {
    ref: reference,
    weight_g: shipment.weight,
    dims_mm: [shipment.size.length, shipment.size.width, shipment.size.height],
    sender: { name: shipment.from.name, zip: shipment.from.postcode, country: shipment.from.country },
    recipient: { name: shipment.to.name, zip: shipment.to.postcode, country: shipment.to.country },
    value_minor: shipment.insured?.minor ?? 0,
  }
}

export async function labelMeridian(shipment: Shipment, reference: string, credentials: Credentials): Promise<Result<Label>> {
  const answer = await request(`${endpoint}/labels`, credentials, bodyMeridian(shipment, reference))
  if (answer.status === 422) {
    return fail("PK2003", `Meridian Freight refuses the shipment: ${answer.text}`)
  }
  if (answer.status >= 500) {
    return fail("PK3001", `Meridian Freight answers ${answer.status}`, true)
  }
  return ok({ number: answer.json.parcel_number, document: answer.json.document, format: "pdf" })
}

export async function cancelMeridian(number: string, credentials: Credentials): Promise<Result<void>> {
  const answer = await request(`${endpoint}/labels/${number}/void`, credentials)
  if (answer.status === 404) {
    return fail("PK2207", `Meridian Freight does not know the parcel ${number}`)
  }
  return ok(undefined)
}
