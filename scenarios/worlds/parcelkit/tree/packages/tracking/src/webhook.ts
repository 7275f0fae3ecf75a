import { createHmac, timingSafeEqual } from "node:crypto"
import type { TrackingEvent } from "./events.js"

export interface Subscription {
  readonly url: string
  readonly secret: string
  readonly statuses: readonly string[]
}

export function signature(secret: string, body: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`
}

export function verified(secret: string, body: string, given: string): boolean {
  const wanted = Buffer.from(signature(secret, body))
  const received = Buffer.from(given)
  return wanted.length === received.length && timingSafeEqual(wanted, received)
}

export function wants(subscription: Subscription, event: TrackingEvent): boolean {
  return subscription.statuses.length === 0 || subscription.statuses.includes(event.status)
}

export interface Delivery {
  readonly url: string
  readonly body: string
  readonly headers: Record<string, string>
}

export function deliveries(subscriptions: readonly Subscription[], event: TrackingEvent): Delivery[] {
  const body = JSON.stringify(event)
  return subscriptions
    .filter((subscription) => wants(subscription, event))
    .map((subscription) => ({
      url: subscription.url,
      body,
      headers: { "content-type": "application/json", "x-parcelkit-signature": signature(subscription.secret, body) },
    }))
}
