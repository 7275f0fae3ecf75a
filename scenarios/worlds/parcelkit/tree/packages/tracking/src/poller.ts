import { isFinal, type Status, type TrackingEvent } from "./events.js"

export interface Parcel {
  readonly number: string
  readonly carrier: string
  readonly status: Status
  readonly lastSeen: number
}

const minute = 60_000

const intervals: Record<Status, number> = {
  announced: 240 * minute,
  collected: 120 * minute,
  in_transit: 60 * minute,
  out_for_delivery: 10 * minute,
  delivered: Number.POSITIVE_INFINITY,
  returned: Number.POSITIVE_INFINITY,
  exception: 30 * minute,
}

export function due(parcel: Parcel, now: number): boolean {
  return !isFinal(parcel.status) && now - parcel.lastSeen >= intervals[parcel.status]
}

/** The parcels to ask about now, those that have waited longest first. */
export function queue(parcels: readonly Parcel[], now: number, most: number): Parcel[] {
  return parcels
    .filter((parcel) => due(parcel, now))
    .sort((a, b) => a.lastSeen - b.lastSeen)
    .slice(0, most)
}

export type Fetch = (carrier: string, numbers: readonly string[]) => Promise<TrackingEvent[]>

export async function poll(parcels: readonly Parcel[], now: number, fetch: Fetch, most = 500): Promise<TrackingEvent[]> {
  const byCarrier = new Map<string, string[]>()
  for (const parcel of queue(parcels, now, most)) {
    byCarrier.set(parcel.carrier, [...(byCarrier.get(parcel.carrier) ?? []), parcel.number])
  }
  const answers = await Promise.allSettled([...byCarrier].map(([carrier, numbers]) => fetch(carrier, numbers)))
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
}
