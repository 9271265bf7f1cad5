/** Health, readiness and the chains that are loaded. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AttestationSigner } from "../../../ports/AttestationSigner.ts"
import { ChainObserver } from "../../../ports/ChainObserver.ts"
import { Chains } from "../../../ports/Chains.ts"
import { HubBalances } from "../../../ports/HubBalances.ts"
import { SettlementHubs } from "../../../ports/SettlementHubs.ts"
import { WithdrawalObserver } from "../../../ports/WithdrawalObserver.ts"
import type { QuorumHealth } from "../../../ports/ChainObserver.ts"
import { OracleApi } from "../api/OracleApi.ts"
import { PeerStanding } from "../peers/PeerStanding.ts"
import { Shadow } from "../Shadow.ts"

const shown = (id: string, { answering, hosts, needed, weak }: QuorumHealth) => ({ id, needed, endpoints: hosts.length, answering: answering.length, weak })

export const layer = HttpApiBuilder.group(OracleApi, "service", Effect.fn(function*(handlers) {
  const chains = yield* Chains
  const observer = yield* ChainObserver
  const withdrawals = yield* WithdrawalObserver
  const hubs = yield* SettlementHubs
  const balances = yield* HubBalances
  const signer = yield* AttestationSigner
  const { isShadow } = yield* Shadow
  const { active, shadows, signers, threshold, warnings } = yield* PeerStanding
  const peers = { active, shadows, signers: signers ?? null, threshold: threshold ?? null, warnings }

  const ready = Effect.fnUntraced(function*() {
    const { read, settlement } = yield* Effect.all({
      read: Effect.forEach(chains.all, (chain) =>
        Effect.map(
          Effect.all([observer.health(chain), withdrawals.readable(chain)], { concurrency: 2 }),
          ([health, readable]) => ({ ...shown(chain.slug, health), withdrawals: readable.length })
        ), { concurrency: "unbounded" }),
      settlement: Effect.forEach(hubs.all, (hub) => Effect.map(balances.health(hub), (health) => shown(hub.slug, health)), { concurrency: "unbounded" })
    }, { concurrency: 2 })
    const status = read.every(({ answering, needed }) => answering >= needed) ? "ready" as const : "not-ready" as const
    return { status, signer: signer.address, shadow: isShadow, peers, chains: read, hubs: settlement }
  })

  return handlers.handleAll({
    lives: () => Effect.succeed({ status: "ok" as const }),
    chains: () => Effect.succeed({ chains: chains.all.map(({ depository, family, slug }) => ({ id: slug, vmType: family, depository })) }),
    ready
  })
}))
