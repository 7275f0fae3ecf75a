export type Status = "announced" | "collected" | "in_transit" | "out_for_delivery" | "delivered" | "returned" | "exception"

export interface TrackingEvent {
  readonly parcel: string
  readonly status: Status
  readonly at: string
  readonly place?: string
  readonly note?: string
}

const order: readonly Status[] = ["announced", "collected", "in_transit", "out_for_delivery", "delivered"]

export function isFinal(status: Status): boolean {
  return status === "delivered" || status === "returned"
}

/** Events in order of their time; equal ones in the order of a parcel's way. */
export function sorted(events: readonly TrackingEvent[]): TrackingEvent[] {
  return [...events].sort((a, b) => a.at.localeCompare(b.at) || order.indexOf(a.status) - order.indexOf(b.status))
}

export function current(events: readonly TrackingEvent[]): Status | undefined {
  return sorted(events).at(-1)?.status
}

/** Leaves out what says the same of a parcel at the same time twice. */
export function distinct(events: readonly TrackingEvent[]): TrackingEvent[] {
  const seen = new Set<string>()
  return events.filter((event) => {
    const key = `${event.parcel}|${event.status}|${event.at}`
    if (seen.has(key)) {
      return false
    }
    seen.add(key)
    return true
  })
}

export function since(events: readonly TrackingEvent[], time: string): TrackingEvent[] {
  return events.filter((event) => event.at > time)
}
