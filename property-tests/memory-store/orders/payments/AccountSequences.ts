/** The sequences of paying accounts, each taken once. */
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../../src/domain/chain/ChainId.ts"
import { keyOf } from "../../Tables.ts"
import type { Tables } from "../../Tables.ts"

/** The next sequence of an account: what we counted, unless the chain is further. */
export const nextSequence = (
  { sequences }: Tables,
  chainId: ChainId,
  account: Address,
  chainSequence: bigint
): bigint => {
  const key = keyOf(chainId, account)
  const counted = sequences.get(key)
  if (counted === undefined) sequences.add(key, { chainId, account, first: chainSequence, next: chainSequence })
  return counted === undefined || counted.next < chainSequence ? chainSequence : counted.next
}

export const takeSequence = ({ sequences }: Tables, chainId: ChainId, account: Address, sequence: bigint): void => {
  sequences.change(keyOf(chainId, account), (row) => ({ ...row, next: sequence + 1n }))
}
