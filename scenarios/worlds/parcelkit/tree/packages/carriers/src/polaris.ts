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
    { upTo: grams(500), prices: { 1: 640, 2: 819, 3: 998, 4: 1177, 5: 1356 } },
    { upTo: grams(1000), prices: { 1: 763, 2: 976, 3: 1190, 4: 1403, 5: 1617 } },
    { upTo: grams(2000), prices: { 1: 886, 2: 1134, 3: 1382, 4: 1630, 5: 1878 } },
    { upTo: grams(3000), prices: { 1: 1009, 2: 1291, 3: 1574, 4: 1856, 5: 2139 } },
    { upTo: grams(5000), prices: { 1: 1132, 2: 1448, 3: 1765, 4: 2082, 5: 2399 } },
    { upTo: grams(10000), prices: { 1: 1255, 2: 1606, 3: 1957, 4: 2309, 5: 2660 } },
    { upTo: grams(15000), prices: { 1: 1378, 2: 1763, 3: 2149, 4: 2535, 5: 2921 } },
    { upTo: grams(20000), prices: { 1: 1501, 2: 1921, 3: 2341, 4: 2761, 5: 3182 } },
    { upTo: grams(25000), prices: { 1: 1624, 2: 2078, 3: 2533, 4: 2988, 5: 3442 } },
    { upTo: grams(31500), prices: { 1: 1747, 2: 2236, 3: 2725, 4: 3214, 5: 3703 } },
  ],
}

/** Polaris Nord, parcels of up to 31.5 kg. */
export const polaris: Service = {
  carrier: "polaris",
  table,
  divisor: 5500,
  surcharges: [
    percent("fuel", 8.5),
    flat("oversize", money(1650, "EUR"), isOversize),
    flat("remote area", money(570, "EUR"), isRemote),
  ],
  days: [2, 5],
}

const endpoint = "https://api.polaris.example/v3"

export function bodyPolaris(shipment: Shipment, reference: string): unknown {
  return {
    ref: reference,
    weight_g: shipment.weight,
    dims_mm: [shipment.size.length, shipment.size.width, shipment.size.height],
    sender: { name: shipment.from.name, zip: shipment.from.postcode, country: shipment.from.country },
    recipient: { name: shipment.to.name, zip: shipment.to.postcode, country: shipment.to.country },
    value_minor: shipment.insured?.minor ?? 0,
  }
}

export async function labelPolaris(shipment: Shipment, reference: string, credentials: Credentials): Promise<Result<Label>> {
  const answer = await request(`${endpoint}/labels`, credentials, bodyPolaris(shipment, reference))
  if (answer.status === 422) {
    return fail("PK2003", `Polaris Nord refuses the shipment: ${answer.text}`)
  }
  if (answer.status >= 500) {
    return fail("PK3001", `Polaris Nord answers ${answer.status}`, true)
  }
  return ok({ number: answer.json.parcel_number, document: answer.json.document, format: "pdf" })
}

export async function cancelPolaris(number: string, credentials: Credentials): Promise<Result<void>> {
  const answer = await request(`${endpoint}/labels/${number}/void`, credentials)
  if (answer.status === 404) {
    return fail("PK2207", `Polaris Nord does not know the parcel ${number}`)
  }
  return ok(undefined)
}
