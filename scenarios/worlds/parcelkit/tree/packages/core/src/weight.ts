/** A weight in grams. */
export type Grams = number & { readonly unit: "g" }

export function grams(value: number): Grams {
  if (!(value >= 0) || !Number.isFinite(value)) {
    throw new RangeError(`a weight is a number from 0, not ${value}`)
  }
  return Math.round(value) as Grams
}

export function fromPounds(pounds: number): Grams {
  return grams(pounds * 453.59237)
}

export function fromOunces(ounces: number): Grams {
  return grams(ounces * 28.349523125)
}

/** The size of a parcel in millimetres. */
export interface Size {
  readonly length: number
  readonly width: number
  readonly height: number
}

/** What carriers charge a bulky parcel for: its volume over a divisor. */
export function volumetric(size: Size, divisor = 5000): Grams {
  const cubicCentimetres = (size.length / 10) * (size.width / 10) * (size.height / 10)
  return grams((cubicCentimetres / divisor) * 1000)
}

export function chargeable(actual: Grams, size: Size, divisor?: number): Grams {
  return Math.max(actual, volumetric(size, divisor)) as Grams
}

/** The girth by which some carriers tell oversize parcels. */
export function girth(size: Size): number {
  const [shortest, middle] = [size.length, size.width, size.height].sort((a, b) => a - b) as [number, number, number]
  return 2 * (shortest + middle)
}

export function nextStep(weight: Grams, step: Grams): Grams {
  return grams(Math.ceil(weight / step) * step)
}
