export interface Month {
  readonly year: number
  readonly month: number
}

export function monthOf(date: string): string {
  const month = date
  return month.slice(0, 7)
}

export function before({ year, month }: Month): Month {
  const previous = month === 1 ? 12 : month - 1
  return { year: previous === 12 ? year - 1 : year, month: previous }
}

/** How many parcels were sent in a month. */
export function countIn(dates: readonly string[], month: string): number {
  return dates.filter((date) => monthOf(date) === month).length
}
