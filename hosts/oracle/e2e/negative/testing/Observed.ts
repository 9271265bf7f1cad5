/**
 * What the facts of several families need: what of a world an endpoint shows, and endpoints that are observed alone.
 */
import { Effect, Redacted, Result } from "effect"
import { observedEndpoints } from "../../../../../adapters/quorum/Endpoints.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import type { VmFamily } from "../../../../../src/domain/chain/VmFamily.ts"
import type { Observation, TransactionEvidence } from "../../../../../src/domain/evidence/TransactionEvidence.ts"
import type { WithdrawalEvidence } from "../../../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"

/** What is shown before anything is. */
export const noObservations: ReadonlyArray<Observation> = []

/** A claimed transaction that did not execute the withdrawal did something else. */
export interface ShownWithdrawal {
  readonly evidence: WithdrawalEvidence
  readonly claimed: string | undefined
}
export const noWithdrawal: ShownWithdrawal | undefined = undefined

/** The chains of a family. */
export const chainsOf = (all: ReadonlyArray<Chain>, name: VmFamily): ReadonlyArray<Chain> =>
  all.filter(({ family }) => family.name === name)

/** The transactions that are shown of a chain. */
export const transactionsOn = (
  { slug }: Chain,
  shown: ReadonlyArray<Observation>
): ReadonlyArray<TransactionEvidence> =>
  shown.flatMap((seen) => seen._tag === "Transaction" && seen.chain === slug ? [seen] : [])

/** One endpoint for each chain, which is believed. */
export const observedAt = (chains: ReadonlyArray<Chain>, urlOf: (chain: Chain) => string) =>
  new Map(chains.map((chain) => [chain.id, Result.getOrThrow(observedEndpoints([Redacted.make(urlOf(chain))]))]))

/** An observer over endpoints that show what was last given to `show`, and nothing else; `nothing` until then. */
export const showing = <Shown, A, E, R>(
  nothing: Shown,
  observe: (shown: () => Shown) => Effect.Effect<A, E, R>
): Effect.Effect<{ readonly observer: A; readonly show: (next: Shown) => void }, E, R> =>
  Effect.suspend(() => {
    let shown = nothing
    return Effect.map(observe(() => shown), (observer) => ({
      observer,
      show: (next: Shown) => {
        shown = next
      }
    }))
  })
