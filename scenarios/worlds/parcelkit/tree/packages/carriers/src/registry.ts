import type { Service } from "@parcelkit/rates/quote"
import { harborline } from "./harborline.js"
import { swiftpost } from "./swiftpost.js"
import { meridian } from "./meridian.js"
import { oxcart } from "./oxcart.js"
import { brightwing } from "./brightwing.js"
import { polaris } from "./polaris.js"

const services: readonly Service[] = [harborline, swiftpost, meridian, oxcart, brightwing, polaris]

export function all(): readonly Service[] {
  return services
}

export function byName(carrier: string): Service | undefined {
  return services.find((service) => service.carrier === carrier)
}

/** The services of the carriers that a customer has a contract with. */
export function contracted(carriers: readonly string[]): Service[] {
  return services.filter((service) => carriers.includes(service.carrier))
}
