/** Health, readiness and the chains that are loaded. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AttestationSigner } from "../../../ports/AttestationSigner.ts"
import { ChainObserver } from "../../../ports/ChainObserver.ts"
import { Chains } from "../../../ports/Chains.ts"
import { OracleApi } from "../api/OracleApi.ts"
import { PeerStanding } from "../peers/PeerStanding.ts"
import { Shadow } from "../Shadow.ts"

export const layer = HttpApiBuilder.group(OracleApi, "service", Effect.fn(function*(handlers) {
  const chains = yield* Chains
  const observer = yield* ChainObserver
  const signer = yield* AttestationSigner
  const { isShadow } = yield* Shadow
  const { active, shadows, signers, threshold, warnings } = yield* PeerStanding
  const peers = { active, shadows, signers: signers ?? null, threshold: threshold ?? null, warnings }

  const ready = Effect.fnUntraced(function*() {
    const quorums = yield* Effect.forEach(chains.all, (chain) =>
      Effect.map(observer.health(chain), ({ answering, hosts, needed, weak }) => ({
        id: chain.slug,
        needed,
        endpoints: hosts.length,
        answering: answering.length,
        weak
      })), { concurrency: "unbounded" })
    const status = quorums.every(({ answering, needed }) => answering >= needed) ? "ready" as const : "not-ready" as const
    return { status, signer: signer.address, shadow: isShadow, peers, chains: quorums }
  })

  return handlers.handleAll({
    lives: () => Effect.succeed({ status: "ok" as const }),
    chains: () => Effect.succeed({ chains: chains.all.map(({ depository, family, slug }) => ({ id: slug, vmType: family, depository })) }),
    ready
  })
}))
