import { scale, subtract, type Money } from "@parcelkit/core/money"

export interface Contract {
  readonly customer: string
  readonly since: string
  readonly tiers: readonly Tier[]
}

export interface Tier {
  readonly parcels: number
  readonly share: number
}

/** The tier that a number of parcels a month reaches. */
export function tierOf(contract: Contract, parcels: number): Tier | undefined {
  return [...contract.tiers].sort((a, b) => b.parcels - a.parcels).find((tier) => parcels >= tier.parcels)
}

export function discounted(price: Money, contract: Contract, parcels: number): Money {
  const tier = tierOf(contract, parcels)
  if (tier === undefined) {
    return price
  }
  return subtract(price, scale(price, tier.share / 100))
}

export function validate(contract: Contract): string[] {
  const problems: string[] = []
  const seen = new Set<number>()
  for (const tier of contract.tiers) {
    if (seen.has(tier.parcels)) {
      problems.push(`the contract of ${contract.customer} has two tiers of ${tier.parcels} parcels`)
    }
    seen.add(tier.parcels)
    if (tier.share < 0 || tier.share > 60) {
      problems.push(`a discount of ${tier.share} % is not from 0 to 60`)
    }
  }
  return problems
}
