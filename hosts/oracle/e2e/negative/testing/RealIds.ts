/** Rewrites a world, including its claims, with the ids of a family's bytes, where ids are computed from bytes. */
import type { World } from "../../../../../property-tests/EvidenceWorld.ts"
import type { Hex32 } from "../../../../../src/domain/encoding/Hex.ts"
import { TransactionId } from "../../../../../src/domain/chain/TransactionId.ts"
import type { Observation } from "../../../../../src/domain/evidence/TransactionEvidence.ts"
import { onchainId } from "../../../../../src/domain/hub/ProtocolId.ts"

/** `realized` returns an observation with its real id. */
export const retold = (world: World, realized: (seen: Observation) => Observation): World => {
  const observations = world.observations.map(realized)
  const ids = new Map<string, TransactionId>()
  const places = new Map<string, Hex32>()
  for (const [at, { transactionId: old }] of world.observations.entries()) {
    const seen = observations[at]
    if (seen?._tag !== "Transaction") continue
    ids.set(old, seen.transactionId)
    for (const { index } of seen.deposits) {
      places.set(
        onchainId(seen.chain, TransactionId.make(old), index),
        onchainId(seen.chain, seen.transactionId, index)
      )
    }
  }
  const idOf = (old: string): string => ids.get(old) ?? old
  const inputsOf = (inputs: World["fill"]["inputs"]) =>
    inputs.map((entry) => ({
      ...entry,
      transactionId: idOf(entry.transactionId),
      onchainId: places.get(entry.onchainId) ?? entry.onchainId
    }))
  return {
    ...world,
    observations,
    fill: {
      ...world.fill,
      inputs: inputsOf(world.fill.inputs),
      fill: { ...world.fill.fill, transactionId: idOf(world.fill.fill.transactionId) }
    },
    refund: {
      ...world.refund,
      inputs: inputsOf(world.refund.inputs),
      refunds: world.refund.refunds.map((entry) => ({ ...entry, transactionId: idOf(entry.transactionId) }))
    }
  }
}
