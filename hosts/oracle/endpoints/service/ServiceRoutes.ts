/** The service routes: health, readiness, and the chains that are loaded. */
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AttestationSigner } from "../../../../ports/signing/AttestationSigner.ts"
import { ChainObserver } from "../../../../ports/chain/ChainObserver.ts"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { HubBalances } from "../../../../ports/hub/HubBalances.ts"
import { SettlementHubs } from "../../../../ports/hub/SettlementHubs.ts"
import { WithdrawalObserver } from "../../../../ports/chain/WithdrawalObserver.ts"
import type { Companion, QuorumHealth } from "../../../../ports/chain/ChainObserver.ts"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { describeCompared } from "../../../../src/domain/configuration/Compare.ts"
import { differencesOf } from "../../../../src/domain/configuration/Standing.ts"
import type { Standing } from "../../../../src/domain/configuration/Standing.ts"
import { CheckedConfiguration } from "../../../../src/services/operations/CheckedConfiguration.ts"
import { OracleApi } from "../OracleApi.ts"
import { noteReady } from "../../middleware/ReadyMeter.ts"
import { PeerStanding } from "../../peers/PeerStanding.ts"
import { Shadow } from "../../config/Shadow.ts"

/** An explorer that does not answer counts as available, because only withdrawals need it. */
const isThere = ({ answering, name }: Companion) => answering || name === "explorer"

const shown = (id: string, { answering, hosts, needed, weak }: QuorumHealth) => ({
  id,
  needed,
  endpoints: hosts.length,
  answering: answering.length,
  weak
})

const confirmedBy = (standings: ReadonlyArray<Standing>) => {
  const problems = standings.flatMap(({ entry: { chain }, reading }) =>
    differencesOf(reading).map((compared) => describeCompared(chain.slug, compared))
  )
  const unread = standings.some(({ reading }) => reading._tag === "Unread")
  return {
    configuration: problems.length > 0 ? "contradicted" as const : unread ? "unread" as const : "confirmed" as const,
    problems
  }
}

export const layer = HttpApiBuilder.group(
  OracleApi,
  "service",
  Effect.fn(function*(handlers) {
    const chains = yield* Chains
    const observer = yield* ChainObserver
    const withdrawals = yield* WithdrawalObserver
    const hubs = yield* SettlementHubs
    const balances = yield* HubBalances
    const checked = yield* CheckedConfiguration
    const signer = yield* AttestationSigner
    const { isShadow } = yield* Shadow
    const { standing } = yield* PeerStanding
    const peersShown = (signer: Address | undefined) => {
      const { signers = null, threshold = null, ...known } = standing(signer)
      return { ...known, signers, threshold }
    }

    const signerNow = Effect.map(
      Effect.result(signer.check),
      (checked) => Result.isSuccess(checked) ? { signer: checked.success } : { signerProblem: checked.failure.message }
    )
    const ready = Effect.fnUntraced(function*() {
      const standings = yield* checked.standings
      const configurationOf = ({ slug }: { readonly slug: ChainSlug }) =>
        confirmedBy(standings.filter(({ entry }) => entry.chain.slug === slug))
      const readAll = Effect.all({
        chains: Effect.forEach(chains.all, (chain) =>
          Effect.map(
            Effect.all([observer.health(chain), withdrawals.readable(chain)], { concurrency: 2 }),
            ([health, readable]) => ({
              ...shown(chain.slug, health),
              observed: health.needed > 0,
              withdrawals: readable.length,
              companions: health.companions ?? [],
              ...configurationOf(chain)
            })
          ), { concurrency: "unbounded" }),
        hubs: Effect.forEach(
          hubs.all,
          (hub) =>
            Effect.map(balances.health(hub), (health) => ({ ...shown(hub.slug, health), ...configurationOf(hub) })),
          { concurrency: "unbounded" }
        )
      }, { concurrency: 2 })
      const [read, signing] = yield* Effect.all([readAll, signerNow], { concurrency: "unbounded" })
      const isReady = "signer" in signing &&
        read.chains.every(({ answering, companions, configuration, needed }) =>
          answering >= needed && configuration !== "contradicted" && companions.every(isThere)
        )
      yield* noteReady(isReady)
      return {
        status: isReady ? "ready" as const : "not-ready" as const,
        ...signing,
        shadow: isShadow,
        peers: peersShown(signing.signer),
        ...read
      }
    })

    return handlers.handleAll({
      lives: () => Effect.succeed({ status: "ok" as const }),
      chains: () =>
        Effect.succeed({
          chains: chains.all.map(({ depository, family, slug }) => ({ id: slug, vmType: family.name, depository }))
        }),
      ready
    })
  })
)
