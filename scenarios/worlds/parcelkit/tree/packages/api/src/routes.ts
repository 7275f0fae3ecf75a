import { check, normalise, type Address } from "@parcelkit/core/address"
import { grams, type Size } from "@parcelkit/core/weight"
import { quote, type Offer } from "@parcelkit/rates/quote"
import { contracted } from "@parcelkit/carriers/registry"
import type { Limiter } from "./limits.js"

export interface Request {
  readonly customer: string
  readonly carriers: readonly string[]
  readonly body: unknown
}

export interface Response {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body: unknown
}

interface QuoteBody {
  readonly from: Address
  readonly to: Address
  readonly weight: number
  readonly size: Size
}

function isQuoteBody(body: unknown): body is QuoteBody {
  const given = body as Partial<QuoteBody> | null
  return typeof given === "object" && given !== null && typeof given.weight === "number" && given.size !== undefined
}

export function postQuotes(request: Request, limiter: Limiter): Response {
  if (!limiter.take(request.customer)) {
    return { status: 429, headers: { "retry-after": String(limiter.retryAfter(request.customer)) }, body: { code: "PK4005" } }
  }
  if (!isQuoteBody(request.body)) {
    return { status: 400, body: { code: "PK1001", message: "from, to, weight and size are needed" } }
  }
  const { from, to, weight, size } = request.body
  const problems = [...check(from), ...check(to)]
  if (problems.length > 0) {
    return { status: 422, body: { code: "PK1001", problems } }
  }
  const shipment = { from: normalise(from), to: normalise(to), weight: grams(weight), size }
  return { status: 200, body: { offers: quote(contracted(request.carriers), shipment).map(shown) } }
}

function shown(offer: Offer): unknown {
  return {
    carrier: offer.carrier,
    service: offer.service,
    price: offer.price,
    surcharges: offer.surcharges,
    days: { least: offer.days[0], most: offer.days[1] },
  }
}

export function getHealth(started: number, now: number): Response {
  return { status: 200, body: { ok: true, uptime: Math.floor((now - started) / 1000) } }
}
