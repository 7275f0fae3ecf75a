/** The fuel index of a month, and what it adds to a price in percent. */
export interface FuelStep {
  readonly from: number
  readonly share: number
}

const steps: readonly FuelStep[] = [
  { from: 0, share: 4 },
  { from: 95, share: 6.5 },
  { from: 110, share: 9 },
  { from: 125, share: 12.5 },
  { from: 140, share: 16 },
]

export function fuelShare(index: number): number {
  let share = 0
  for (const step of steps) {
    if (index >= step.from) {
      share = step.share
    }
  }
  return share
}

const indexes: Record<string, number> = {
  "2025-01": 112,
  "2025-02": 114,
  "2025-03": 109,
  "2025-04": 107,
  "2025-05": 104,
  "2025-06": 111,
  "2025-07": 118,
  "2025-08": 121,
}

/** The index of a month, or else of the last one that is known. */
export function indexOf(month: string): number {
  const known = Object.keys(indexes).sort()
  const usable = known.filter((candidate) => candidate <= month).at(-1) ?? known[0]
  return indexes[usable as string] as number
}
