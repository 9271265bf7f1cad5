/**
 * What a refusal of exchange B says about the payment that it refuses (EXCHANGEB-27), by the numbers that the exchange
 * documents. Pure.
 *
 * `hopeless`: the exchange never takes this payment, whenever and however it is signed: its amount, its recipient, or a
 * pool's rules. `stale`: it takes it once it is signed anew, with another fee. Undefined for every other refusal: that of
 * this endpoint alone, or one that passes.
 */
export type Refusal = "hopeless" | "stale"

const HOPELESS = [
  /** The recipient. */
  21_106,
  /** Too little, or too much. */
  21_118,
  21_119,
  /** The kind of an account, or a route between its balances. */
  21_123,
  21_124,
  /** The recipient's balance would be too large. */
  21_302
]

/** The rules of pools. */
const POOLS = { from: 21_200, to: 21_299 }

const FEE = 21_134

export const refusalOf = (code: number): Refusal | undefined => {
  if (code === FEE) return "stale"
  return HOPELESS.includes(code) || (code >= POOLS.from && code <= POOLS.to) ? "hopeless" : undefined
}
