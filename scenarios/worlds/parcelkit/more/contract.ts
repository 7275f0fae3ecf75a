import type { Tier } from "./discount.js"

export type ContractId = string

export interface Contract {
  readonly id: ContractId
  readonly customer: string
  readonly tiers: readonly Tier[]
}

const cache = new Map<ContractId, Contract>()

/** Reads a contract from the file that sales keeps. */
export function load(text: string): Contract {
  const given = JSON.parse(text) as Partial<Contract>
  if (given.id === undefined || given.customer === undefined) {
    throw new SyntaxError("a contract needs an id and a customer")
  }
  const tiers = [...(given.tiers ?? [])]
  tiers.sort((a, b) => a.parcels - b.parcels)
  const contract = { id: given.id, customer: given.customer, tiers }
  cache.set(contract.id, contract)
  return contract
}

export function contractOf(id: ContractId): Contract | undefined {
  return cache.get(id)
}
